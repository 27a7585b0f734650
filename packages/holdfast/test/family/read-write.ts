import { describe, expect, it } from '@jest/globals';
import {
  type AcquireOptions,
  type Hold,
  type LockClient,
  LockClientClosedError,
  type LockClientOptions,
  LockLostError,
  LockNotHeldError,
  LockTimeoutError,
  LockUpgradeError,
  type ReadWriteLock,
  type RLock,
} from 'holdfast';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { RoomOfBoth } from '../support/room-of-both.js';
import type { Wakeup, World } from './world.js';

const SHORT: Partial<LockClientOptions> = { watchdogTimeoutMs: 1_500 };
const SHORT_LEASE_MS = 400;
const SHORT_WAIT_MS = 50;

interface Process {
  readonly client: LockClient;
  readonly both: ReadWriteLock;
}

/** What a read-write lock does beyond what its write side has in common with every exclusive lock, in each world. */
export function readWriteContract(world: World, wakeup: Wakeup): void {
  const setUp = (options: Partial<LockClientOptions> = {}) => {
    const name = freshName();
    const open = (more: Partial<LockClientOptions> = {}): Process => {
      const client = world.open({ wakeup, ...options, ...more });
      return { client, both: client.getReadWriteLock(name) };
    };
    return {
      name,
      open,
      waiting: (count: number) =>
        world.until(async () => (await world.waiters(name, wakeup)) === count, `${count} clients to wait for ${name}`),
      gone: () => world.until(async () => (await world.keysOf(name)).length === 0, `nothing of ${name} to be left`),
    };
  };
  const within = <T>(call: Promise<T>) => world.outcome(call);
  const releaseAll = (holds: readonly Hold[]) => within(Promise.all(holds.map((hold) => hold.release())));
  const read = ({ both }: Process) => within(both.readLock().acquire());
  const write = ({ both }: Process) => within(both.writeLock().acquire());
  /** Until a process that reads has heard of the writer that waits it lets its own readers in. */
  const heard = ({ both }: Process) =>
    world.until(async () => {
      const hold = await within(both.readLock().tryAcquire());
      if (hold !== null) await within(hold.release());
      return hold === null;
    }, 'the process that reads to hear of the writer');

  describe('readers', () => {
    it('of all processes hold the lock together, and leave nothing behind', async () => {
      const { open, gone } = setUp();
      const [one, two] = [open(), open()];
      const holds = [await read(one), await read(one), await read(two)];
      expect(await within(one.both.readLock().isLocked())).toBe(true);
      expect(await within(one.both.writeLock().isLocked())).toBe(false);
      expect(await within(two.both.writeLock().tryLock())).toBe(false);
      expect(holds.map(({ state }) => state)).toEqual(['held', 'held', 'held']);
      await releaseAll(holds);
      await gone();
    });

    it('keep a writer out until the last of them has gone', async () => {
      const { open, waiting } = setUp();
      const [one, two, three] = [open(), open(), open()];
      const [first, second] = [await read(one), await read(two)];
      let entered = false;
      const writer = three.both.writeLock().acquire();
      void writer.then(() => (entered = true));
      await waiting(1);
      await within(first.release());
      expect(entered).toBe(false);
      await within(second.release());
      await within((await within(writer)).release());
    });

    it('of which one never comes back keep a writer out for the rest of its lease, and no other reader loses anything', async () => {
      const { open, waiting } = setUp(SHORT);
      const [one, two, three] = [open(), open(), open()];
      const gone = await within(one.both.readLock().acquire({ leaseMs: SHORT_LEASE_MS }));
      const stays = await read(two);
      const writer = three.both.writeLock().acquire();
      if (wakeup === 'queue') await waiting(1);
      await world.until(() => gone.state === 'lost', 'the short lease to end');
      await world.until(() => two.client.stats().renewals.renewed >= 2, 'renewals of the other reader');
      expect(stays.state).toBe('held');
      expect(stays.signal.aborted).toBe(false);
      await within(stays.release());
      await within((await within(writer)).release());
    });

    it.each<[reason: string, AcquireOptions]>([
      ['expired', { leaseMs: SHORT_LEASE_MS }],
      ['max-hold', { maxHoldMs: SHORT_LEASE_MS }],
    ])('of which one has an end of its own are not kept by it, and do not keep it: %s', async (reason, terms) => {
      const one = setUp(SHORT).open();
      const before = await read(one);
      const limited = await within(one.both.readLock().acquire(terms));
      const after = await read(one);
      await world.until(() => limited.signal.aborted, 'the one to end');
      expect((limited.signal.reason as LockLostError).reason).toBe(reason);
      await world.until(() => one.client.stats().renewals.renewed >= 2, 'renewals of the others');
      expect([before.state, after.state]).toEqual(['held', 'held']);
      await releaseAll([before, after]);
    });

    it('are each told when the lock is lost, once by the release of each', async () => {
      const { open, name } = setUp(SHORT);
      const [one, two] = [open(), open()];
      const holds = [await read(one), await read(one), await read(two)];
      const told: string[] = [];
      for (const { client } of [one, two]) client.on('lost', ({ error }) => told.push(error.reason));
      await world.deleteLock(name);
      await world.until(() => holds.every(({ signal }) => signal.aborted), 'all readers to be told');
      for (const hold of holds) {
        expect(await within(failureOf(hold.release()))).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
        await within(hold.release());
      }
      expect(told).toEqual(['deleted', 'deleted', 'deleted']);
    });

    it('are all told when the lock is taken from them by force, which leaves writers alone', async () => {
      const { open } = setUp(SHORT);
      const [one, two, three] = [open(), open(), open()];
      const holds = [await read(one), await read(two)];
      expect(await within(three.both.writeLock().forceUnlock())).toBe(false);
      expect(await within(three.both.readLock().forceUnlock())).toBe(true);
      await world.until(() => holds.every(({ signal }) => signal.aborted), 'all readers to be told');
      expect(holds.map(({ signal }) => (signal.reason as LockLostError).reason)).toEqual([
        'force-unlocked',
        'force-unlocked',
      ]);
      const writer = await write(three);
      expect(await within(one.both.readLock().forceUnlock())).toBe(false);
      await within(writer.release());
    });

    it('that wait end with their deadline, their signal or their client, and nothing of them is left', async () => {
      const { open, gone } = setUp();
      const [one, two, three] = [open(), open(), open()];
      const writer = await write(one);
      const abort = new AbortController();
      const reason = new Error('no longer wanted');
      const byDeadline = failureOf(two.both.readLock().acquire({ waitMs: SHORT_WAIT_MS }));
      const bySignal = failureOf(two.both.readLock().acquire({ signal: abort.signal }));
      const byClose = failureOf(three.both.readLock().acquire());
      expect(await within(byDeadline)).toBeInstanceOf(LockTimeoutError);
      abort.abort(reason);
      expect(await within(bySignal)).toBe(reason);
      await within(three.client.close());
      expect(await within(byClose)).toBeInstanceOf(LockClientClosedError);
      await within(writer.release());
      await gone();
    });

    it('of a client that closes are lost, and the lock goes to a writer elsewhere', async () => {
      const { open, waiting } = setUp();
      const [one, two] = [open(), open()];
      const holds = [await read(one), await read(one)];
      const writer = two.both.writeLock().acquire();
      await waiting(1);
      await within(one.client.close());
      expect(holds.map(({ signal }) => (signal.reason as LockLostError).reason)).toEqual(['closed', 'closed']);
      await within((await within(writer)).release());
    });
  });

  describe('a call inside a hold', () => {
    it('of the read lock may read, also while a writer waits, and is told so when it asks to write', async () => {
      const { open, waiting } = setUp();
      const [one, two] = [open(), open()];
      let writer: Promise<Hold> | undefined;
      await within(
        one.both.readLock().withLock(async () => {
          writer = two.both.writeLock().acquire();
          await waiting(1);
          expect(await one.both.readLock().tryWithLock({}, () => one.both.readLock().getHoldCount())).toEqual({
            ran: true,
            value: 2,
          });
          expect(await failureOf(one.both.writeLock().tryLock())).toBeInstanceOf(LockUpgradeError);
          expect(await failureOf(one.both.writeLock().lock())).toMatchObject({ code: 'LOCK_UPGRADE' });
          expect(await world.waiters(one.both.name, wakeup)).toBe(1);
        }),
      );
      await within((await within(writer as Promise<Hold>)).release());
    });

    it('of the write lock may read and write, and each side gives back its own', async () => {
      const { open } = setUp();
      const [one, two] = [open(), open()];
      const { both, client } = one;
      await within(
        client.run(async () => {
          await both.writeLock().lock();
          await both.readLock().lock();
          await both.writeLock().lock();
          expect(await both.writeLock().getHoldCount()).toBe(2);
          expect(await both.readLock().getHoldCount()).toBe(1);
          await both.readLock().unlock();
          expect(await failureOf(both.readLock().unlock())).toBeInstanceOf(LockNotHeldError);
          await both.writeLock().unlock();
          expect(await two.both.readLock().tryLock()).toBe(false);
          await both.writeLock().unlock();
        }),
      );
      expect(await within(two.both.readLock().tryLock())).toBe(true);
      await within(two.both.readLock().unlock());
    });

    it('reads beside other readers inside the same write hold, and none of them may write', async () => {
      const { open } = setUp();
      const { both } = open();
      let inside = 0;
      let most = 0;
      const branch = (after: Promise<unknown>) =>
        both.readLock().withLock(async () => {
          most = Math.max(most, ++inside);
          await after;
          if (inside > 1) expect(await failureOf(both.writeLock().tryLock())).toBeInstanceOf(LockUpgradeError);
          inside--;
        });
      let go!: () => void;
      const gate = new Promise<void>((resolve) => (go = resolve));
      await within(
        both.writeLock().withLock(async () => {
          const branches = [branch(gate), branch(gate), branch(gate)];
          await world.until(() => inside === 3, 'three readers inside a writer');
          go();
          await Promise.all(branches);
        }),
      );
      expect(most).toBe(3);
    });

    it('comes in to read beside what reads there, also past a call that waits there to write', async () => {
      const { both } = setUp().open();
      await within(
        both.writeLock().withLock(async () => {
          const reading = await both.readLock().acquire();
          const writing = await reading.run(() => both.writeLock().acquire());
          const writer = both.writeLock().acquire();
          const reader = both.readLock().acquire();
          await writing.release();
          await releaseAll([await within(reader), reading]);
          await (await within(writer)).release();
        }),
      );
    });

    it('waits to read while another branch writes inside the same holds', async () => {
      const { both } = setUp().open();
      await within(
        both.writeLock().withLock(() =>
          both.readLock().withLock(async () => {
            const writing = await both.writeLock().acquire();
            expect(await both.readLock().tryAcquire()).toBeNull();
            expect(await writing.run(() => both.readLock().tryWithLock({}, () => 'read'))).toMatchObject({ ran: true });
            const reader = both.readLock().acquire();
            await writing.release();
            await (await reader).release();
          }),
        ),
      );
    });

    it('reads beside other readers where it comes in when the write hold around it has ended', async () => {
      const { open } = setUp();
      const [one, two] = [open(), open()];
      const around = await write(one);
      const writing = await within(around.run(() => one.both.writeLock().acquire()));
      const reader = around.run(() => one.both.readLock().acquire());
      await within(around.release());
      await within(writing.release());
      const holds = [await within(reader), await read(one), await read(two)];
      await releaseAll(holds);
    });

    it('goes on reading when the write hold around it ends: then other readers come in, and writers do not', async () => {
      const { open, waiting } = setUp();
      const [one, two, three] = [open(), open(), open()];
      const writer = await write(one);
      const reader = await within(writer.run(() => one.both.readLock().acquire()));
      const otherWriter = three.both.writeLock().acquire();
      const otherReader = two.both.readLock().acquire();
      await waiting(2);
      await within(writer.release());
      const joined = await within(otherReader);
      expect(await within(two.both.writeLock().tryLock())).toBe(false);
      expect(reader.state).toBe('held');
      await within(reader.release());
      await within(joined.release());
      await within((await within(otherWriter)).release());
    });

    it('hands writers of its process on to the line when the write hold around it ends', async () => {
      const { open, gone } = setUp();
      const one = open();
      const writer = await write(one);
      const reader = await within(writer.run(() => one.both.readLock().acquire()));
      const next = one.both.writeLock().acquire();
      await within(writer.release());
      expect(reader.state).toBe('held');
      await within(reader.release());
      await within((await within(next)).release());
      await gone();
    });

    it('hands them on to no other lock of the client', async () => {
      const { open, name, gone } = setUp();
      const one = open();
      const writer = await write(one);
      const reader = await within(writer.run(() => one.both.readLock().acquire()));
      const seen: string[] = [];
      const next = one.both.writeLock().withLock(() => seen.push('written'));
      await within(writer.release());
      await within(one.client.getLock(`${name}:other`).withLock(() => seen.push('the other lock was had')));
      seen.push('read');
      await within(reader.release());
      await within(next);
      expect(seen).toEqual(['the other lock was had', 'read', 'written']);
      await gone();
    });

    it('of an explicit owner is known by it', async () => {
      const { open, name } = setUp();
      const { client } = open();
      const mine = client.getReadWriteLock(name, { owner: 'mine' });
      const yours = client.getReadWriteLock(name, { owner: 'yours' });
      await within(mine.readLock().lock());
      await within(yours.readLock().lock());
      expect(await within(failureOf(mine.writeLock().tryLock()))).toBeInstanceOf(LockUpgradeError);
      await within(mine.readLock().unlock());
      expect(await within(mine.writeLock().tryLock())).toBe(false);
      await within(yours.readLock().unlock());
      expect(await within(mine.writeLock().tryLock())).toBe(true);
      await within(mine.writeLock().unlock());
    });

    it('that is lost gets nothing afresh, to read or to write', async () => {
      const { open, name } = setUp(SHORT);
      const { both } = open();
      const section = both.writeLock().withLock(async (hold) => {
        await world.deleteLock(name);
        await world.until(() => hold.signal.aborted, 'the loss to be noticed');
        expect(await within(failureOf(both.readLock().acquire()))).toBeInstanceOf(LockLostError);
        expect(await within(failureOf(both.writeLock().acquire()))).toBeInstanceOf(LockLostError);
      });
      expect(await within(failureOf(section))).toBeInstanceOf(LockLostError);
    });
  });

  describe('a call beside the lock() of its run, which still waits', () => {
    const inRun = ({ client }: Process, calls: () => readonly Promise<unknown>[], side: RLock) =>
      within(
        client.run(async () => {
          const outcomes = await Promise.allSettled(calls());
          await side.unlock();
          return outcomes;
        }),
      );
    const sidesOf = (both: ReadWriteLock) => ({ reading: both.readLock(), writing: both.writeLock() });

    it('comes in with it to read', async () => {
      const { open, gone } = setUp();
      const one = open();
      const { reading, writing } = sidesOf(one.both);
      const section = () => reading.withLock(() => writing.getHoldCount());
      const outcomes = await inRun(one, () => [writing.lock(), section()], writing);
      expect(outcomes[1]).toEqual({ status: 'fulfilled', value: 1 });
      await gone();
    });

    if (wakeup === 'queue')
      it('comes in with it to read, also where it was made before', async () => {
        const { open, name, waiting, gone } = setUp();
        const [one, two] = [open(), open()];
        const { reading, writing } = sidesOf(one.client.getReadWriteLock(name, { writersFirst: true }));
        const other = await within(two.client.getReadWriteLock(name, { writersFirst: true }).writeLock().acquire());
        const section = () => reading.withLock(() => writing.getHoldCount());
        const outcomes = inRun(one, () => [section(), writing.lock()], writing);
        await waiting(2);
        await within(other.release());
        expect((await outcomes)[0]).toEqual({ status: 'fulfilled', value: 1 });
        await gone();
      });

    it('is told that it cannot write where that one reads', async () => {
      const { open, gone } = setUp();
      const one = open();
      const { reading, writing } = sidesOf(one.both);
      const calls = () => [reading.lock(), writing.withLock(() => undefined), writing.acquire()];
      const outcomes = await inRun(one, calls, reading);
      const refused = { status: 'rejected', reason: expect.any(LockUpgradeError) };
      expect(outcomes).toEqual([{ status: 'fulfilled' }, refused, refused]);
      await gone();
    });

    it('comes in with it also where both have an explicit owner', async () => {
      const { open, name, gone } = setUp();
      const { client } = open();
      const { reading, writing } = sidesOf(client.getReadWriteLock(name, { owner: 'mine' }));
      await releaseAll(await within(Promise.all([writing.acquire(), reading.acquire()])));
      await gone();
    });
  });

  if (wakeup === 'queue')
    describe('taking turns', () => {
      it('no reader comes in past a writer that waits, in its process or in another', async () => {
        const { open, waiting } = setUp();
        const [one, two, three] = [open(), open(), open()];
        const reader = await read(one);
        const order: string[] = [];
        const note = (what: string) => async () => void order.push(what);
        const writer = two.both.writeLock().withLock(note('writer'));
        await waiting(1);
        await heard(one);
        const late = [one, three].map(({ both }) => both.readLock().withLock(note('late reader')));
        await waiting(3);
        expect(order).toEqual([]);
        await within(reader.release());
        await within(Promise.all([writer, ...late]));
        expect(order).toEqual(['writer', 'late reader', 'late reader']);
      });

      it('all readers that wait come in together when the writer has gone, before the next writer', async () => {
        const { open, waiting } = setUp();
        const [one, two, three, four] = [open(), open(), open(), open()];
        const first = await write(one);
        const second = two.both.writeLock().acquire();
        await waiting(1);
        const readers = [three, four, four].map(({ both }) => both.readLock().acquire());
        await waiting(3);
        await within(first.release());
        const holds = await within(Promise.all(readers));
        expect(await world.waiters(one.both.name, wakeup)).toBe(1);
        await releaseAll(holds);
        await within((await within(second)).release());
      });

      it('a writer that gives up lets in the readers that waited behind it', async () => {
        // No reader gets in by asking again.
        const { open, waiting } = setUp({ reaskMs: 40_000, claimLeaseMs: 70_000, watchdogTimeoutMs: 90_000 });
        const [one, two, three] = [open(), open(), open()];
        const reader = await read(one);
        const abort = new AbortController();
        const writer = failureOf(two.both.writeLock().acquire({ signal: abort.signal }));
        await waiting(1);
        await heard(one);
        const behind = [one, three].map(({ both }) => both.readLock().acquire());
        await waiting(3);
        abort.abort(new Error('no longer wanted'));
        await within(writer);
        await releaseAll([...(await within(Promise.all(behind))), reader]);
      });

      it('neither side starves while both always want the lock', async () => {
        const { open } = setUp();
        const processes = [open(), open(), open()];
        const served = { read: 0, write: 0 };
        const room = new RoomOfBoth();
        const want = async ({ both }: Process, side: 'read' | 'write') => {
          const lock = side === 'read' ? both.readLock() : both.writeLock();
          while (served.read < 30 || served.write < 10) {
            await lock.withLock(() => room.visit(side));
            served[side]++;
          }
        };
        await within(
          Promise.all(
            processes.flatMap((process) => [...[want(process, 'read'), want(process, 'read')], want(process, 'write')]),
          ),
        );
        expect(room.faults).toEqual([]);
        expect(room.mostReaders).toBeGreaterThan(1);
      });

      it('with writersFirst a free lock goes to the writer that waits, whatever came before', async () => {
        const { open, name, waiting } = setUp();
        const handles = [open(), open(), open()].map(({ client }) =>
          client.getReadWriteLock(name, { writersFirst: true }),
        );
        const [one, two, three] = handles as [ReadWriteLock, ReadWriteLock, ReadWriteLock];
        const first = await within(one.writeLock().acquire());
        const order: string[] = [];
        const reader = two.readLock().withLock(async () => void order.push('reader'));
        await waiting(1);
        const writer = three.writeLock().withLock(async () => void order.push('writer'));
        await waiting(2);
        await within(first.release());
        await within(Promise.all([reader, writer]));
        expect(order).toEqual(['writer', 'reader']);
      });

      it.each([
        ['all calls in the process that holds it', [0, 0, 0, 0, 0]],
        ['the writers in the process that holds it, the readers in others', [0, 1, 0, 2, 0]],
        ['all calls in one other process', [1, 1, 1, 1, 1]],
        ['the readers in the process that holds it, the writers in others', [1, 0, 2, 0, 1]],
        ['each call in a process of its own', [1, 2, 3, 4, 5]],
      ])('with writersFirst all writers that wait come before the readers: %s', async (_, places) => {
        const { open, name, waiting } = setUp();
        const locks = Array.from({ length: 6 }, () => open().client.getReadWriteLock(name, { writersFirst: true }));
        const first = await within((locks[0] as ReadWriteLock).writeLock().acquire());
        const order: string[] = [];
        const inLine = new Set<string>();
        const calls: Promise<void>[] = [];
        for (const [index, place] of places.entries()) {
          const both = locks[place] as ReadWriteLock;
          const [side, lock] = index % 2 === 0 ? ['write', both.writeLock()] : ['read', both.readLock()];
          calls.push(lock.withLock(() => void order.push(side)));
          if (side === 'read' || place !== 0) inLine.add(`${side} ${place}`);
          await waiting(inLine.size);
        }
        await within(first.release());
        await within(Promise.all(calls));
        expect(order).toEqual(['write', 'write', 'write', 'read', 'read']);
      });
    });

  describe('a lock of another kind on the name', () => {
    it('keeps readers and writers out, and they keep it out', async () => {
      const { open, name } = setUp();
      const [one, two] = [open(), open()];
      const plain = two.client.getLock(name);
      const holds = [await read(one), await read(one)];
      expect(await within(plain.tryLock())).toBe(false);
      expect(await within(plain.isLocked())).toBe(true);
      expect((await within(two.client.inspect(name))).owner).toMatchObject({ holdCount: 1, kind: 'holdfast' });
      await releaseAll(holds);
      const writer = await write(one);
      expect(await within(plain.tryLock())).toBe(false);
      await within(writer.release());
      expect(await within(plain.tryLock())).toBe(true);
      expect(await within(one.both.readLock().tryLock())).toBe(false);
      expect(await within(one.both.writeLock().tryLock())).toBe(false);
      expect(await within(one.both.writeLock().isLocked())).toBe(true);
      const waits = one.both.readLock().acquire();
      await within(plain.unlock());
      await within((await within(waits)).release());
    });
  });
}
