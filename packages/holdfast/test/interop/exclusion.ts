import { describe, expect, it } from '@jest/globals';
import { report } from './figures.js';
import { channelOf, freshName, type Site } from './site.js';

/** More than a process does before others have their turn, however fast it is: it passes a lock on in memory 512 times at most. */
const SECTIONS_OF_NODE = 750;

/** Java and Node never hold one lock together. */
export function exclusion(site: () => Site): void {
  describe('exclusion', () => {
    it('while Java holds the lock Node does not get it, and the other way round', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client().getLock(name);
      await thread.lock(name);
      expect(await lock.tryLock()).toBe(false);
      expect(await lock.tryLock(100)).toBe(false);
      expect(await lock.isLocked()).toBe(true);
      await thread.unlock(name);
      expect(await lock.tryLock()).toBe(true);
      expect(await thread.tryLock(name)).toBe(false);
      expect(await thread.tryLock(name, { waitMs: 100 })).toBe(false);
      expect(await thread.isLocked(name)).toBe(true);
      expect(await thread.isHeldByCurrentThread(name)).toBe(false);
      await lock.unlock();
      expect(await thread.tryLock(name)).toBe(true);
      await thread.unlock(name);
    });

    it.each(['fair', 'spin', 'fenced'] as const)("Java's %s lock and Node exclude each other too", async (kind) => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client().getLock(name);
      await thread.lock(name, { kind });
      expect(await lock.tryLock()).toBe(false);
      await thread.unlock(name, { kind });
      expect(await lock.tryLock()).toBe(true);
      expect(await thread.tryLock(name, { kind })).toBe(false);
      await lock.unlock();
      await site().forgetTokens(name);
    });

    it('under load no update is lost: threads of a JVM and tasks of two Node processes', async () => {
      const name = freshName();
      const counter = `counter-${name}`;
      await site().onNodeOf(counter, (redis) => redis.set(counter, 0));
      const nodes = await Promise.all([site().startNode(), site().startNode()]);
      // All of them wait before one is let in: who starts sooner would else be done before the others come.
      const closed = await site().client().getLock(name).acquire();
      const loops: Promise<number>[] = [];
      const enter = async (loop: () => Promise<number>) => {
        const before = await site().listeners(channelOf(name));
        loops.push(loop());
        await site().joined(channelOf(name), before);
      };
      await enter(() => site().java.call<number>('loop', { name, counter, threads: 4, sections: 60 }));
      for (const node of nodes) await enter(() => node.call('loop', name, counter, 3, SECTIONS_OF_NODE / 3));
      const startedAt = performance.now();
      await closed.release();
      const firstDone = Promise.race(loops).then(async (own) => ({
        own,
        all: Number(await site().onNodeOf(counter, (redis) => redis.get(counter))),
      }));
      const sections = (await Promise.all(loops)).reduce((sum, run) => sum + run, 0);
      const tookMs = performance.now() - startedAt;
      expect(sections).toBe(4 * 60 + 2 * SECTIONS_OF_NODE);
      expect(await site().onNodeOf(counter, (redis) => redis.get(counter))).toBe(String(sections));
      // They did contend: when the first was done, others had been served as well.
      const { own, all } = await firstDone;
      expect(all).toBeGreaterThan(own);
      await site().onNodeOf(counter, (redis) => redis.del(counter));
      report({
        where: site().where,
        what: 'read-modify-write by 4 Java threads and 6 Node tasks',
        value: `${sections} of ${sections} updates, ${(tookMs / sections).toFixed(1)} ms each`,
      });
    });
  });
}
