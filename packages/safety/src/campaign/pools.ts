/** What the semaphores of an epoch come to when everybody has gone. */
import { semaphoreKeys } from '@holdfast/core';
import type { Cluster, Redis } from 'ioredis';
import { type LockNames, permitsIn } from '../worker/plan.js';

/** Of the records of holders, `<permits> <end of the lease>` each: killed holders have left theirs. */
const permitsOf = (records: Readonly<Record<string, string>>): number =>
  Object.entries(records)
    .filter(([holder]) => holder.includes(':'))
    .reduce((sum, [, record]) => sum + Number(record.split(' ')[0]), 0);

/** Says which have more or fewer permits than they should, and deletes all: their counters would stay for ever, by design. */
export async function closePools(redis: Redis | Cluster, locks: LockNames): Promise<string[]> {
  const wrong: string[] = [];
  for (const pool of locks.pools) {
    const keys = semaphoreKeys(pool);
    const free = await redis.get(keys.count);
    if (free === null) continue;
    const had = permitsOf(await redis.hgetall(keys.permits));
    const inAll = permitsIn(locks, pool);
    if (Number(free) + had !== inAll) wrong.push(`${pool} has ${free} free permits and ${had} in records, of ${inAll}`);
    await redis.del(keys.count, keys.permits);
  }
  return wrong;
}
