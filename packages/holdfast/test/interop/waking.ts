import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { betweenMs, quantile, report, spread } from './figures.js';
import { nowUs } from './java-peer.js';
import { isLong } from './length.js';
import { channelOf, freshName, patient, type Site } from './site.js';

const rounds = isLong ? 200 : 20;

/** Whoever waits has the lock as soon as the other side releases it: by message, not when the lease it was told has run out. */
export function waking(site: () => Site): void {
  /** @param shortestLeaseMs - what the lease would have lasted for at the releases, at the least. */
  const expectWoken = (what: string, samples: number[], shortestLeaseMs: number) => {
    report({
      where: site().where,
      what,
      value: `${spread(samples)}; the lease had ${(shortestLeaseMs / 1_000).toFixed(0)} s left`,
    });
    expect(shortestLeaseMs).toBeGreaterThan(10_000);
    expect(quantile(samples, 0.5)).toBeLessThan(100);
    expect(quantile(samples, 1)).toBeLessThan(5_000);
  };

  describe('waking', () => {
    it('a Node waiter is woken by a Java release', async () => {
      const name = freshName();
      const thread = site().thread();
      const node = await site().startNode(patient);
      const samples: number[] = [];
      const leases: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await thread.lock(name);
        const waiting = node.call('acquire', name);
        await site().listened('node', channelOf(name));
        leases.push(await site().pttl(name));
        const released = await thread.unlock(name);
        samples.push(betweenMs(released, await waiting));
        await node.call('release');
      }
      expectWoken('a Node waiter after a Java release', samples, Math.min(...leases));
    });

    it('a Java waiter is woken by a Node release', async () => {
      const name = freshName();
      const thread = site().thread();
      const node = await site().startNode(patient);
      const samples: number[] = [];
      const leases: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await node.call('acquire', name);
        const waiting = thread.lock(name);
        await site().listened('java', channelOf(name));
        leases.push(await site().pttl(name));
        const released = await node.call('release');
        samples.push(betweenMs(released, await waiting));
        await thread.unlock(name);
      }
      expectWoken('a Java waiter after a Node release', samples, Math.min(...leases));
    });

    it('a Java waiter in its fair lock is woken by the release of a fair lock of Node', async () => {
      const name = freshName();
      const thread = site().thread();
      const fair = site().client(patient).getFairLock(name);
      const line = `redisson_lock_queue:{${name}}`;
      const hold = await fair.acquire();
      const waiting = thread.timed('lock', { name, kind: 'fair' });
      await waitUntil(async () => (await site().onNodeOf(name, (redis) => redis.llen(line))) === 1, {
        what: 'Java waits',
      });
      expect(await site().pttl(name)).toBeGreaterThan(10_000);
      const startedUs = nowUs();
      await hold.release();
      expect(betweenMs({ startedUs }, await waiting)).toBeLessThan(5_000);
      await thread.call('unlock', { name, kind: 'fair' });
    });

    it('a Java waiter is woken by a release of another JVM: what the two above are to be compared with', async () => {
      const name = freshName();
      const thread = site().thread();
      const waiter = (await site().startJava()).thread('waiter');
      const samples: number[] = [];
      const leases: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await thread.lock(name);
        const waiting = waiter.lock(name);
        await site().listened('java', channelOf(name));
        leases.push(await site().pttl(name));
        const released = await thread.unlock(name);
        samples.push(betweenMs(released, await waiting));
        await waiter.unlock(name);
        await site().deserted(name);
      }
      expectWoken('a Java waiter after a release of another JVM', samples, Math.min(...leases));
    });

    it('a Java waiter is woken by a force unlock of Node, a Node waiter by one of Java', async () => {
      const name = freshName();
      const [holder, waiter] = [site().thread(), site().thread()];
      const client = site().client(patient);
      const lock = client.getLock(name);
      await holder.lock(name);
      const java = waiter.lock(name);
      await site().listened('java', channelOf(name));
      expect(await lock.forceUnlock()).toBe(true);
      await java;
      const node = lock.acquire();
      await site().listened('node', channelOf(name));
      expect(await holder.forceUnlock(name)).toBe(true);
      await (await node).release();
    });

    it('a Java waiter is woken when a Node client closes with the lock', async () => {
      const name = freshName();
      const client = site().client(patient);
      await client.getLock(name).acquire();
      const java = site().thread().lock(name);
      await site().listened('java', channelOf(name));
      await client.close();
      await java;
      await site().java.call('forceUnlock', { name });
    });

    it('a Node process whose tasks always want the lock lets Java in, again and again', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client(patient).getLock(name);
      let working = true;
      let sections = 0;
      const task = async () => {
        while (working) {
          await lock.withLock(async () => {
            sections++;
            for (let i = 0; i < 20; i++) await site().pttl(name);
          });
        }
      };
      const tasks = Promise.all([task(), task(), task(), task()]);
      const samples: number[] = [];
      for (let turn = 0; turn < 20; turn++) {
        const before = sections;
        await waitUntil(() => sections > before, { what: 'the tasks are at work' });
        const startedAt = performance.now();
        expect(await thread.tryLock(name, { waitMs: 10_000 })).toBe(true);
        samples.push(performance.now() - startedAt);
        await thread.unlock(name);
      }
      working = false;
      await tasks;
      report({
        where: site().where,
        what: 'Java waits while 4 tasks of Node always want the lock',
        value: spread(samples),
      });
    });

    it('a wait in Java ends with false at its deadline, one in Node too, and neither listens any more', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client(patient).getLock(name);
      const hold = await lock.acquire();
      expect(await thread.tryLock(name, { waitMs: 300 })).toBe(false);
      await hold.release();
      await thread.lock(name);
      expect(await lock.tryLock(300)).toBe(false);
      await site().deserted(name);
      await thread.unlock(name);
    });
  });
}
