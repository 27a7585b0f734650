/** What the semaphores of an epoch come to when everybody has gone. */
import { semaphoreKeys } from '@holdfast/core';
import type { Cluster, Redis } from 'ioredis';
import { type LockNames, permitsIn } from '../worker/plan.js';

/** Of the records of holders, `<permits> <end of the lease>` each: killed holders have left theirs. */
const permitsOf = (records: Readonly<Record<string, string>>): number =>
  Object.entries(records)
    .filter(([holder]) => holder.includes(':'))
    .reduce((sum, [, record]) => sum + Number(record.split(' ')[0]), 0);

/**
 * Says which have more or fewer permits than they should, and deletes all: their counters would stay for ever, by design. Each has had its last turns, so
 * one without a counter has lost it.
 */
export async function closePools(redis: Redis | Cluster, locks: LockNames): Promise<string[]> {
  const wrong: string[] = [];
  for (const pool of locks.pools) {
    const keys = semaphoreKeys(pool);
    const free = await redis.get(keys.count);
    const had = permitsOf(await redis.hgetall(keys.permits));
    const inAll = permitsIn(locks, pool);
    if (Number(free) + had !== inAll)
      wrong.push(`${pool} has ${free ?? 'no counter of'} free permits and ${had} in records, of ${inAll}`);
    await redis.del(keys.count, keys.permits);
  }
  return wrong;
}
