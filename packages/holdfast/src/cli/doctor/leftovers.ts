/** Keys without expiry: nothing of ours is left so but what is to last, and the rest nobody will ever take away. */

import type { Redis } from 'ioredis';
import { type Finding, unseen } from './finding.js';

/** So many keys of a server are gone through, and no more. */
const MOST_KEYS = 100_000;
const PAGE = '500';
const NAMED = 5;
/** Behind the name of a semaphore: who has permits of Redisson's expirable one, by the end of the lease, and when it ends where there is none. */
const REDISSONS_HOLDERS = ':timeout';
const REDISSONS_NEVER = 922_337_203_685_477;

/** Of all servers together. `front`: what the keys of the locks begin with. */
export async function examineLeftovers(servers: readonly Redis[], front: string): Promise<Finding> {
  const check = 'keys-without-expiry';
  const found: string[] = [];
  let isWhole = true;
  for (const redis of servers) {
    let cursor = '0';
    let seen = 0;
    do {
      const reply: unknown = await redis.call('SCAN', cursor, 'COUNT', PAGE).catch((error: unknown) => error);
      if (!Array.isArray(reply)) return unseen(check, 'SCAN', '+scan', reply);
      const [next, keys] = reply as [string, string[]];
      const ours = keys.filter((key) => isOurs(key, front));
      const ttls = await Promise.all(ours.map((key) => redis.pttl(key).catch(() => 0)));
      for (const key of ours.filter((_, index) => ttls[index] === -1))
        if (!(await isToLast(redis, key))) found.push(key);
      seen += Number(PAGE);
      cursor = next;
    } while (cursor !== '0' && seen < MOST_KEYS);
    isWhole &&= cursor === '0';
  }
  const beyond = isWhole ? '' : ` (of the first ${MOST_KEYS} keys)`;
  if (found.length === 0) return { check, status: 'ok', detail: `none${beyond}` };
  const some = found.slice(0, NAMED).join(', ') + (found.length > NAMED ? ', …' : '');
  return { check, status: 'warn', detail: `${found.length}: ${some}${beyond}`, missing: found.slice(0, MOST_KEYS) };
}

/** A counter, or who has permits of a semaphore: they end with their leases, in a key that stays. One that has no end is somebody's to give back. */
async function isToLast(redis: Redis, key: string): Promise<boolean> {
  const isOfRedisson =
    key.endsWith(REDISSONS_HOLDERS) && (await isCounter(redis, key.slice(0, -REDISSONS_HOLDERS.length)));
  if (isOfRedisson) return (await redis.zcount(key, REDISSONS_NEVER, '+inf').catch(() => 1)) === 0;
  if (!/holdfast_(tagged_)?sem_permits:.*\{/s.test(key)) return isCounter(redis, key);
  const records = await redis.hgetall(key).catch(() => ({}));
  return !Object.values(records).some((record) => record.endsWith(' 0'));
}

async function isCounter(redis: Redis, key: string): Promise<boolean> {
  return /^-?\d+$/.test((await redis.get(key).catch(() => '')) ?? '');
}

/** A key of holdfast's own that is to expire, or, where locks have a prefix of their own, any key behind it. */
function isOurs(key: string, front: string): boolean {
  // The record of a guarded value that has no TTL stays as long as that.
  if (/holdfast_(tagged_)?fence:.*\{/s.test(key)) return false;
  return (front !== '' && key.startsWith(front)) || /holdfast_[a-z_]+:.*\{/s.test(key);
}
