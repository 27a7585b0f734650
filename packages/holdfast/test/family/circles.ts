import { describe, expect, it } from '@jest/globals';
import { type LockClientOptions, LockDeadlockError } from 'holdfast';
import { freshName } from '../support/clients.js';
import { Gate } from '../support/room.js';
import { crossing } from './crossing.js';
import type { Wakeup, World } from './world.js';

/** Circles of waits that go through the line of a read-write lock, in each world: a reader who comes when a writer waits stands behind that one. */
export function circleContract(world: World, wakeup: Wakeup): void {
  const inLine = wakeup === 'queue';

  /** A process, and its calls one after the other: each stands where it is to stand before the next is made. */
  const setUp = (settings: Partial<LockClientOptions> = {}) => {
    const name = freshName();
    const open = (options: Partial<LockClientOptions> = {}) => {
      const client = world.open({ wakeup, ...options });
      return { client, book: client.getReadWriteLock(name), account: client.getLock(`${name}-account`) };
    };
    const mine = open({ deadlocks: 'refuse', ...settings });
    const told: string[][] = [];
    mine.client.on('deadlock', ({ waits }) => told.push(waits.map((wait) => wait.name)));
    return {
      ...mine,
      open,
      told,
      name,
      /** Until the process has made so many calls, none of which comes in. */
      called: (count: number) =>
        world.until(() => mine.client.stats().acquisitions.tried === count, `call number ${count}`),
      /** Until so many of its tenures, and of other processes, stand in line. */
      waiting: (count: number) =>
        world.until(async () => (await world.waiters(name, wakeup)) === count, `${count} to wait for ${name}`),
    };
  };
  /** What calls have come to, whenever each ends. */
  const outcomesOf = async (...calls: readonly Promise<unknown>[]): Promise<unknown[]> => {
    const all = await Promise.allSettled(calls);
    return all.map((one): unknown => (one.status === 'fulfilled' ? one.value : one.reason));
  };

  describe('a reader behind a writer of its process', () => {
    it.each([
      ['the reader in line', ['mayWant', 'mayRead']],
      ['the reader who is in', ['mayRead', 'mayWant']],
    ] as const)(
      'waits for the readers who are in, and %s is refused who closes a circle of them',
      async (closing, order) => {
        const { name, book, account, told, called, waiting } = setUp();
        const { reader, owner, areIn, ...gates } = crossing(book, account);
        await world.outcome(areIn);
        const writer = book.writeLock().withLock(() => 'writer');
        const outcomes = outcomesOf(reader, owner, writer);
        if (inLine) await waiting(1);
        for (const [before, gate] of order.entries()) {
          gates[gate].open();
          await called(4 + before);
        }
        const refused = expect.any(LockDeadlockError);
        // Where nobody stands in line the reader comes in past the writer.
        const [ofReader, ofOwner] = !inLine
          ? ['reader', 'owner']
          : closing === 'the reader who is in'
            ? [refused, 'owner']
            : ['reader', refused];
        expect(await world.outcome(outcomes)).toEqual([ofReader, ofOwner, 'writer']);
        const waits = closing === 'the reader who is in' ? [`${name}-account`, name] : [name, `${name}-account`];
        expect(told).toEqual(inLine ? [waits] : []);
      },
    );

    it('waits on when that writer gives up by himself', async () => {
      // His place in line lasts until he asks again, and longer.
      const { book, account, told, called, waiting } = setUp({ reaskMs: 200 });
      const { reader, owner, areIn, mayWant, mayRead } = crossing(book, account);
      await world.outcome(areIn);
      const writer = book.writeLock().tryWithLock({ waitMs: 1_000 }, () => undefined);
      await called(3);
      if (inLine) await waiting(1);
      mayRead.open();
      await called(4);
      mayWant.open();
      const outcomes = await world.outcome(outcomesOf(reader, owner, writer));
      expect(outcomes).toEqual(['reader', 'owner', inLine ? { ran: false } : expect.anything()]);
      expect(told).toEqual([]);
    });
  });

  if (!inLine) return;

  describe('a reader in line', () => {
    it('waits on when it was let in with the other reader, of whom it hears first', async () => {
      const { book, account, told, called, waiting, open } = setUp();
      const other = open();
      const before = await world.outcome(book.readLock().acquire());
      const others = other.book.writeLock().acquire();
      await waiting(1);
      const writer = book.writeLock().withLock(() => 'writer');
      await called(2);
      await waiting(2);
      const reader = book.readLock().withLock(() => account.withLock(() => 'reader'));
      await called(3);
      await waiting(3);
      // A lease of its own, and so a place of its own.
      const owner = account.withLock(() => book.readLock().withLock({ leaseMs: 5_000 }, () => 'owner'));
      await called(5);
      await waiting(4);
      await world.outcome(before.release());
      await world.outcome((await world.outcome(others)).release());
      const outcomes = await world.outcome(outcomesOf(reader, owner, writer));
      expect(outcomes).toEqual(['reader', 'owner', 'writer']);
      expect(told).toEqual([]);
    });

    it('waits on when that writer waits in the process for another, behind whom readers come first', async () => {
      const { book, account, told, called, waiting } = setUp();
      const first = await world.outcome(book.writeLock().acquire());
      const { reader, owner, areIn, mayWant, mayRead } = crossing(book, account, (read) => first.run(read));
      await world.outcome(areIn);
      const writer = book.writeLock().withLock(() => 'writer');
      await called(4);
      mayRead.open();
      await called(5);
      await waiting(1);
      const released = first.release();
      mayWant.open();
      const outcomes = await world.outcome(outcomesOf(reader, owner, writer, released));
      expect(outcomes).toEqual(['reader', 'owner', 'writer', undefined]);
      expect(told).toEqual([]);
    });

    it('waits on when it joins one who is let in as the write hold around the other reader ends', async () => {
      const { book, account, told, called, waiting } = setUp();
      const [reads, mayEnd, hasAccount, mayRead] = [new Gate(), new Gate(), new Gate(), new Gate()];
      const first = await world.outcome(book.writeLock().acquire());
      const owner = account.withLock(async () => {
        hasAccount.open();
        await mayRead.opened;
        return book.readLock().withLock(() => 'owner');
      });
      await world.outcome(hasAccount.opened);
      const reader = first.run(() =>
        book.readLock().withLock(async () => {
          reads.open();
          return account.withLock(() => 'reader');
        }),
      );
      await world.outcome(reads.opened);
      await called(4);
      // It stands in line by itself, and is let in when the writer goes on as a reader.
      const inLineBefore = book.readLock().withLock(() => mayEnd.opened);
      await called(5);
      await waiting(1);
      const writer = book.writeLock().withLock(() => 'writer');
      await called(6);
      const released = first.release();
      mayRead.open();
      await called(7);
      mayEnd.open();
      const outcomes = await world.outcome(outcomesOf(reader, owner, writer, released, inLineBefore));
      expect(outcomes).toEqual(['reader', 'owner', 'writer', undefined, undefined]);
      expect(told).toEqual([]);
    });

    it('is refused who closes a circle when he joins one who stands behind the writer', async () => {
      const { name, book, account, told, called, waiting } = setUp();
      const { reader, owner, areIn, mayWant, mayRead } = crossing(book, account);
      await world.outcome(areIn);
      const writer = book.writeLock().withLock(() => 'writer');
      await waiting(1);
      const inLineBefore = book.readLock().withLock(() => 'in line before');
      await waiting(2);
      mayWant.open();
      await called(5);
      mayRead.open();
      const outcomes = await world.outcome(outcomesOf(reader, owner, writer, inLineBefore));
      expect(outcomes).toEqual(['reader', expect.any(LockDeadlockError), 'writer', 'in line before']);
      expect(told).toEqual([[name, `${name}-account`]]);
    });
  });
}
