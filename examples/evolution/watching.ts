// What can be seen of a lock from outside, in Redis.
import { waitUntil } from '@holdfast/testkit';
import type { Redis } from 'ioredis';

const patience = { timeoutMs: 60_000 };

/** The key is gone: its lease has run out. */
export const gone = (redis: Redis, key: string): Promise<unknown> =>
  waitUntil(async () => (await redis.exists(key)) === 0, { what: `${key} to end`, ...patience });

/** The lease of the key was raised so many times: somebody renews it. */
export async function renewed(redis: Redis, key: string, times: number): Promise<void> {
  let [last, seen] = [await redis.pttl(key), 0];
  const enough = async (): Promise<boolean> => {
    const left = await redis.pttl(key);
    if (left > last) seen++;
    last = left;
    return seen >= times;
  };
  await waitUntil(enough, { what: `${times} renewals of ${key}`, everyMs: 20, ...patience });
}

/** Any condition that must come true. */
export const comesTrue = (condition: () => boolean | Promise<boolean>, what: string): Promise<unknown> =>
  waitUntil(condition, { what, everyMs: 10, ...patience });

const requests = new Set(['set', 'setnx', 'eval', 'evalsha', 'subscribe', 'unsubscribe']);

/** What clients have asked of the server so far, by INFO; what scripts call within does not count. */
export async function requestsTo(redis: Redis): Promise<number> {
  const lines = (await redis.info('commandstats')).matchAll(/^cmdstat_(\w+):calls=(\d+)/gm);
  return [...lines].reduce((sum, [, name = '', calls]) => sum + (requests.has(name) ? Number(calls) : 0), 0);
}
