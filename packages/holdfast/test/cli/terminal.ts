import type { RedisKit } from '@holdfast/testkit';
import type { Io } from '../../src/cli/io.js';
import { runCommandLine } from '../../src/cli/program.js';

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
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command line in this process, on the kit's server. */
export async function holdfast(
  kit: RedisKit,
  args: readonly string[],
  { answer, env }: Sitting = {},
): Promise<Outcome> {
  const [written, warned]: string[][] = [[], []];
  const io: Io = {
    env: { REDIS_URL: kit.server.url, ...env },
    isTerminal: answer !== undefined,
    isColored: false,
    write: (text) => void written?.push(text),
    warn: (line) => void warned?.push(`${line}\n`),
    ask: async (question) => {
      written?.push(question);
      return answer ?? '';
    },
    onSignal: () => () => undefined,
  };
  const code = await runCommandLine(args, io);
  const output = written?.join('') ?? '';
  return {
    code,
    output,
    errors: warned?.join('') ?? '',
    get json() {
      return output
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown);
    },
  };
}
