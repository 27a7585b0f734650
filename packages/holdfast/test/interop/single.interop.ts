import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { exclusion } from './exclusion.js';
import { fenced } from './fenced.js';
import { nowUs } from './java-peer.js';
import { kindsUnderLoad } from './kinds-under-load.js';
import { latches } from './latches.js';
import { leases } from './leases.js';
import { loss } from './loss.js';
import { names } from './names.js';
import { semaphores } from './semaphores.js';
import { channelOf, freshName, oneRedis, patient, useSite } from './site.js';
import { strangers } from './strangers.js';
import { waking } from './waking.js';

jest.setTimeout(60_000);

describe('Java and Node on one Redis', () => {
  const site = useSite(oneRedis);

  it('read one clock: times of the two processes can be compared', async () => {
    const before = nowUs();
    const { startedUs, endedUs } = await site().java.timed('ownField');
    expect(startedUs).toBeGreaterThanOrEqual(before);
    expect(endedUs).toBeLessThanOrEqual(nowUs());
  });

  exclusion(site);
  kindsUnderLoad(site);
  strangers(site);
  fenced(site);
  semaphores(site);
  latches(site);
  waking(site);
  leases(site);
  loss(site);
  names(site, 'single');

  it.each(['prefix', 'keyPrefix'])("%s and Redisson's NameMapper name the same lock", async (kind) => {
    const name = freshName();
    const java = await site().startJava({ keyPrefix: 'app:' });
    const thread = java.thread('holder');
    const redis = new Redis(site().nodes[0] ?? '', kind === 'keyPrefix' ? { keyPrefix: 'app:' } : {});
    const client = site().client({ ...patient, redis, ...(kind === 'prefix' ? { prefix: 'app:' } : {}) });
    const lock = client.getLock(name);
    await thread.lock(name);
    expect(await lock.tryLock()).toBe(false);
    const waiting = lock.acquire();
    await site().listened('node', channelOf(`app:${name}`));
    await thread.unlock(name);
    const hold = await waiting;
    const before = await site().listeners(channelOf(`app:${name}`));
    const inJava = thread.lock(name);
    await site().joined(channelOf(`app:${name}`), before);
    await hold.release();
    await inJava;
    await thread.unlock(name);
    await client.close();
    redis.disconnect();
  });

  it('a Node client in queue mode excludes Java, and says whom it has met', async () => {
    const name = freshName();
    const thread = site().thread();
    const client = site().client({ wakeup: 'queue', reaskMs: 50 });
    const met: string[] = [];
    client.on('foreign-owner', (event) => met.push(event.name));
    await thread.lock(name);
    const waiting = client.getLock(name).acquire();
    await waitUntil(() => met.length > 0, { what: 'the event' });
    expect(met).toEqual([name]);
    await thread.unlock(name);
    await (await waiting).release();
  });
});
