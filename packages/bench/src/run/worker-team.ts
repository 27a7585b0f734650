import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TestWorker } from '@holdfast/testkit';
import { byLines } from '../programs/by-lines.js';
import type { Language, Program, Programs } from '../programs/program.js';
import type { methods } from '../worker/worker.js';

/** A process in which peers run. */
export type BenchWorker = TestWorker<typeof methods>;

/** Where `scripts/bench.mjs` has put it. */
const file = fileURLToPath(new URL('../../node_modules/.cache/worker.mjs', import.meta.url));

async function start(program: Program | undefined): Promise<BenchWorker> {
  const child =
    program === undefined
      ? fork(file, { execArgv: ['--expose-gc'], silent: true })
      : byLines(spawn(program.command, program.args));
  const worker: BenchWorker = new TestWorker(child);
  await worker.ready;
  return worker;
}

/** The processes of one workload, each started when its seat is first asked for. */
export class WorkerTeam {
  readonly #programs: Programs;
  readonly #seats = new Map<string, Promise<BenchWorker>>();

  constructor(programs: Programs) {
    this.#programs = programs;
  }

  /** @param runsIn undefined: in Node. A program of another language serves `warmUp` and `loop` alone. */
  seat(name: string, runsIn: Language | undefined): Promise<BenchWorker> {
    let worker = this.#seats.get(name);
    if (worker === undefined) this.#seats.set(name, (worker = start(this.#programOf(runsIn))));
    return worker;
  }

  #programOf(runsIn: Language | undefined): Program | undefined {
    if (runsIn === undefined) return undefined;
    const program = this.#programs[runsIn];
    if (program === undefined) throw new Error(`there is no program for ${runsIn}; npm run bench -- --${runsIn}`);
    return program;
  }

  /** Ends these processes; the next use of their seats starts new ones. */
  async clear(names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const worker = this.#seats.get(name);
        this.#seats.delete(name);
        // Where it could not be started there is nothing to end; who asked for it has been told.
        const started = await worker?.catch(() => undefined);
        await started?.stop();
      }),
    );
  }

  async stop(): Promise<void> {
    await this.clear([...this.#seats.keys()]);
  }
}
