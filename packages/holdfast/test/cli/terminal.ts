import type { RedisKit } from '@holdfast/testkit';
import type { EndSignal, Io } from '../../src/cli/io.js';
import { plain } from '../../src/cli/paint.js';
import { runCommandLine } from '../../src/cli/program.js';

export type { Finding } from '../../src/cli/doctor/finding.js';

/** What a call of the command line came to. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
  /** The lines of the output as JSON. */
  readonly json: readonly unknown[];
}

/** Somebody who sits there, with an answer to every question. */
export interface Sitting {
  readonly answer?: string;
  /** Of the terminal. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A call of the command line in this process, on the kit's server. */
export class Running {
  readonly ended: Promise<Outcome>;
  readonly #written: string[] = [];
  readonly #warned: string[] = [];
  readonly #listeners = new Map<EndSignal, () => void>();

  constructor(kit: RedisKit, args: readonly string[], { answer, columns = 200, env }: Sitting = {}) {
    const io: Io = {
      env: { REDIS_URL: kit.server.url, ...env },
      isTerminal: answer !== undefined,
      paint: plain,
      write: (text) => void this.#written.push(text),
      warn: (line) => void this.#warned.push(`${line}\n`),
      size: () => ({ rows: 6, columns }),
      now: () => '2026-02-03T04:05:06.789Z',
      ask: async (question) => {
        this.#written.push(question);
        return answer ?? '';
      },
      onSignal: (signal, run) => {
        this.#listeners.set(signal, run);
        return () => this.#listeners.delete(signal);
      },
      onUnread: () => () => undefined,
    };
    this.ended = runCommandLine(args, io).then((code) => ({
      code,
      output: this.output,
      errors: this.errors,
      json: this.json,
    }));
  }

  get output(): string {
    return this.#written.join('');
  }

  get errors(): string {
    return this.#warned.join('');
  }

  /** The whole lines of the output that are JSON. */
  get json(): readonly unknown[] {
    const lines = this.output.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** Sends it a signal. @throws Error when it does not listen to that. */
  tell(signal: EndSignal): void {
    const run = this.#listeners.get(signal);
    if (run === undefined) throw new Error(`it does not listen to ${signal}`);
    run();
  }
}

/** Runs the command line to its end, in this process, on the kit's server. */
export function holdfast(kit: RedisKit, args: readonly string[], sitting: Sitting = {}): Promise<Outcome> {
  return new Running(kit, args, sitting).ended;
}
