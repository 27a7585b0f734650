/**
 * What cycles make V8 promote: garbage that no scavenge frees, because older garbage refers to it. It is gone after the next full collection, so
 * nothing grows; but it is copied twice, and the full collections come for it.
 */
import type { LockClient } from 'holdfast';

const CYCLES = 5_000;

/** Turns in which answers and timers that are still under way settle. */
const TURNS = 10;

function collector(): (options: { type: 'major' | 'minor' }) => void {
  if (gc === undefined) throw new Error('Run node with --expose-gc');
  return gc as (options: { type: 'major' | 'minor' }) => void;
}

/** Bytes for each cycle of `tasks` tasks at once that only a full collection frees. `nameOf`: the lock that a task takes. */
export async function bytesPromoted(
  client: LockClient,
  { tasks, nameOf }: { tasks: number; nameOf: (task: number) => string },
): Promise<number> {
  const collect = collector();
  const run = async (): Promise<void> => {
    let cycles = 0;
    const task = async (_: unknown, index: number): Promise<void> => {
      const lock = client.getLock(nameOf(index));
      while (cycles < CYCLES) await lock.withLock(() => cycles++);
    };
    await Promise.all(Array.from({ length: tasks }, task));
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await run();
  collect({ type: 'major' });
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  await run();
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before) / CYCLES;
}
