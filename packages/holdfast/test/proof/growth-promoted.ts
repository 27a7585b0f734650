/**
 * What cycles make V8 promote: garbage that no scavenge frees, because older garbage refers to it. It is gone after the next full collection, so
 * nothing grows; but it is copied twice, and the full collections come for it.
 */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { LockClient } from 'holdfast';

const TASKS = 64;
/** Few enough that V8 seldom collects in full meanwhile. */
const CYCLES = 2_000;
/** How often it may do so. */
const TRIES = 10;

/** Turns in which answers and timers that are still under way settle, and collections are told. */
const TURNS = 10;

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function collector(): (options: { type: 'major' | 'minor' }) => void {
  if (gc === undefined) throw new Error('Run node with --expose-gc');
  return gc as (options: { type: 'major' | 'minor' }) => void;
}

/** How many full collections `body` has met. */
async function fullCollections(body: () => Promise<void>): Promise<number> {
  let full = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[])
      if (detail.kind !== constants.NODE_PERFORMANCE_GC_MINOR) full++;
  });
  observer.observe({ entryTypes: ['gc'] });
  await body();
  await turns();
  observer.disconnect();
  return full;
}

/** Bytes for each cycle that only a full collection frees; every task has a lock of its own. */
export async function bytesPromoted(client: LockClient): Promise<number> {
  const collect = collector();
  let before = 0;
  // While all are under way: a full collection promotes what it finds, and from there the chains begin.
  const begin = (): void => {
    collect({ type: 'major' });
    before = process.memoryUsage().heapUsed;
  };
  const run = async (): Promise<void> => {
    let cycles = 0;
    const task = async (_: unknown, index: number): Promise<void> => {
      const lock = client.getLock(`promoted-${index}`);
      while (cycles < TASKS + CYCLES) {
        await lock.withLock(() => {
          if (++cycles === TASKS) begin();
        });
      }
    };
    await Promise.all(Array.from({ length: TASKS }, task));
  };
  await run();
  for (let attempt = 0; attempt < TRIES; attempt++) {
    collect({ type: 'major' });
    await turns();
    if ((await fullCollections(run)) > 1) continue;
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    return (process.memoryUsage().heapUsed - before) / CYCLES;
  }
  throw new Error(`There was a full collection in each of ${TRIES} tries`);
}
