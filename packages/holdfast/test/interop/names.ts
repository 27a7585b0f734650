import { describe, expect, it } from '@jest/globals';
import { freshName, patient, type Site } from './site.js';

/** Both sides name keys and channels alike. */
export function names(site: () => Site, topology: Site['topology']): void {
  /** Whoever waits on one side is woken by the other, and both listen to exactly this channel. */
  const wakeEachOther = async (java: string, node: string, channel: string) => {
    const thread = site().thread();
    const lock = site().client(patient).getLock(node);
    await thread.lock(java);
    const waiting = lock.acquire();
    await site().listened('node', channel);
    await thread.unlock(java);
    const hold = await waiting;
    // Node listens until it has released.
    const before = await site().listeners(channel);
    const inJava = thread.lock(java);
    await site().joined(channel, before);
    await hold.release();
    await inJava;
    expect(Object.keys(await site().fields(java))).toEqual([await thread.ownField()]);
    await thread.unlock(java);
  };

  describe('names', () => {
    // In a Cluster Redisson takes `}x{y}` to another slot than Redis does.
    const anywhere = [
      ['plain', 'redisson_lock__channel:{plain}'],
      ['замок ☃', 'redisson_lock__channel:{замок ☃}'],
      ['{order}:7', 'redisson_lock__channel:{order}:7'],
      ['a{b}c', 'redisson_lock__channel:a{b}c'],
    ] as const;
    it.each(topology === 'cluster' ? anywhere : [...anywhere, ['}x{y}', 'redisson_lock__channel:}x{y}'] as const])(
      '%j has the key of that name and the channel %j on both sides',
      async (name, channel) => {
        await wakeEachOther(name, name, channel);
      },
    );

    it("Redisson's unlock leaves nothing but its latch for a while, a release of Node nothing at all", async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client().getLock(name);
      for (let round = 0; round < 5; round++) {
        await thread.lock(name);
        await thread.unlock(name);
        await lock.withLock(() => undefined);
      }
      const keys = await site().onNodeOf(name, async (redis) => {
        await redis.pttl(name); // so that another node says MOVED
        return redis.keys(`*${name}*`);
      });
      expect(keys.filter((key) => !key.startsWith(`redisson_unlock_latch:{${name}}:`))).toEqual([]);
      for (const key of keys) expect(await site().pttl(key)).not.toBe(-1);
    });
  });
}
