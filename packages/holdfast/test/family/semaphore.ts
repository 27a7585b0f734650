import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type LockClient,
  LockClientClosedError,
  type LockClientOptions,
  type LockDiagnostics,
  LockLostError,
  LockNotHeldError,
  LockRefusedError,
  LockScopeError,
  LockTimeoutError,
  type PermitHold,
  type RSemaphore,
} from 'holdfast';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import type { Wakeup, World } from './world.js';

const SHORT: Partial<LockClientOptions> = { watchdogTimeoutMs: 1_500 };
const SHORT_LEASE_MS = 400;
const SHORT_WAIT_MS = 50;

interface Process {
  readonly client: LockClient;
  readonly semaphore: RSemaphore;
}

/** What a semaphore does, in each world and each way of waking up. */
export function semaphoreContract(world: World, wakeup: Wakeup): void {
  const names: string[] = [];
  const freshSemaphore = () => {
    const name = freshName();
    names.push(name);
    return name;
  };
  // Its counter stays until somebody deletes it.
  afterEach(async () => {
    for (const name of names.splice(0)) await world.deleteLock(name);
  });
  const setUp = (permits: number, options: Partial<LockClientOptions> = {}) => {
    const name = freshSemaphore();
    const open = (more: Partial<LockClientOptions> = {}): Process => {
      const client = world.open({ wakeup, ...options, ...more });
      return { client, semaphore: client.getSemaphore(name, { permits }) };
    };
    return {
      name,
      open,
      waiting: (count: number) =>
        world.until(async () => (await world.waiters(name, wakeup)) === count, `${count} to wait for ${name}`),
      /** Only the counter stays, with all permits in it. */
      untouched: async (semaphore: RSemaphore) => {
        await world.until(async () => (await world.keysOf(name)).join() === name, `nothing but ${name} to be left`);
        expect(await world.outcome(semaphore.availablePermits())).toBe(permits);
      },
    };
  };
  const within = <T>(call: Promise<T>) => world.outcome(call);
  const take = ({ semaphore }: Process, permits?: number) => within(semaphore.acquire(permits));
  const releaseAll = (holds: readonly PermitHold[]) => within(Promise.all(holds.map((hold) => hold.release())));

  it('gives out as many permits as it has, to all processes together, and leaves nothing behind', async () => {
    const { open, untouched } = setUp(3);
    const [one, two] = [open(), open()];
    const holds = [await take(one), await take(one), await take(two)];
    expect(holds.map(({ state, permits, name }) => [state, permits, name])).toEqual(
      holds.map(() => ['held', 1, one.semaphore.name]),
    );
    expect(await within(one.semaphore.tryAcquire())).toBeNull();
    expect(await within(two.semaphore.tryAcquire(1, SHORT_WAIT_MS))).toBeNull();
    expect(await within(two.semaphore.availablePermits())).toBe(0);
    await releaseAll(holds);
    await untouched(two.semaphore);
  });

  it('gives a call all the permits that it wants at once, or none', async () => {
    const { open, untouched } = setUp(3);
    const [one, two] = [open(), open()];
    const both = await take(one, 2);
    expect(both.permits).toBe(2);
    expect(await within(two.semaphore.tryAcquire(2))).toBeNull();
    expect(await within(two.semaphore.availablePermits())).toBe(1);
    const third = await within(two.semaphore.tryAcquire(1));
    expect(third?.permits).toBe(1);
    await releaseAll([both, third as PermitHold]);
    await untouched(one.semaphore);
  });

  it('gives permits that come back to who waits for them', async () => {
    const { open, waiting, untouched } = setUp(1);
    const [one, two] = [open(), open()];
    const held = await take(one);
    const waiter = two.semaphore.acquire();
    await waiting(1);
    await within(held.release());
    await within((await within(waiter)).release());
    await untouched(one.semaphore);
  });

  it('takes permits back in parts, and keeps the rest', async () => {
    const { open, waiting, untouched } = setUp(3);
    const [one, two] = [open(), open()];
    const three = await take(one, 3);
    const waiter = two.semaphore.acquire(2);
    await waiting(1);
    await within(three.release(1));
    expect(three.permits).toBe(2);
    expect(await within(one.semaphore.availablePermits())).toBe(1);
    await within(three.release(1));
    const two_ = await within(waiter);
    expect([three.permits, three.state, two_.permits]).toEqual([1, 'held', 2]);
    await expect(three.release(2)).rejects.toBeInstanceOf(RangeError);
    await releaseAll([three, two_]);
    expect([three.permits, three.state]).toEqual([0, 'released']);
    await within(three.release());
    await untouched(one.semaphore);
  });

  it('takes back by the handle what was acquired through it, oldest first, and no more than that', async () => {
    const { open, untouched } = setUp(3);
    const [one, two] = [open(), open()];
    const [first, second] = [await take(one, 2), await take(one, 1)];
    expect(await within(failureOf(two.semaphore.release()))).toBeInstanceOf(LockNotHeldError);
    expect(await within(failureOf(one.semaphore.release(4)))).toBeInstanceOf(LockNotHeldError);
    await within(one.semaphore.release());
    expect([first.permits, second.permits]).toEqual([1, 1]);
    await within(one.semaphore.release(2));
    expect([first.state, second.state]).toEqual(['released', 'released']);
    await untouched(two.semaphore);
  });

  it('takes the permits of a process that never comes back from it when its lease is over, and from no other', async () => {
    const { open, untouched } = setUp(2, SHORT);
    const [one, two, three] = [open(), open(), open()];
    const gone = await within(one.semaphore.acquire(1, { leaseMs: SHORT_LEASE_MS }));
    const stays = await take(two);
    const waiter = three.semaphore.acquire();
    await world.until(() => gone.state === 'lost', 'the short lease to end');
    const third = await within(waiter);
    await world.until(() => two.client.stats().renewals.renewed >= 2, 'renewals of the other process');
    expect([stays.state, third.state]).toEqual(['held', 'held']);
    expect(gone.signal.reason).toMatchObject({ reason: 'expired' });
    expect(await within(failureOf(gone.release()))).toBeInstanceOf(LockLostError);
    await within(gone.release());
    await releaseAll([stays, third]);
    await untouched(one.semaphore);
  });

  it('tells the release by the handle that permits were lost, when all that is held has been given back', async () => {
    const { open, untouched } = setUp(2, SHORT);
    const one = open();
    const lost = await within(one.semaphore.acquire(1, { maxHoldMs: SHORT_LEASE_MS }));
    await world.until(() => lost.state === 'lost', 'the longest hold to end');
    const other = await take(one);
    await within(one.semaphore.release());
    expect(other.state).toBe('released');
    expect(await within(failureOf(one.semaphore.release()))).toBeInstanceOf(LockLostError);
    expect(await within(failureOf(one.semaphore.release()))).toBeInstanceOf(LockNotHeldError);
    await untouched(one.semaphore);
  });

  it('keeps permits whose lease never ends until they are given back', async () => {
    const { open, waiting, name } = setUp(1, SHORT);
    const [one, two] = [open(), open()];
    const first = await within(one.semaphore.acquire(1, { leaseMs: 'never' }));
    const waiter = two.semaphore.acquire(1, { leaseMs: 'never' });
    await waiting(1);
    await within(first.release());
    const second = await within(waiter);
    // Granted by message for a claim at first.
    await world.until(() => second.remainingMs() > 86_400_000, 'the lease to be without end');
    expect(second.state).toBe('held');
    await within(second.release());
    await world.until(async () => (await world.keysOf(name)).join() === name, 'nothing to be left');
  });

  it('gives permits that were granted to a process which has gone to the next one', async () => {
    const { open, waiting, untouched } = setUp(1);
    const [one, two, three] = [open(), open(), open()];
    const held = await take(one);
    const byClose = failureOf(two.semaphore.acquire());
    await waiting(1);
    const waiter = three.semaphore.acquire();
    await waiting(2);
    await within(two.client.close());
    expect(await byClose).toBeInstanceOf(LockClientClosedError);
    await within(held.release());
    await within((await within(waiter)).release());
    await untouched(one.semaphore);
  });

  it('ends a wait with its deadline and its signal, and nothing of it is left', async () => {
    const { open, untouched } = setUp(1);
    const [one, two] = [open(), open()];
    const held = await take(one);
    const abort = new AbortController();
    const reason = new Error('no longer wanted');
    const byDeadline = failureOf(two.semaphore.acquire(1, { waitMs: SHORT_WAIT_MS }));
    const bySignal = failureOf(two.semaphore.acquire(1, { signal: abort.signal }));
    expect(await within(byDeadline)).toBeInstanceOf(LockTimeoutError);
    abort.abort(reason);
    expect(await within(bySignal)).toBe(reason);
    await within(held.release());
    await untouched(one.semaphore);
  });

  it('takes the permits of a client that closes, and tells it', async () => {
    const { open, untouched } = setUp(2);
    const [one, two] = [open(), open()];
    const holds = [await take(one), await take(one)];
    const waiter = two.semaphore.acquire(2);
    await within(one.client.close());
    expect(holds.map(({ signal }) => signal.reason)).toMatchObject([{ reason: 'closed' }, { reason: 'closed' }]);
    await within((await within(waiter)).release());
    await untouched(two.semaphore);
  });

  it('runs a section with permits and gives them back, whatever comes of it', async () => {
    const { open, untouched } = setUp(2);
    const one = open();
    const { semaphore } = one;
    expect(await within(semaphore.withPermits((hold) => hold.permits))).toBe(1);
    const full = semaphore.withPermits({ permits: 2 }, async () => {
      expect(await semaphore.tryWithPermits({}, () => 'in')).toEqual({ ran: false });
      throw new Error('the section failed');
    });
    await expect(within(full)).rejects.toThrow('the section failed');
    expect(await within(semaphore.tryWithPermits({ permits: 2 }, () => 'in'))).toEqual({ ran: true, value: 'in' });
    expect(await within(failureOf(semaphore.release()))).toBeInstanceOf(LockNotHeldError);
    await untouched(semaphore);
  });

  it('has no permits until somebody sets them, and then as many as the first has said', async () => {
    const name = freshSemaphore();
    const client = world.open({ wakeup });
    const semaphore = client.getSemaphore(name);
    const refused = await within(failureOf(semaphore.acquire()));
    expect(refused).toBeInstanceOf(LockRefusedError);
    expect(refused).toMatchObject({ redisCode: 'NOTINITIALIZED' });
    expect(await within(semaphore.availablePermits())).toBe(0);
    expect(await within(semaphore.trySetPermits(2))).toBe(true);
    expect(await within(semaphore.trySetPermits(5))).toBe(false);
    expect(await within(client.getSemaphore(name, { permits: 9 }).tryAcquire(3))).toBeNull();
    expect(await within(semaphore.availablePermits())).toBe(2);
  });

  it('can be made larger and smaller while permits of it are in use', async () => {
    const { open, waiting, name } = setUp(1);
    const [one, two] = [open(), open()];
    const held = await take(one);
    const waiter = two.client.getSemaphore(name).acquire(2);
    await waiting(1);
    await within(one.semaphore.addPermits(2));
    const more = await within(waiter);
    await within(one.semaphore.setPermits(2));
    expect(await within(two.semaphore.availablePermits())).toBe(-1);
    await within(more.release());
    expect(await within(two.semaphore.availablePermits())).toBe(1);
    await within(one.semaphore.addPermits(-1));
    await within(held.release());
    expect(await within(two.semaphore.availablePermits())).toBe(1);
  });

  it('gives all its permits to who drains it', async () => {
    const { open, untouched } = setUp(5);
    const [one, two] = [open(), open()];
    const held = await take(two, 2);
    expect(await within(one.semaphore.drainPermits())).toBe(3);
    expect(await within(one.semaphore.drainPermits())).toBe(0);
    await within(one.semaphore.release(3));
    await within(held.release());
    await untouched(two.semaphore);
  });

  it('has nothing left behind who drains it while others take permits', async () => {
    const { open, untouched } = setUp(5);
    const [one, two] = [open(), open()];
    const held = await take(two);
    expect(await within(one.semaphore.availablePermits())).toBe(4);
    const [drained, taken] = await within(Promise.all([one.semaphore.drainPermits(), two.semaphore.tryAcquire()]));
    expect(drained + (taken?.permits ?? 0)).toBe(4);
    expect(await within(two.semaphore.availablePermits())).toBe(0);
    await within(one.semaphore.release(drained));
    await releaseAll(taken === null ? [held] : [held, taken]);
    await untouched(two.semaphore);
  });

  it('begins with the permits of who drains it first, as of who acquires', async () => {
    const { open, untouched } = setUp(5);
    const { semaphore } = open();
    expect(await within(semaphore.drainPermits())).toBe(5);
    expect(await within(semaphore.tryAcquire())).toBeNull();
    await within(semaphore.release(5));
    await untouched(semaphore);
  });

  it('whose permits nobody has set is refused to who drains it', async () => {
    const unset = setUp(1).open().client.getSemaphore(freshSemaphore());
    expect(await within(failureOf(unset.drainPermits()))).toMatchObject({ redisCode: 'NOTINITIALIZED' });
  });

  it('is not drained by a call whose signal has aborted, whether permits are free or not', async () => {
    const { open, untouched } = setUp(2);
    const one = open();
    const drain = () => failureOf(one.semaphore.drainPermits({ signal: AbortSignal.abort('enough') }));
    expect(await within(drain())).toBe('enough');
    const held = await take(one, 2);
    expect(await within(drain())).toBe('enough');
    await within(held.release());
    await untouched(one.semaphore);
  });

  it('is drained no further by a call whose scope has ended', async () => {
    const { open, untouched } = setUp(2);
    const { client, semaphore } = open();
    await within(semaphore.trySetPermits(2));
    // The scope ends when the function has returned.
    const { failure } = client.run(() => ({ failure: failureOf(semaphore.drainPermits()) }));
    expect(await within(failure)).toBeInstanceOf(LockScopeError);
    await untouched(semaphore);
  });

  it('tells who drains it of the permits that it got, also when its scope ends while it looks for more', async () => {
    const { open, untouched } = setUp(2);
    const { client, semaphore } = open();
    await within(semaphore.trySetPermits(2));
    const channel = 'holdfast:acquired';
    let acquired!: () => void;
    const has = new Promise<void>((resolve) => (acquired = resolve));
    const heard = (message: unknown) => {
      if ((message as LockDiagnostics[typeof channel]).clientId === client.clientId) acquired();
    };
    subscribe(channel, heard);
    let draining!: Promise<number>;
    await within(
      client.run(() => {
        draining = semaphore.drainPermits();
        return has;
      }),
    ).finally(() => unsubscribe(channel, heard));
    expect(await within(draining)).toBe(2);
    await within(semaphore.release(2));
    await untouched(semaphore);
  });

  it('says of a hold that has given back all that it has none, whatever is given back after that', async () => {
    const { open, untouched } = setUp(5);
    const one = open();
    const [first, second] = [await take(one, 4), await take(one)];
    await within(Promise.all([first.release(4), first.release(1), first.release()]));
    await within(first.release(2));
    expect([first.permits, await within(one.semaphore.availablePermits())]).toEqual([0, 4]);
    await within(second.release());
    await within(second.release(1));
    expect(second.permits).toBe(0);
    await untouched(one.semaphore);
  });

  it('that is deleted and set anew tells those who had permits of the old one', async () => {
    const { open, name } = setUp(1, SHORT);
    const [one, two] = [open(), open()];
    const old = await take(one);
    await world.deleteLock(name);
    const fresh = await take(two);
    await world.until(() => old.signal.aborted, 'the old hold to be told');
    expect(await within(failureOf(old.release()))).toBeInstanceOf(LockLostError);
    expect(await within(two.semaphore.availablePermits())).toBe(0);
    await within(fresh.release());
    expect(await within(two.semaphore.availablePermits())).toBe(1);
  });

  it('tells who has its permits and who waits for how many, in order', async () => {
    const { open, waiting, name } = setUp(5);
    const [one, two] = [open(), open()];
    const held = await take(one, 2);
    const endless = await within(two.semaphore.acquire(1, { leaseMs: 'never' }));
    const expirable = two.client.getPermitExpirableSemaphore(name);
    const id = await within(expirable.acquire(60_000));
    const queue = wakeup === 'queue' ? [two.semaphore.acquire(4), one.semaphore.acquire(1, { leaseMs: 50_000 })] : [];
    await waiting(queue.length);
    const seen = await within(one.semaphore.inspect());
    expect(seen).toMatchObject({ name, permits: 5, available: 1, foreign: 0 });
    expect(seen.holders).toHaveLength(3);
    expect(seen.holders).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ permits: 2, thisClient: true, remainingMs: expect.any(Number), client: undefined }),
        expect.objectContaining({ permits: 1, thisClient: false, remainingMs: 'never' }),
        expect.objectContaining({ id, permits: 1, thisClient: false, remainingMs: expect.any(Number) }),
      ]),
    );
    expect(seen.queue.map(({ permits, thisClient }) => [permits, thisClient])).toEqual(
      queue.length === 0
        ? []
        : [
            [4, false],
            [1, true],
          ],
    );
    if (queue.length > 0) expect(seen.queue[1]).toMatchObject({ leaseMs: 50_000, waitingMs: expect.any(Number) });
    expect(await within(expirable.inspect())).toMatchObject({ permits: 5, available: 1 });
    await within(held.release());
    await within(endless.release());
    for (const call of queue) await within((await within(call)).release());
    await within(expirable.release(id));
    expect(await within(two.semaphore.inspect())).toEqual({
      ...{ name, permits: 5, available: 5, foreign: 0 },
      ...{ holders: [], queue: [] },
    });
    expect(await within(two.client.getSemaphore(`${name}:none`).inspect())).toMatchObject({ permits: undefined });
  });

  it('is never what has the name of a lock', async () => {
    const { open, name } = setUp(1);
    const { client, semaphore } = open();
    const hold = await within(client.getLock(name).acquire());
    expect(await within(failureOf(semaphore.acquire()))).toMatchObject({ redisCode: 'NOTASEMAPHORE' });
    expect(await within(failureOf(semaphore.addPermits(1)))).toMatchObject({ redisCode: 'NOTASEMAPHORE' });
    expect(await within(failureOf(semaphore.availablePermits()))).toMatchObject({ redisCode: 'NOTASEMAPHORE' });
    expect(await within(failureOf(semaphore.inspect()))).toMatchObject({ redisCode: 'NOTASEMAPHORE' });
    await within(hold.release());
    await within(semaphore.acquire());
    expect(await within(failureOf(client.getLock(name).acquire()))).toBeInstanceOf(LockRefusedError);
  });

  if (wakeup === 'queue') {
    describe('the line of those who wait', () => {
      it('is served in order of arrival, and who wants many is not overtaken by those who want few', async () => {
        const { open, waiting, untouched } = setUp(3);
        const processes = [open(), open(), open()];
        const [first, second] = [await take(processes[0] as Process, 2), await take(processes[0] as Process, 1)];
        const served: string[] = [];
        const wants: [string, number][] = [
          ['many', 3],
          ['few', 1],
          ['two', 2],
        ];
        const calls: Promise<PermitHold>[] = [];
        for (const [index, [title, permits]] of wants.entries()) {
          const call = (processes[index] as Process).semaphore.acquire(permits);
          void call.then(() => served.push(title));
          calls.push(call);
          await waiting(index + 1);
        }
        await within(second.release());
        expect(await within((processes[0] as Process).semaphore.tryAcquire())).toBeNull();
        expect(served).toEqual([]);
        await within(first.release());
        const many = await within(calls[0] as Promise<PermitHold>);
        expect(served).toEqual(['many']);
        await within(many.release());
        const rest = await within(Promise.all(calls.slice(1)));
        expect(served.toSorted()).toEqual(['few', 'many', 'two']);
        await releaseAll(rest);
        await untouched((processes[0] as Process).semaphore);
      });

      it('goes on when the large request at its head gives up', async () => {
        const { open, waiting, untouched } = setUp(3);
        const [one, two, three] = [open(), open(), open()];
        const held = await take(one, 2);
        const abort = new AbortController();
        const large = failureOf(two.semaphore.acquire(3, { signal: abort.signal }));
        await waiting(1);
        const small = three.semaphore.acquire(1);
        await waiting(2);
        abort.abort(new Error('no longer wanted'));
        await within(large);
        await releaseAll([held, await within(small)]);
        await untouched(one.semaphore);
      });
    });
  }
}
