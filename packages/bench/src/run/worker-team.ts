import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TestWorker } from '@holdfast/testkit';
import type { methods } from '../worker/worker.js';

/** A process in which peers run. */
export type BenchWorker = TestWorker<typeof methods>;

/** Where `scripts/bench.mjs` has put it. */
const file = fileURLToPath(new URL('../../node_modules/.cache/worker.mjs', import.meta.url));

async function start(): Promise<BenchWorker> {
  const worker: BenchWorker = new TestWorker(fork(file, { execArgv: ['--expose-gc'], silent: true }));
  await worker.ready;
  return worker;
}

/** The processes of one workload, each started when its seat is first asked for. */
export class WorkerTeam {
  readonly #seats = new Map<string, Promise<BenchWorker>>();

  seat(name: string): Promise<BenchWorker> {
    let worker = this.#seats.get(name);
    if (worker === undefined) this.#seats.set(name, (worker = start()));
    return worker;
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
