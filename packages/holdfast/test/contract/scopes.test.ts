import { AsyncResource } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countCommands, driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientEvents, LockClientOptions, RLock } from 'holdfast';
import { LockLostError, LockNotHeldError, LockScopeError } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { Gate, Room, turns } from '../support/room.js';

const kit = useRedis();

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  return { client, name, lock: () => client.getLock(name), count: () => holdsInRedis(kit, name) };
};

/** Collects the events of one kind. */
function heard<E extends keyof LockClientEvents>(client: LockClient, event: E): LockClientEvents[E][] {
  const events: LockClientEvents[E][] = [];
  client.on(event, (...args) => events.push(args));
  return events;
}

describe('work that was started in a scope and outlives it', () => {
  it('does not re-enter any more, nor does anybody else', async () => {
    const { client, lock } = setUp();
    const ended = new Gate();
    let detached: Promise<boolean> | undefined;
    const holder = await lock().acquire();
    await holder.run(async () => {
      detached = ended.opened.then(() => lock().tryLock());
      expect(await lock().tryLock()).toBe(true);
      await lock().unlock();
    });
    ended.open();
    expect(await detached).toBe(false);
    expect(await client.run(() => lock().tryLock())).toBe(false);
    await holder.release();
  });

  it('does not re-enter through a scope of its own either, when the one around that has ended', async () => {
    const { client, lock } = setUp();
    const [inside, ended] = [new Gate(), new Gate()];
    let detached: Promise<boolean> | undefined;
    await using holder = await lock().acquire();
    await holder.run(async () => {
      detached = client.getLock(freshName()).withLock(async () => {
        inside.open();
        await ended.opened;
        return client.run(() => lock().tryLock());
      });
      await inside.opened;
    });
    ended.open();
    expect(await detached).toBe(false);
  });

  it("acts as outside scopes: its lock is the handle's, not the ended run's", async () => {
    const { client, lock } = setUp();
    const ended = new Gate();
    let detached: Promise<void> | undefined;
    client.run(() => {
      detached = ended.opened.then(async () => {
        const handle = lock();
        await handle.lock();
        expect(await lock().tryLock()).toBe(false);
        await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
        await handle.unlock();
      });
    });
    ended.open();
    await detached;
  });

  it('does not re-enter a later hold of the scope around it', async () => {
    const { client, lock } = setUp();
    const ended = new Gate();
    let detached: Promise<boolean> | undefined;
    await client.run(async () => {
      await lock().withLock(() => {
        detached = ended.opened.then(() => lock().tryLock());
      });
    });
    const later = await lock().acquire();
    ended.open();
    expect(await detached).toBe(false);
    await later.release();
  });

  it.each<[string, (client: LockClient, lock: RLock, fn: () => void) => unknown]>([
    ['client.run', (client, _, fn) => client.run(fn)],
    ['withLock', (_, lock, fn) => lock.withLock(fn)],
    ['tryWithLock', (_, lock, fn) => lock.tryWithLock({}, fn)],
    ['a multi-lock', (client, lock, fn) => client.getMultiLock([lock]).withLock(fn)],
  ])('is outside as soon as the function of %s returns, if that is no promise', async (_, start) => {
    const { client, lock } = setUp();
    const other = client.getLock(freshName());
    let detached: Promise<string> | undefined;
    await start(client, lock(), () => {
      detached = Promise.resolve().then(() => other.withLock(() => 'done'));
    });
    expect(await detached).toBe('done');
  });

  it('still re-enters what a living scope further out holds', async () => {
    const { lock, count } = setUp();
    await lock().withLock(async () => {
      const ended = new Gate();
      let detached: Promise<number> | undefined;
      await lock().withLock(() => {
        detached = ended.opened.then(() => lock().withLock(count));
      });
      ended.open();
      expect(await detached).toBe(2);
    });
  });
});

describe('calls still pending at the end of their scope', () => {
  it.each<[string, (client: LockClient, fn: () => void) => unknown]>([
    ['run', (client, fn) => client.run(fn)],
    ['asynchronous run', (client, fn) => client.run(async () => fn())],
    ['withLock of another lock', (client, fn) => client.getLock(freshName()).withLock(fn)],
  ])('are cancelled: %s', async (_what, scope) => {
    const { client, name, lock, count } = setUp();
    const other = openClient(kit).getLock(name);
    const hold = await other.acquire();
    const calls: Promise<unknown>[] = [];
    let ran = false;
    const section = () => {
      ran = true;
    };
    await scope(client, () => {
      calls.push(
        lock().lock(),
        lock().withLock(section),
        lock().acquire(),
        lock().tryWithLock({ waitMs: 5_000 }, section),
      );
      for (const call of calls) call.catch(() => undefined);
    });
    for (const call of calls) await expect(call).rejects.toThrow(LockScopeError);
    await hold.release();
    await waitUntil(async () => (await count()) === 0, { what: 'nothing is held on behalf of a cancelled call' });
    expect(ran).toBe(false);
    expect((await client.inspect(name)).queue).toEqual([]);
  });

  it('give back a re-entry that was on its way', async () => {
    const { client, lock, count } = setUp();
    await client.run(async () => {
      await lock().lock();
      let inner: Promise<void> | undefined;
      client.run(() => {
        inner = lock().lock();
        inner.catch(() => undefined);
      });
      await expect(inner).rejects.toThrow(LockScopeError);
      await waitUntil(async () => (await count()) === 1, { what: 'the count is back' });
      expect(await lock().withLock(count)).toBe(2);
      await lock().unlock();
    });
    expect(await count()).toBe(0);
  });
});

/** Of a call that takes several answers: its scope ends in the moment in which it has what it took first. */
describe('a call of several steps at the end of its scope', () => {
  const semaphore = (client: LockClient, name: string) =>
    client.getPermitExpirableSemaphore(`${name}-ids`, { permits: 1 });
  const locks = (client: LockClient, name: string) => client.getMultiLock([`${name}-1`, `${name}-2`]);

  it.each<[string, number, (client: LockClient, name: string, ran: () => void) => Promise<unknown>]>([
    ['begun with the last of its locks', 2, (client, name, ran) => locks(client, name).withLock(ran)],
    ['the lease of a multi-lock', 2, (client, name, ran) => locks(client, name).withLock({ leaseMs: 60_000 }, ran)],
    ['the id of a permit', 1, (client, name, ran) => semaphore(client, name).acquire().then(ran)],
  ])('is cancelled before it has %s, and gives back what it took', async (_, steps, call) => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url });
    const name = freshName();
    kit.cleanup(() => kit.admin.del(`${name}-ids`));
    await client.connect();
    const had = new Gate();
    let left = steps;
    const onAcquired = () => {
      if (--left > 0) return;
      proxy.hold('down');
      had.open();
    };
    subscribe('holdfast:acquired', onAcquired);
    kit.cleanup(() => void unsubscribe('holdfast:acquired', onAcquired));
    let ran = false;
    let waiting: Promise<unknown> | undefined;
    await client.run(async () => {
      waiting = call(client, name, () => (ran = true));
      waiting.catch(() => undefined);
      await had.opened;
    });
    await turns(10);
    await proxy.heal();
    await expect(waiting).rejects.toThrow(LockScopeError);
    expect(ran).toBe(false);
    await waitUntil(async () => !(await locks(client, name).isLocked()), { what: 'the members are free' });
    const used = () => semaphore(client, name).acquiredPermits();
    await waitUntil(async () => (await used()) === 0, { what: 'the permit is back' });
  });
});

/** Ends while a test waits for it, and is long enough for a look before that on a busy machine. */
const LEFT_OPEN = { watchdogTimeoutMs: 1_500 };
/** What a client takes off such a lease for clocks at different rates, and the millisecond that Redis rounds by: it gives back what it holds by then. */
const EARLY_MS = 17 + 1;

describe('a lock left open at the end of a run', () => {
  it('is reported with the site of its lock(), is not renewed, and nobody gets in before its lease ran out', async () => {
    const { client, name, lock } = setUp(LEFT_OPEN);
    const leaks = heard(client, 'leak');
    const losses = heard(client, 'lost');
    // A client counts a lease from the moment it asks.
    const leaseEnds = performance.now() + LEFT_OPEN.watchdogTimeoutMs;
    await client.run(() => lock().lock());
    expect(leaks).toMatchObject([[{ name, how: 'scope-ended', site: expect.stringContaining('scopes.test.ts') }]]);
    expect(await lock().tryLock()).toBe(false);
    const { renewed } = client.stats().renewals;
    const stranger = openClient(kit).getLock(name);
    const gotAt = async (lockOfOther: RLock) => {
      const hold = await lockOfOther.acquire();
      const at = performance.now();
      await hold.release();
      return at;
    };
    const [mine, another] = await Promise.all([gotAt(lock()), gotAt(stranger)]);
    expect(mine).toBeGreaterThan(leaseEnds - EARLY_MS);
    expect(another).toBeGreaterThan(leaseEnds - EARLY_MS);
    expect(client.stats().renewals.renewed).toBe(renewed);
    expect(losses).toMatchObject([[{ name, error: { reason: 'scope-ended' } }]]);
  });

  it('is given back when code that goes on behind the run unlocks it, which is told that it was lost', async () => {
    const { client, lock } = setUp();
    let goOn: () => void = () => undefined;
    const handler = new Promise<void>((resolve) => (goOn = resolve));
    let unlocked: Promise<unknown> | undefined;
    await client.run(async () => {
      await lock().lock();
      unlocked = handler.then(() => failureOf(lock().unlock()));
    });
    const waiting = [openClient(kit).getLock(lock().name), lock()].map((each) => each.withLock(() => 'in'));
    expect(client.stats().held).toBe(0);
    goOn();
    expect(await unlocked).toMatchObject({ code: 'LOCK_LOST', reason: 'scope-ended' });
    expect(await Promise.all(waiting)).toEqual(['in', 'in']);
    expect(client.stats()).toMatchObject({ held: 0, losses: { 'scope-ended': 1 } });
  });

  it('is not given back by code outside of it, nor twice', async () => {
    const { client, lock } = setUp(LEFT_OPEN);
    let unlockTwice: () => Promise<unknown> = () => Promise.resolve();
    await client.run(async () => {
      await lock().lock();
      const unlock = () => failureOf(lock().unlock());
      unlockTwice = AsyncResource.bind(async () => [await unlock(), await unlock()]);
    });
    expect(await failureOf(lock().unlock())).toMatchObject({ code: 'LOCK_NOT_HELD' });
    expect(await lock().isLocked()).toBe(true);
    expect(await unlockTwice()).toMatchObject([{ code: 'LOCK_LOST' }, { code: 'LOCK_NOT_HELD' }]);
    expect(await lock().isLocked()).toBe(false);
  });

  it('is told as lost once, also where it is gone when code that goes on behind the run unlocks it', async () => {
    const { client, name, lock } = setUp();
    const losses = heard(client, 'lost');
    let unlock: () => Promise<unknown> = () => Promise.resolve();
    await client.run(async () => {
      await lock().lock();
      await lock().lock();
      unlock = AsyncResource.bind(() => failureOf(lock().unlock()));
    });
    await kit.admin.del(name);
    const told = { code: 'LOCK_LOST', reason: 'scope-ended' };
    expect([await unlock(), await unlock(), await unlock()]).toMatchObject([told, told, { code: 'LOCK_NOT_HELD' }]);
    await client.close();
    expect(client.stats()).toMatchObject({ held: 0, losses: { 'scope-ended': 2 } });
    expect(client.stats().losses).not.toHaveProperty('deleted');
    expect(losses).toHaveLength(2);
  });

  it.each(['outside all runs', 'in another run'])(
    'with a lease of its own, which has run out, needs no unlock() before those of later calls of code that goes on: %s',
    async (where) => {
      const { client, lock, count } = setUp();
      const handle = lock();
      const around = where === 'in another run' ? client.run.bind(client) : <T>(fn: () => T): T => fn();
      await around(async () => {
        let goOn: () => Promise<unknown> = () => Promise.resolve();
        await client.run(async () => {
          expect(await handle.tryLock(0, 100)).toBe(true);
          goOn = AsyncResource.bind(async () => {
            await handle.lock();
            await handle.unlock();
          });
        });
        await waitUntil(async () => !(await handle.isLocked()), { what: 'the lease has run out' });
        await goOn();
        expect(await count()).toBe(0);
      });
    },
  );

  it('by an inner run stays locked for its lease also when the outer one has unlocked', async () => {
    const { client, name, lock, count } = setUp(LEFT_OPEN);
    const leaks = heard(client, 'leak');
    await client.run(async () => {
      await lock().lock();
      await client.run(() => lock().lock());
      expect(leaks).toHaveLength(1);
      await lock().unlock();
      await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
    });
    expect(leaks).toHaveLength(1);
    expect(await count()).toBe(1);
    expect(await lock().tryLock()).toBe(false);
    await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lease ends' });
    await waitUntil(() => lock().tryLock(), { what: 'the lock is free for this client too' });
  });

  it('in a withLock section is reported too', async () => {
    const { client, name, lock } = setUp(LEFT_OPEN);
    const leaks = heard(client, 'leak');
    await lock().withLock(() => lock().lock());
    expect(leaks).toMatchObject([[{ name }]]);
    expect(await lock().tryLock()).toBe(false);
    expect(await lock().tryLock(15_000)).toBe(true);
  });

  it('by a run that fails is reported too, and the error stays', async () => {
    const { client, lock } = setUp(LEFT_OPEN);
    const leaks = heard(client, 'leak');
    const failing = client.run(async () => {
      await lock().lock();
      throw new RangeError('body');
    });
    await expect(failing).rejects.toThrow(new RangeError('body'));
    expect(leaks).toHaveLength(1);
  });

  it('to read runs out: who reads later has a lease of its own, and renews that one alone', async () => {
    const time = driveTime(kit);
    const client = openClient(kit);
    const lock = client.getReadWriteLock(freshName()).readLock();
    await client.run(() => lock.lock());
    // All but the last moment, in which nothing was renewed.
    await time.advance(29_000);
    const hold = await lock.acquire();
    expect(hold.remainingMs()).toBeGreaterThan(25_000);
    time.jump(1_000);
    hold.assertHeld();
    await hold.release();
  });

  it('is released, and not reported, with releaseOnScopeEnd', async () => {
    const { client, lock, count } = setUp({ releaseOnScopeEnd: true });
    const leaks = heard(client, 'leak');
    await client.run(async () => {
      await lock().lock();
      await lock().lock();
      await client.run(() => lock().lock());
      expect(await count()).toBe(2);
    });
    expect(await count()).toBe(0);
    expect(leaks).toEqual([]);
    expect(await lock().tryLock()).toBe(true);
  });
});

describe('long-lived things started inside a scope', () => {
  const serve = (handle: () => Promise<unknown>): Server =>
    createServer((_request, response) => {
      handle().then(
        (value) => response.end(JSON.stringify(value ?? null)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });

  const listening = async (server: Server): Promise<() => Promise<unknown>> => {
    kit.cleanup(() => new Promise((resolve) => server.close(resolve)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return () =>
      new Promise((resolve, reject) => {
        const asked = request({ port, host: '127.0.0.1', agent: false }, (response) => {
          let body = '';
          response.on('data', (chunk) => (body += String(chunk))).on('end', () => resolve(JSON.parse(body)));
        });
        asked.on('error', reject).end();
      });
  };

  it('a server started in exit() serves each request apart, during the scope and after it', async () => {
    const { client, lock } = setUp();
    const room = new Room();
    let get: (() => Promise<unknown>) | undefined;
    await lock().withLock(async () => {
      get = await client.exit(() => listening(serve(() => lock().tryWithLock({}, () => 'inside'))));
      expect(await get()).toEqual({ ran: false });
      expect(await client.exit(get)).toEqual({ ran: false });
    });
    const crowd = await client.exit(() => listening(serve(() => lock().withLock(async () => room.visit()))));
    await Promise.all(Array.from({ length: 8 }, () => crowd()));
    expect(room).toMatchObject({ visits: 8, most: 1 });
    expect(await get?.()).toEqual({ ran: true, value: 'inside' });
  });

  it('a server started without exit() lets every request re-enter the hold it was started in, as long as that lasts', async () => {
    const { client, lock, count } = setUp();
    await lock().withLock(async () => {
      const get = await listening(serve(() => lock().tryWithLock({}, count)));
      expect(await client.exit(get)).toEqual({ ran: true, value: 2 });
    });
  });

  it.each<[string, number, (client: LockClient, work: () => Promise<number>) => () => Promise<number>]>([
    ['re-enters what that other holds', 2, (_, work) => work],
    ['waits its turn, where it leaves the scope', 1, (client, work) => () => client.exit(work)],
    ['waits its turn, where it is bound to where it comes from', 1, (_, work) => AsyncResource.bind(work)],
  ])('work that a shared queue runs in the scope of another flow %s', async (__, expected, made) => {
    const { client, lock, count } = setUp();
    const queue: (() => Promise<void>)[] = [];
    const first = new Gate();
    const done = new Gate();
    const section = lock().withLock(async () => {
      // The queue goes on where the work before has ended, as many do.
      await first.opened;
      const work = queue.shift()?.();
      done.open();
      // What waits its turn has it when this section has ended.
      if (expected === 2) await work;
    });
    const counted = new Promise<number>((resolve, reject) => {
      const work = made(client, () => lock().withLock(count));
      queue.push(() => work().then(resolve, reject));
    });
    first.open();
    await done.opened;
    await section;
    expect(await counted).toBe(expected);
  });

  it('a timer keeps the scope it was started in until that ends, and none when started in exit()', async () => {
    const { client, lock } = setUp();
    const answers: Record<string, Promise<boolean>> = {};
    const startTimer = (what: string, gate: Gate) => {
      const timer = setInterval(() => {
        if (!gate.isOpen) return;
        clearInterval(timer);
        answers[what] = lock()
          .tryWithLock({}, () => undefined)
          .then(({ ran }) => ran);
      }, 1);
    };
    const gates = { inside: new Gate(), apart: new Gate(), after: new Gate() };
    await lock().withLock(async () => {
      startTimer('inside', gates.inside);
      startTimer('after', gates.after);
      client.exit(() => startTimer('apart', gates.apart));
      gates.inside.open();
      gates.apart.open();
      await waitUntil(() => 'inside' in answers && 'apart' in answers, { what: 'both timers fired' });
      expect(await answers['inside']).toBe(true);
      expect(await answers['apart']).toBe(false);
    });
    const hold = await lock().acquire();
    gates.after.open();
    await waitUntil(() => 'after' in answers, { what: 'the last timer fired' });
    expect(await answers['after']).toBe(false);
    await hold.release();
  });

  it('a listener runs in the scope of the emitter, wherever it was added', async () => {
    const { client, lock } = setUp();
    const emitter = new EventEmitter();
    const answers: Promise<boolean>[] = [];
    const look = () =>
      answers.push(
        lock()
          .tryWithLock({}, () => undefined)
          .then(({ ran }) => ran),
      );
    emitter.on('outside', look);
    await lock().withLock(async () => {
      emitter.on('inside', look);
      emitter.emit('outside');
      expect(await answers[0]).toBe(true);
      client.exit(() => emitter.emit('inside'));
      expect(await answers[1]).toBe(false);
    });
  });

  it('a listener of the client runs outside all scopes', async () => {
    const { client, lock } = setUp();
    const answers: Promise<boolean>[] = [];
    client.on('leak', () => answers.push(lock().tryLock()));
    await lock().withLock(async () => {
      await client.run(() => client.getLock(freshName()).lock());
      expect(answers).toHaveLength(1);
      expect(await answers[0]).toBe(false);
    });
  });
});

describe('scopes of two clients', () => {
  it('never mix: neither re-enters what the other holds', async () => {
    const { client, name, lock } = setUp();
    const other = openClient(kit);
    await lock().withLock(async () => {
      expect(await other.getLock(name).tryLock()).toBe(false);
      await other.run(async () => {
        expect(await other.getLock(name).tryLock()).toBe(false);
        expect(await lock().tryWithLock({}, () => 1)).toEqual({ ran: true, value: 1 });
      });
    });
    await client.run(() =>
      other.run(async () => {
        await lock().lock();
        expect(await other.getLock(name).tryLock()).toBe(false);
        await expect(other.getLock(name).unlock()).rejects.toThrow(LockNotHeldError);
        await lock().unlock();
      }),
    );
  });
});

describe('strictScopes', () => {
  it('refuses imperative calls outside a run, without asking Redis', async () => {
    const { client, lock } = setUp({ strictScopes: true });
    const counter = await countCommands(kit.admin);
    await expect(lock().lock()).rejects.toThrow(LockScopeError);
    await expect(lock().tryLock()).rejects.toThrow(LockScopeError);
    expect(await counter.delta()).toEqual({});
    await client.getLock(freshName()).withLock(async () => {
      await expect(lock().tryLock()).rejects.toThrow(LockScopeError);
    });
  });

  it('leaves alone what says whose it is: run, re-entry, withLock, acquire, an explicit owner', async () => {
    const { client, name, lock } = setUp({ strictScopes: true });
    await client.run(async () => {
      await lock().lock();
      await lock().unlock();
    });
    await lock().withLock(async () => {
      await lock().lock();
      await lock().unlock();
    });
    await (await lock().acquire()).release();
    const owned = client.getLock(name, { owner: 'me' });
    await owned.lock();
    await owned.unlock();
  });
});

describe('unlock', () => {
  it('in another scope than the lock rejects with LockNotHeldError and changes nothing', async () => {
    const { client, lock, count } = setUp();
    await client.run(async () => {
      await lock().lock();
      await client.run(async () => {
        await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
      });
      await client.exit(async () => {
        await expect(lock().unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
      });
      await lock().withLock(async () => {
        await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
      });
      expect(await count()).toBe(1);
      await lock().unlock();
    });
    const handle = lock();
    await handle.lock();
    await client.run(async () => {
      await expect(handle.unlock()).rejects.toThrow(LockNotHeldError);
    });
    await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
    expect(await count()).toBe(1);
    await handle.unlock();
    await expect(handle.unlock()).rejects.toThrow(LockNotHeldError);
    expect(await count()).toBe(0);
  });
});

describe('one handle shared by flows outside scopes', () => {
  it('never lets two in', async () => {
    const { lock, count } = setUp();
    const handle = lock();
    const room = new Room();
    const flow = async () => {
      for (let i = 0; i < 5; i++) {
        await handle.lock();
        await room.visit();
        await handle.unlock();
      }
    };
    await Promise.all(Array.from({ length: 10 }, flow));
    expect(room).toMatchObject({ visits: 50, most: 1 });
    expect(await count()).toBe(0);
  });

  it('tells a loss to the flow that had the lock, and leaves the next flow its own', async () => {
    const { lock, count } = setUp();
    const handle = lock();
    await handle.lock(150);
    await handle.lock(); // another flow: it has the lock when that lease has ended
    await expect(handle.unlock()).rejects.toThrow(LockLostError);
    expect(await count()).toBe(1);
    await handle.unlock();
    expect(await count()).toBe(0);
  });

  it('never lets two in with lock() inside the try, nor with tryLock(), nor when some of them nest', async () => {
    const { lock } = setUp();
    const handle = lock();
    const room = new Room();
    let refused = 0;
    const sloppy = async () => {
      try {
        await handle.lock();
        await room.visit(async () => {
          if (!(await handle.tryLock())) refused++;
          await turns(2);
        });
      } finally {
        await handle.unlock();
      }
    };
    const trying = async () => {
      if (!(await handle.tryLock(2_000))) throw new Error('not in time');
      await room.visit();
      await handle.unlock();
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? sloppy() : trying())));
    expect(room).toMatchObject({ visits: 20, most: 1 });
    expect(refused).toBe(10);
  });
});

describe('events about waiting', () => {
  it('foreign-owner tells of a waiter behind a client that knows no queue', async () => {
    const { client, name, lock } = setUp({ reaskMs: 20, claimLeaseMs: 300 });
    const events = heard(client, 'foreign-owner');
    await kit.admin.multi().hincrby(name, '6e1c9d4e-6b0c-4f6e-8a53-7a2ab1a6d8f1:1', 1).pexpire(name, 60_000).exec();
    const stop = new AbortController();
    const waiting = lock().acquire({ signal: stop.signal });
    await waitUntil(() => events.length > 0, { what: 'the event' });
    stop.abort(new Error('heard enough'));
    await expect(waiting).rejects.toThrow('heard enough');
    expect(events).toEqual([[{ name }]]);
    expect((await client.inspect(name)).owner).toMatchObject({ kind: 'foreign', holdCount: 1 });
    expect(await lock().remainTimeToLive()).toBeGreaterThan(5_000);
  });

  it('none is emitted for waits behind holdfast clients', async () => {
    const { client, name, lock } = setUp({ reaskMs: 20, claimLeaseMs: 300 });
    const events = [heard(client, 'foreign-owner'), heard(client, 'self-wait')];
    const hold = await openClient(kit).getLock(name).acquire();
    expect(await lock().tryLock(200)).toBe(false);
    expect(events).toEqual([[], []]);
    await hold.release();
  });
});
