/** A process that takes locks as its plan says. `scripts/faults.mjs` bundles it twice: with ioredis 6 and with 5. */
import { serveWorker } from '@holdfast/testkit';
import { Crew } from './crew.js';
import type { Settled, Tally, WorkerPlan } from './plan.js';

const tallyEveryMs = 500;

let crew: Crew | undefined;
const present = (): Crew => {
  if (crew === undefined) throw new Error('nothing has begun');
  return crew;
};

for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => {
    const what = `${event}: ${error instanceof Error ? error.stack : String(error)}`;
    if (crew === undefined) process.stderr.write(`${what}\n`);
    crew?.strange(what);
  });
}

export const methods = {
  begin(plan: WorkerPlan): void {
    crew = new Crew(plan);
    setInterval(() => crew && line.emit('tally', crew.tally()), tallyEveryMs).unref();
  },
  /** The event loop stands still. */
  stall(ms: number): void {
    const endsAt = performance.now() + ms;
    while (performance.now() < endsAt);
  },
  settle: (): Promise<Settled> => present().settle(),
  /** What is still counted then is final. */
  async close(): Promise<Tally> {
    const tally = await present().close();
    crew = undefined;
    return tally;
  },
};

const line = serveWorker({ methods });
