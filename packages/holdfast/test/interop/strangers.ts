import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import type { JavaLockKind, JavaThread } from './java-peer.js';
import { freshName, type Site } from './site.js';

/** Takes what has the name, once and without a wait; answers how to give it back, or nothing when it could not be had. */
type Take = (name: string) => Promise<(() => Promise<unknown>) | undefined>;

const javaLocks = ['plain', 'fair', 'spin', 'fenced', 'read', 'write'] as const satisfies readonly JavaLockKind[];

function javaTakes(thread: JavaThread): Record<string, Take> {
  const locks = javaLocks.map((kind): [string, Take] => [
    kind,
    async (name) => ((await thread.tryLock(name, { kind })) ? () => thread.unlock(name, { kind }) : undefined),
  ]);
  const counted = (kind: 'semaphore' | 'expirable'): Take => {
    return async (name) => {
      await thread.call('trySetPermits', { name, kind });
      const got = await thread.call<boolean | string | undefined>('tryAcquire', { name, kind });
      if (!got) return undefined;
      return () => thread.call('release', { name, kind, ...(typeof got === 'string' ? { permit: got } : {}) });
    };
  };
  return {
    ...Object.fromEntries(locks),
    semaphore: counted('semaphore'),
    expirable: counted('expirable'),
    latch: async (name) =>
      (await thread.call<boolean>('trySetCount', { name, kind: 'latch' }))
        ? () => thread.call('delete', { name, kind: 'latch' })
        : undefined,
  };
}

function nodeTakes(client: LockClient): Record<string, Take> {
  const held = async (attempt: Promise<{ release(): Promise<void> } | null>) => {
    const hold = await attempt;
    return hold === null ? undefined : () => hold.release();
  };
  return {
    lock: (name) => held(client.getLock(name).tryAcquire()),
    fair: (name) => held(client.getFairLock(name).tryAcquire()),
    spin: (name) => held(client.getSpinLock(name).tryAcquire()),
    fenced: (name) => held(client.getFencedLock(name).tryAcquire()),
    read: (name) => held(client.getReadWriteLock(name).readLock().tryAcquire()),
    write: (name) => held(client.getReadWriteLock(name).writeLock().tryAcquire()),
    semaphore: (name) => held(client.getSemaphore(name, { permits: 1 }).tryAcquire()),
    latch: async (name) => {
      const latch = client.getCountDownLatch(name);
      return (await latch.trySetCount(1)) ? () => latch.delete() : undefined;
    },
  };
}

/** What the second finds: it waits its turn, is refused with an error, or comes in beside the first. */
async function meeting(name: string, first: Take, second: Take): Promise<string> {
  const giveBack = await first(name);
  if (giveBack === undefined) throw new Error('the first could not have it');
  let found: string;
  try {
    const also = await second(name);
    found = also === undefined ? 'waits' : 'both';
    await also?.();
  } catch (error) {
    const { name: type, code } = error as Error & { code?: string };
    found = code ?? type;
  }
  await giveBack().catch(() => undefined);
  return found;
}

const lockKinds = ['lock', 'fair', 'spin', 'fenced', 'read', 'write'];
const each = (kinds: readonly string[], cell: string) => Object.fromEntries(kinds.map((kind) => [kind, cell]));

/** `Java first / Node first`: what the second finds. `both` is what `docs/redisson.md` says to keep apart. */
const withLocks = {
  ...each(lockKinds, 'waits / waits'),
  ...each(['semaphore', 'latch'], 'LOCK_REFUSED / RedisException'),
};
const withReadWrite = { ...withLocks, ...each(['lock', 'fair', 'spin', 'fenced'], 'waits / both') };
const withSemaphores = {
  ...each(lockKinds, 'LOCK_REFUSED / RedisException'),
  semaphore: 'waits / waits',
  latch: 'waits / both',
};
const withLatch = { ...each(lockKinds, 'LOCK_REFUSED / waits'), semaphore: 'both / waits', latch: 'waits / waits' };

/** What happens when each kind of Redisson's objects and each kind of holdfast's get one name. */
export function strangers(site: () => Site): void {
  describe('one name for two kinds', () => {
    it.each([
      ['plain', withLocks],
      ['fair', withLocks],
      ['spin', withLocks],
      ['fenced', withLocks],
      ['read', withReadWrite],
      ['write', withReadWrite],
      ['semaphore', withSemaphores],
      ['expirable', withSemaphores],
      ['latch', withLatch],
    ])(
      "Java's %s and each kind of Node: who comes second waits, or is refused, as the page says",
      async (kind, table) => {
        const java = javaTakes(site().thread())[kind] as Take;
        const found: Record<string, string> = {};
        const meetingOf = async (first: Take, second: Take) => {
          const name = freshName();
          const outcome = await meeting(name, first, second);
          await site().onNodeOf(name, (redis) => redis.del(name));
          await site().forgetTokens(name);
          return outcome;
        };
        for (const [own, node] of Object.entries(nodeTakes(site().client()))) {
          found[own] = `${await meetingOf(java, node)} / ${await meetingOf(node, java)}`;
        }
        expect(found).toEqual(table);
      },
    );
  });
}
