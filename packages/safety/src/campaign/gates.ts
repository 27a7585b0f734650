/** What has to be so when all faults are over and all workers have gone, whatever the class of the run. */
import { waitUntil, WaitUntilTimeoutError } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import type { Site } from '../site/site.js';

/** Beyond the longest lease and the queue's own time to live. */
const goneWithinMs = 12_000;

/** Tombstones, counters of tokens, and what guards have written with its record: they stay for their time. */
const isMeantToStay = (key: string): boolean =>
  /^(?:holdfast_(?:tagged_)?(?:dead|fence):|redisson_lock_token:|guarded:)/.test(key);

async function allKeys(admin: Redis): Promise<string[]> {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const [next, page] = await admin.scan(cursor, 'COUNT', 1_000);
    keys.push(...page);
    cursor = next;
  } while (cursor !== '0');
  return keys;
}

async function admins(site: Site): Promise<Redis[]> {
  return Promise.all((await site.masters()).map((node) => node.admin()));
}

/** Keys of ours that would stay for ever. */
async function immortalKeys(admin: Redis): Promise<string[]> {
  const keys = await allKeys(admin);
  const pipeline = admin.pipeline();
  for (const key of keys) pipeline.pttl(key);
  const ttls = (await pipeline.exec()) ?? [];
  return keys.filter((_, index) => ttls[index]?.[1] === -1);
}

async function leftovers(site: Site, mark: string): Promise<string[]> {
  const perNode = await Promise.all(
    (await admins(site)).map(async (admin) => {
      const keys = (await allKeys(admin))
        .filter((key) => key.includes(mark) && !isMeantToStay(key))
        .map((key) => `key ${key}`);
      const channels = (await admin.pubsub('CHANNELS', 'holdfast*')).map(
        (channel) => `subscription ${String(channel)}`,
      );
      return [...keys, ...channels];
    }),
  );
  return perNode.flat();
}

/** What is wrong. What is kept on purpose may stay for its time.
 *
 * @param mark is in the name of every lock of the epoch: others may have left something to expire.
 */
export async function quiescence(site: Site, mark: string): Promise<string[]> {
  const immortal = (await Promise.all((await admins(site)).map(immortalKeys))).flat();
  const wrong = immortal.map((key) => `${key} has no time to live`);
  let left: string[] = [];
  const isQuiet = async (): Promise<boolean> => {
    left = await leftovers(site, mark);
    return left.length === 0;
  };
  try {
    await waitUntil(isQuiet, { what: 'nothing of ours to be left', timeoutMs: goneWithinMs, everyMs: 200 });
  } catch (error) {
    if (!(error instanceof WaitUntilTimeoutError)) throw error;
    wrong.push(...left.slice(0, 5).map((thing) => `left behind: ${thing}`));
  }
  return wrong;
}
