/** What is known of a lease that is due when batches are made. */
export interface Due {
  readonly deadline: number;
}

/** Leases that share a batch have at most this many times the time left that the most urgent of them has. */
const MAX_URGENCY_RATIO = 4;
/** Most leases in one call of the port: a server does nothing else meanwhile. */
const MOST_IN_BATCH = 100;

/**
 * Divides what is due into batches of one key and at most {@link MOST_IN_BATCH}, the most urgent first in each. A batch has to settle by its earliest
 * deadline, so a lease with little time left does not travel with ones that could wait much longer for an answer.
 */
export function divide<T extends Due>(due: readonly T[], keyOf: (item: T) => unknown, now: number): T[][] {
  const batches: T[][] = [];
  const open = new Map<unknown, { batch: T[]; latest: number }>();
  for (const item of due.toSorted((a, b) => a.deadline - b.deadline)) {
    const key = keyOf(item);
    const current = open.get(key);
    if (current !== undefined && current.batch.length < MOST_IN_BATCH && item.deadline <= current.latest) {
      current.batch.push(item);
    } else {
      const batch = [item];
      batches.push(batch);
      open.set(key, { batch, latest: now + (item.deadline - now) * MAX_URGENCY_RATIO });
    }
  }
  return batches;
}
