import { describe, expect, it } from '@jest/globals';
import { betweenMs, report, reportWakes } from './figures.js';
import { nowUs } from './java-peer.js';
import { isLong } from './length.js';
import { freshName, patient, type Site } from './site.js';

const rounds = isLong ? 100 : 5;
const channelOf = (name: string) => `redisson_sc:{${name}}`;

/** One pool of permits for both sides. */
export function semaphores(site: () => Site): void {
  const kind = 'semaphore';

  describe('semaphores', () => {
    it.each(['semaphore', 'expirable'] as const)(
      "Java's %s and Node take from one pool and see what is left",
      async (of) => {
        const name = freshName();
        const thread = site().thread();
        const semaphore = site().client().getSemaphore(name);
        expect(await semaphore.trySetPermits(5)).toBe(true);
        expect(await thread.call<boolean>('trySetPermits', { name, kind: of, count: 9 })).toBe(false);
        const hold = await semaphore.acquire(3);
        expect(await thread.call<number>('availablePermits', { name, kind: of })).toBe(2);
        const permit = await thread.call<string | undefined>('acquire', { name, kind: of });
        expect(await semaphore.availablePermits()).toBe(1);
        expect(await semaphore.tryAcquire(2)).toBeNull();
        await hold.release();
        await thread.call('release', { name, kind: of, ...(permit == null ? {} : { permit }) });
        expect(await semaphore.availablePermits()).toBe(5);
        await site().onNodeOf(name, (redis) => redis.del(name));
      },
    );

    it('each side waits for permits and is woken when the other gives them back', async () => {
      const name = freshName();
      const [thread, other] = [site().thread(), (await site().startJava()).thread('waiter')];
      const semaphore = site().client(patient).getSemaphore(name, { permits: 1 });
      const times: Record<'byNode' | 'byJava' | 'amongJava', number[]> = { byNode: [], byJava: [], amongJava: [] };
      for (let round = 0; round < rounds; round++) {
        const held = await semaphore.acquire();
        const inJava = thread.timed('acquire', { name, kind });
        await site().listened('java', channelOf(name));
        const startedUs = nowUs();
        await held.release();
        times.byNode.push(betweenMs({ startedUs }, await inJava));

        const inNode = semaphore.acquire().then((hold) => ({ hold, endedUs: nowUs() }));
        await site().listened('node', channelOf(name));
        const released = await thread.timed('release', { name, kind });
        const { hold, endedUs } = await inNode;
        times.byJava.push(betweenMs(released, { endedUs }));
        await hold.release();
        await site().abandoned(channelOf(name));

        await thread.call('acquire', { name, kind });
        const among = other.timed('acquire', { name, kind });
        await site().listened('java', channelOf(name));
        times.amongJava.push(betweenMs(await thread.timed('release', { name, kind }), await among));
        await other.call('release', { name, kind });
        await site().abandoned(channelOf(name));
      }
      reportWakes(site().where, 'permits', times);
      await site().onNodeOf(name, (redis) => redis.del(name));
    });

    it.each(['semaphore', 'expirable'] as const)(
      "a permit of Java's expirable semaphore whose lease has ended is had by who waits in Node, with its %s, without a call of Java",
      async (of) => {
        const name = freshName();
        const client = site().client(patient);
        await client.getSemaphore(name).trySetPermits(1);
        await site().thread().call('acquire', { name, kind: 'expirable', leaseMs: 500 });
        const [plain, withIds] = [client.getSemaphore(name), client.getPermitExpirableSemaphore(name)];
        expect([await plain.availablePermits(), await withIds.acquiredPermits()]).toEqual([0, 1]);
        const had = of === 'semaphore' ? plain.tryAcquire(1, 5_000) : withIds.tryAcquire(5_000);
        expect(await had).not.toBeNull();
        expect([await plain.availablePermits(), await withIds.acquiredPermits()]).toEqual([0, 1]);
        await site().onNodeOf(name, (redis) => redis.del(name, `holdfast_sem_permits:{${name}}`));
      },
    );

    it('permits added on one side wake a call of the other', async () => {
      const name = freshName();
      const thread = site().thread();
      const semaphore = site().client(patient).getSemaphore(name);
      await semaphore.trySetPermits(0);
      const inJava = thread.call('acquire', { name, kind });
      await site().listened('java', channelOf(name));
      await semaphore.addPermits(1);
      await inJava;
      const waiting = semaphore.acquire();
      await site().listened('node', channelOf(name));
      await thread.call('addPermits', { name, kind, count: 1 });
      await (await waiting).release();
      await site().onNodeOf(name, (redis) => redis.del(name));
    });

    it('setPermits of Node counts what Java has of its expirable semaphore, and not what Java has by RSemaphore', async () => {
      const thread = site().thread();
      const left = async (of: 'semaphore' | 'expirable', before: 'taken' | 'deleted') => {
        const name = freshName();
        const semaphore = site().client().getSemaphore(name);
        await semaphore.trySetPermits(5);
        const permit = await thread.call<string | undefined>('acquire', { name, kind: of });
        const hold = await semaphore.acquire(2);
        if (before === 'deleted') {
          await thread.call('delete', { name, kind });
          await thread.call('trySetPermits', { name, kind, count: 5 });
        }
        await semaphore.setPermits(5);
        await hold.release();
        if (before === 'taken') await thread.call('release', { name, kind: of, ...(permit == null ? {} : { permit }) });
        const free = await semaphore.availablePermits();
        await site().onNodeOf(name, (redis) => redis.del(name));
        return free;
      };
      expect(await left('expirable', 'taken')).toBe(5);
      expect(await left('semaphore', 'taken')).toBe(6);
      expect(await left('semaphore', 'deleted')).toBe(5);
    });

    it('a semaphore that Java deletes and sets anew is larger by what Node had', async () => {
      const name = freshName();
      const thread = site().thread();
      const semaphore = site().client().getSemaphore(name);
      await semaphore.trySetPermits(2);
      const hold = await semaphore.acquire(2);
      await thread.call('delete', { name, kind });
      await thread.call('trySetPermits', { name, kind, count: 2 });
      await hold.release();
      expect(await semaphore.availablePermits()).toBe(4);
      await site().onNodeOf(name, (redis) => redis.del(name));
    });

    it('under load nobody has a permit too many, and none is lost: threads of a JVM and tasks of a Node process', async () => {
      const name = freshName();
      const counter = `inside-${name}`;
      const permits = 3;
      await site().client().getSemaphore(name).trySetPermits(permits);
      const node = await site().startNode({ reaskMs: 200 });
      const [inJava, inNode] = await Promise.all([
        site().java.call<number>('loop', { name, kind, counter, threads: 4, sections: 100 }),
        node.call('permitLoop', name, counter, 4, 100),
      ]);
      const most = Math.max(inJava, inNode);
      expect(most).toBeLessThanOrEqual(permits);
      expect(await site().client().getSemaphore(name).availablePermits()).toBe(permits);
      report({
        where: site().where,
        what: `800 sections by 4 Java threads and 4 Node tasks, ${permits} permits`,
        value: `${most} inside at the most`,
      });
      for (const key of [name, counter]) await site().onNodeOf(key, (redis) => redis.del(key));
    });
  });
}
