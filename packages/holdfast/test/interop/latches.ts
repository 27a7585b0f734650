import { describe, expect, it } from '@jest/globals';
import { betweenMs, reportWakes } from './figures.js';
import { nowUs } from './java-peer.js';
import { isLong } from './length.js';
import { freshName, patient, type Site } from './site.js';

const rounds = isLong ? 100 : 6;
const channelOf = (name: string) => `redisson_countdownlatch__channel__{${name}}`;

/** One latch for both sides. */
export function latches(site: () => Site): void {
  const kind = 'latch';

  describe('latches', () => {
    it('both sides count one latch down, and both who wait go on at 0', async () => {
      const name = freshName();
      const [counting, waiting] = [site().thread(), site().thread()];
      const latch = site().client(patient).getCountDownLatch(name);
      expect(await latch.trySetCount(4)).toBe(true);
      expect(await counting.call<boolean>('trySetCount', { name, kind, count: 9 })).toBe(false);
      const inJava = waiting.call<boolean>('await', { name, kind });
      await site().listened('java', channelOf(name));
      const before = await site().listeners(channelOf(name));
      const inNode = latch.await();
      await site().joined(channelOf(name), before);
      expect(await latch.countDown()).toBe(3);
      await counting.call('countDown', { name, kind });
      expect(await counting.call<number>('count', { name, kind })).toBe(2);
      expect(await latch.getCount()).toBe(2);
      await latch.countDown();
      await counting.call('countDown', { name, kind });
      expect(await Promise.all([inJava, inNode])).toEqual([true, true]);
    });

    it('rounds that Java has begun and Node ends, and the other way round, let both go on', async () => {
      const name = freshName();
      const [thread, other] = [site().thread(), (await site().startJava()).thread('waiter')];
      const latch = site().client(patient).getCountDownLatch(name);
      const times: Record<'byNode' | 'byJava' | 'amongJava', number[]> = { byNode: [], byJava: [], amongJava: [] };
      for (let round = 0; round < rounds; round++) {
        const isEndedByNode = round % 2 === 0;
        if (isEndedByNode) expect(await thread.call<boolean>('trySetCount', { name, kind, count: 2 })).toBe(true);
        else expect(await latch.trySetCount(2)).toBe(true);
        const inJava = other.timed('await', { name, kind });
        await site().listened('java', channelOf(name));
        const before = await site().listeners(channelOf(name));
        const inNode = latch.await().then((isOpen) => ({ value: isOpen, endedUs: nowUs() }));
        await site().joined(channelOf(name), before);
        if (isEndedByNode) await thread.call('countDown', { name, kind });
        else expect(await latch.countDown()).toBe(1);
        const startedUs = nowUs();
        const ended = isEndedByNode ? latch.countDown() : thread.timed('countDown', { name, kind });
        const [java, node, last] = await Promise.all([inJava, inNode, ended]);
        expect([java.value, node.value]).toEqual([true, true]);
        if (typeof last === 'number') times.byNode.push(betweenMs({ startedUs }, java));
        else {
          times.byJava.push(betweenMs(last, node));
          times.amongJava.push(betweenMs(last, java));
        }
        await site().abandoned(channelOf(name));
      }
      reportWakes(site().where, 'latches', times);
    });

    it('delete() of Node lets both go on, that of Java who waits in Node', async () => {
      const thread = site().thread();
      const latch = site().client(patient).getCountDownLatch(freshName());
      const { name } = latch;
      await latch.trySetCount(2);
      const inJava = thread.call<boolean>('await', { name, kind });
      await site().listened('java', channelOf(name));
      await latch.delete();
      expect(await inJava).toBe(true);
      await site().abandoned(channelOf(name));
      await latch.trySetCount(2);
      const inNode = latch.await();
      await site().listened('node', channelOf(name));
      await thread.call('delete', { name, kind });
      expect(await inNode).toBe(true);
    });

    it('ids of a round that Java has ended have counted in the one that Java begins, and not in one of Node', async () => {
      const name = freshName();
      const thread = site().thread();
      const latch = site().client().getCountDownLatch(name);
      await latch.trySetCount(2);
      expect(await latch.countDown({ by: 'job' })).toBe(1);
      await thread.call('countDown', { name, kind });
      await thread.call('trySetCount', { name, kind, count: 2 });
      expect(await latch.countDown({ by: 'job' })).toBe(2);
      expect(await latch.countDown()).toBe(1);
      await thread.call('countDown', { name, kind });
      await latch.trySetCount(2);
      expect(await latch.countDown({ by: 'job' })).toBe(1);
      await latch.delete();
    });

    it('who waits in Node for a round of Java is let go where Node ends it and begins the next at once', async () => {
      const name = freshName();
      const thread = site().thread();
      const [waiting, latch] = [site().client(patient), site().client()].map((each) => each.getCountDownLatch(name));
      for (let round = 0; round < rounds; round++) {
        await thread.call('trySetCount', { name, kind, count: 2 });
        const inNode = waiting?.await(10_000);
        await site().listened('node', channelOf(name));
        // The server has both scripts then: it would run one that it has before one that it has to be sent.
        expect(await Promise.all([latch?.countDown(), latch?.trySetCount(1)])).toEqual([1, false]);
        expect(await Promise.all([latch?.countDown(), latch?.trySetCount(1)])).toEqual([0, true]);
        expect(await inNode).toBe(true);
        await latch?.delete();
        await site().abandoned(channelOf(name));
      }
    });

    it('a wait of Java ends with false at its deadline, one of Node too, and the count is as it was', async () => {
      const name = freshName();
      const thread = site().thread();
      const latch = site().client(patient).getCountDownLatch(name);
      await latch.trySetCount(1);
      expect(await thread.call<boolean>('await', { name, kind, waitMs: 100 })).toBe(false);
      expect(await latch.await(100)).toBe(false);
      expect(await thread.call<number>('count', { name, kind })).toBe(1);
      expect(await latch.delete()).toBe(true);
    });
  });
}
