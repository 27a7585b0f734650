import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type LockClient, LockUpgradeError, type RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

const kinds = {
  getLock: (client: LockClient, name: string): RLock => client.getLock(name),
  getFairLock: (client: LockClient, name: string): RLock => client.getFairLock(name),
  getFencedLock: (client: LockClient, name: string): RLock => client.getFencedLock(name),
  getSpinLock: (client: LockClient, name: string): RLock => client.getSpinLock(name),
  writeLock: (client: LockClient, name: string): RLock => client.getReadWriteLock(name).writeLock(),
  readLock: (client: LockClient, name: string): RLock => client.getReadWriteLock(name).readLock(),
};
type Kind = keyof typeof kinds;
const all = Object.keys(kinds) as Kind[];

/** What re-enters a hold of each; what does not finds the lock busy. The table is in docs/semantics.md. */
const reentering: Record<Kind, readonly Kind[]> = {
  getLock: ['getLock'],
  getFairLock: ['getFairLock'],
  getFencedLock: ['getFencedLock'],
  getSpinLock: ['getSpinLock'],
  writeLock: ['writeLock', 'readLock'],
  readLock: ['readLock'],
};

describe.each(all)('a lock held by %s', (held) => {
  it('is seen by every kind of its name, but by one side of a read-write lock: the other side, of what is read', async () => {
    const name = freshName();
    await using _hold = await kinds[held](openClient(kit), name).acquire();
    const other = openClient(kit);
    const blind = all.filter((kind) => kind === (held === 'readLock' ? 'writeLock' : 'readLock'));
    for (const kind of all)
      expect([kind, await kinds[kind](other, name).isLocked()]).toEqual([kind, !blind.includes(kind)]);
  });

  it('is re-entered by its own kind, and kept from the others', async () => {
    const [client, name] = [openClient(kit), freshName()];
    await using hold = await kinds[held](client, name).acquire();
    for (const kind of all) {
      const inside = hold.run(() => kinds[kind](client, name).tryWithLock({}, () => 'in'));
      if (held === 'readLock' && kind === 'writeLock') expect(await failureOf(inside)).toBeInstanceOf(LockUpgradeError);
      else expect([kind, (await inside).ran]).toEqual([kind, reentering[held].includes(kind)]);
    }
    expect(await hold.run(() => client.oncePer(name, 100, () => 'in'))).toEqual({ ran: false });
  });
});

describe('minHoldMs', () => {
  it('is a TypeError on both sides of a read-write lock and on a multi-lock that has one, and nothing stays held', async () => {
    const client = openClient(kit);
    const names = [freshName(), freshName(), freshName()];
    const sides = names.map((name) => client.getReadWriteLock(name).writeLock());
    const locks = [
      client.getReadWriteLock(freshName()).readLock(),
      client.getReadWriteLock(freshName()).writeLock(),
      // One of the two orders has the plain member first.
      ...sides.map((side, at) => client.getMultiLock([side, `${names[at]}-plain`])),
      ...sides.map((side, at) => client.getMultiLock([side, `a-${names[at]}`])),
    ];
    for (const lock of locks) {
      expect(await failureOf(lock.acquire({ minHoldMs: 60_000 }))).toBeInstanceOf(TypeError);
      expect(await lock.isLocked()).toBe(false);
    }
  });
});
