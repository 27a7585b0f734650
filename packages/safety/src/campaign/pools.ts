/** What semaphores come to when everybody has gone. */
import { semaphoreKeys } from '@holdfast/core';
import type { Cluster, Redis } from 'ioredis';

/** Of the records of holders, `<permits> <end of the lease>` each: killed holders have left theirs. */
const permitsOf = (records: Readonly<Record<string, string>>): number =>
  Object.entries(records)
    .filter(([holder]) => holder.includes(':'))
    .reduce((sum, [, record]) => sum + Number(record.split(' ')[0]), 0);

/** A semaphore, and how many permits it should have. */
export interface Pool {
  readonly name: string;
  readonly inAll: number;
}

/**
 * Says which have more or fewer permits than they should, and deletes all: their counters would stay for ever, by design. Each has been used, so one without a
 * counter has lost it.
 */
export async function closePools(redis: Redis | Cluster, pools: readonly Pool[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, inAll } of pools) {
    const keys = semaphoreKeys(name);
    const free = await redis.get(keys.count);
    const had = permitsOf(await redis.hgetall(keys.permits));
    if (Number(free) + had !== inAll)
      wrong.push(`${name} has ${free ?? 'no counter of'} free permits and ${had} in records, of ${inAll}`);
    await redis.del(keys.count, keys.permits);
  }
  return wrong;
}
