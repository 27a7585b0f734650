import { describe, expect, it } from '@jest/globals';
import { channelOf, freshName, patient, type Site } from './site.js';

/** One counter of tokens for both sides. */
export function fenced(site: () => Site): void {
  describe('fenced locks', () => {
    it('tokens of both sides are of one counter: each is higher than the one before, and one of Java is the next number', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client().getFencedLock(name);
      const key = `redisson_lock_token:{${name}}`;
      const tokens: number[] = [];
      for (let round = 0; round < 5; round++) {
        const before = Number(await site().onNodeOf(key, (redis) => redis.get(key)));
        await thread.lock(name, { kind: 'fenced' });
        const token = await thread.call<number>('token', { name, kind: 'fenced' });
        expect(token).toBe(before + 1);
        tokens.push(token);
        await thread.unlock(name, { kind: 'fenced' });
        const hold = await lock.acquire();
        tokens.push(hold.token);
        await hold.release();
      }
      expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
      await site().forgetTokens(name);
    });

    it('each side waits for the other and is woken by its release, and the token of who comes later is higher', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client(patient).getFencedLock(name);
      await thread.lock(name, { kind: 'fenced' });
      const first = await thread.call<number>('token', { name, kind: 'fenced' });
      const waiting = lock.acquire();
      await site().listened('node', channelOf(name));
      await thread.unlock(name, { kind: 'fenced' });
      const hold = await waiting;
      expect(hold.token).toBeGreaterThan(first);
      const before = await site().listeners(channelOf(name));
      const inJava = thread.lock(name, { kind: 'fenced' });
      await site().joined(channelOf(name), before);
      await hold.release();
      await inJava;
      expect(await thread.call<number>('token', { name, kind: 'fenced' })).toBeGreaterThan(hold.token);
      await thread.unlock(name, { kind: 'fenced' });
      await site().forgetTokens(name);
    });
  });
}
