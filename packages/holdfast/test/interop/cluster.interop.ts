import { type TestCluster, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { exclusion } from './exclusion.js';
import { fenced } from './fenced.js';
import { type JavaThread, nowUs } from './java-peer.js';
import { kindsUnderLoad } from './kinds-under-load.js';
import { latches } from './latches.js';
import { leases } from './leases.js';
import { loss } from './loss.js';
import { names } from './names.js';
import { semaphores } from './semaphores.js';
import { channelOf, freshName, patient, redisCluster, useSite } from './site.js';
import { strangers } from './strangers.js';
import { waking } from './waking.js';

jest.setTimeout(60_000);

describe('Java and Node on a Cluster', () => {
  let cluster: TestCluster;
  const site = useSite(() => redisCluster((started) => (cluster = started)));

  exclusion(site);
  kindsUnderLoad(site);
  strangers(site);
  fenced(site);
  semaphores(site);
  latches(site);
  waking(site);
  leases(site);
  loss(site);
  names(site, 'cluster');

  /** Each side waits once and is woken by the other; without a message that would take as long as the lease. */
  const wakeEachOther = async (name: string, thread: JavaThread) => {
    const lock = site().client(patient).getLock(name);
    await thread.lock(name);
    const waiting = lock.acquire();
    await site().listened('node', channelOf(name));
    await thread.unlock(name);
    await (await waiting).release();
    await site().deserted(name);
    const hold = await lock.acquire();
    const inJava = thread.lock(name);
    await site().listened('java', channelOf(name));
    await hold.release();
    await inJava;
    await thread.unlock(name);
  };

  it.each(['AUTO', 'ON', 'OFF'] as const)(
    'shardedSubscriptionMode %s of Java needs no setting in Node',
    async (mode) => {
      const java = await site().startJava({ shardedSubscriptionMode: mode });
      const startedAt = performance.now();
      await wakeEachOther(freshName(), java.thread('waiter'));
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    },
  );

  // A Java call that waits there is not: Redisson 4.7.0 does not subscribe anew, and waits for the end of the lease.
  it('a Node call that waits while the slot goes to another server is woken there', async () => {
    const name = freshName();
    const holder = site().thread();
    await holder.lock(name);
    const waiting = site().client().getLock(name).acquire();
    await site().listened('node', channelOf(name));
    const source = await cluster.nodeOfKey(name);
    const [target = source] = (await cluster.masters()).filter((node) => node !== source);
    await cluster.migrateSlot(await cluster.slotOf(name), target);
    const listening = async () => {
      const [, count] = (await (await target.admin()).call('PUBSUB', 'SHARDNUMSUB', channelOf(name))) as [
        string,
        number,
      ];
      return count === 1;
    };
    await waitUntil(listening, { what: 'Node listens at the other server' });
    const { startedUs } = await holder.unlock(name);
    const hold = await waiting;
    expect((nowUs() - startedUs) / 1_000).toBeLessThan(1_000);
    await hold.release();
  });

  it('both sides are woken after a failover, also those who waited before', async () => {
    const name = freshName();
    const thread = site().thread();
    const lock = site().client().getLock(name);
    const holder = site().thread();
    await holder.lock(name);
    const waiting = lock.acquire();
    await site().listened('node', channelOf(name));
    await cluster.failover(name);
    await cluster.whenReady();
    await holder.unlock(name);
    await (await waiting).release();
    await wakeEachOther(name, thread);
  });
});
