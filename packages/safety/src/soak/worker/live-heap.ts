import { getHeapSpaceStatistics, queryObjects } from 'node:v8';

/** Finalizers and settled promises of one collection free more in the next. */
const COLLECTIONS = 2;

/** What is reachable, in bytes, without machine code. Needs `--expose-gc`. */
export async function liveHeapBytes(): Promise<number> {
  if (gc === undefined) throw new Error('Run node with --expose-gc');
  for (let i = 0; i < COLLECTIONS; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('code'));
  return spaces.reduce((bytes, { space_used_size }) => bytes + space_used_size, 0);
}

/** How many objects are reachable, exactly. Stops the process for a second and more: only while nothing is urgent. */
export const liveObjects = (): number => queryObjects(Object, { format: 'count' });
