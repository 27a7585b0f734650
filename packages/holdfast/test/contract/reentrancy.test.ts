import { driveTime, faultProxy, seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Hold, type LockClient, LockLostError, LockNotHeldError, LockScopeError, type RLock } from 'holdfast';
import { confirmedRenewals, freshName, holdsInRedis, openClient } from '../support/clients.js';
import { Gate, Room, turns } from '../support/room.js';

const kit = useRedis();

const setUp = () => {
  const client = openClient(kit);
  const name = freshName();
  const lock = () => client.getLock(name);
  return { client, name, lock, count: () => holdsInRedis(kit, name) };
};

describe('withLock', () => {
  it('re-enters inside itself, through whatever handle, and counts in Redis', async () => {
    const { lock, count } = setUp();
    await lock().withLock(async () => {
      expect(await count()).toBe(1);
      const inner = await lock().withLock(async () => {
        expect(await lock().tryWithLock(count)).toEqual({ ran: true, value: 3 });
        return count();
      });
      expect(inner).toBe(2);
      expect(await count()).toBe(1);
    });
    expect(await count()).toBe(0);
  });

  it('re-enters at the bottom of 50 asynchronous calls', async () => {
    const { lock, count } = setUp();
    const descend = async (depth: number): Promise<number> => {
      await turns(1);
      if (depth > 0) return descend(depth - 1);
      return lock().withLock(count);
    };
    expect(await lock().withLock(() => descend(50))).toBe(2);
  });

  it('nests 50 deep, and the count in Redis is the depth', async () => {
    const { lock, count } = setUp();
    const seen: number[] = [];
    const descend = async (depth: number): Promise<void> =>
      lock().withLock(async () => {
        seen.push(await count());
        if (depth < 50) await descend(depth + 1);
        seen.push(await count());
      });
    await descend(1);
    const down = Array.from({ length: 50 }, (_, i) => i + 1);
    expect(seen).toEqual([...down, ...down.toReversed()]);
    expect(await count()).toBe(0);
  });
});

describe('holds inside each other', () => {
  it('may be released all at once, in any order: each is counted down, and nothing is left', async () => {
    for (const order of [
      [3, 2, 1, 0],
      [0, 1, 2, 3],
      [2, 3, 0, 1],
    ]) {
      const { lock, count } = setUp();
      const holds = [await lock().acquire()];
      while (holds.length < 4) holds.push(await (holds.at(-1) as Hold).run(() => lock().acquire()));
      expect(await count()).toBe(4);
      await Promise.all(order.map((index) => (holds[index] as Hold).release()));
      expect(await count()).toBe(0);
    }
  });

  it('keep nothing in memory once they are released, however they are', async () => {
    const heap = () => {
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    };
    const { client } = setUp();
    const locks = Array.from({ length: 20 }, () => client.getLock(freshName()));
    const nest = async (lock: RLock) => {
      const outer = await lock.acquire();
      const inner = await outer.run(() => lock.acquire());
      await Promise.all([inner.release(), outer.release()]);
    };
    const rounds = async (count: number) => {
      for (let i = 0; i < count; i++) await Promise.all(locks.map(nest));
    };
    await rounds(25);
    // What stays is left by every round; what the engine of JavaScript needs for itself is not.
    const left: number[] = [];
    for (let round = 0; round < 3; round++) {
      const before = heap();
      await rounds(50);
      left.push((heap() - before) / (50 * locks.length));
    }
    expect(Math.min(...left)).toBeLessThan(500);
  }, 120_000);
});

describe('branches of one flow', () => {
  const places: [string, (client: LockClient, lock: RLock, fn: () => Promise<void>) => Promise<void>][] = [
    ['outside scopes', (_client, _lock, fn) => fn()],
    ['in a run', (client, _lock, fn) => client.run(fn)],
    ['below a parent that holds the lock', (_client, lock, fn) => lock.withLock(fn)],
    ['below a parent in a run', (client, lock, fn) => client.run(() => lock.withLock(fn))],
    [
      'in hold.run',
      async (_client, lock, fn) => {
        await using hold = await lock.acquire();
        await hold.run(fn);
      },
    ],
  ];

  it.each(places)('%s exclude each other, and all get in', async (_where, enter) => {
    const { client, lock, count } = setUp();
    const room = new Room();
    await enter(client, lock(), async () => {
      await Promise.all(Array.from({ length: 20 }, () => lock().withLock(() => room.visit())));
    });
    expect(room).toMatchObject({ visits: 20, most: 1 });
    expect(await count()).toBe(0);
  });

  it.each(places)(
    '%s exclude each other with their own branches inside, one generation at a time',
    async (_where, enter) => {
      const { client, lock, count } = setUp();
      const branch = new Room();
      const leaf = new Room();
      await enter(client, lock(), async () => {
        const inBranch = () => Promise.all([1, 2, 3].map(() => lock().withLock(() => leaf.visit())));
        await Promise.all([1, 2, 3, 4].map(() => lock().withLock(() => branch.visit(inBranch))));
      });
      expect(branch).toMatchObject({ visits: 4, most: 1 });
      expect(leaf).toMatchObject({ visits: 12, most: 1 });
      expect(await count()).toBe(0);
    },
  );

  it('get in before strangers, descendants of the innermost hold before their elders, whoever came first', async () => {
    const { client, lock } = setUp();
    const order: string[] = [];
    const enter = (who: string, then: () => unknown = () => undefined) =>
      lock().withLock(() => {
        order.push(who);
        return then();
      });
    const waiting = (size: number) =>
      waitUntil(() => client.stats().acquisitions.tried - client.stats().acquisitions.won === size, {
        what: `${size} wait`,
      });
    let stranger: Promise<unknown> | undefined;
    await enter('parent', async () => {
      stranger = client.exit(() => enter('stranger'));
      await enter('child 1', async () => undefined);
      const [first, second] = [new Gate(), new Gate()];
      const children = [
        enter('child 2', async () => {
          const grandchildren = [enter('grandchild 1', () => first.opened), turns(1).then(() => enter('grandchild 2'))];
          await Promise.all(grandchildren);
          await second.opened;
        }),
        enter('child 3'),
      ];
      await waiting(3);
      first.open();
      await waiting(2);
      second.open();
      await Promise.all(children);
    });
    await stranger;
    expect(order).toEqual(['parent', 'child 1', 'child 2', 'grandchild 1', 'grandchild 2', 'child 3', 'stranger']);
  });

  it('that outlive their parent keep the lock', async () => {
    const { client, lock, count } = setUp();
    const [inside, leave] = [new Gate(), new Gate()];
    let child: Promise<void> | undefined;
    await lock().withLock(async () => {
      child = lock().withLock(async () => {
        inside.open();
        await leave.opened;
        expect(await lock().withLock(count)).toBe(2);
      });
      await inside.opened;
    });
    expect(await count()).toBe(1);
    expect(await lock().tryLock()).toBe(false);
    expect(await openClient(kit).getLock(lock().name).tryLock()).toBe(false);
    leave.open();
    await child;
    expect(await count()).toBe(0);
    expect(client.stats().losses).toEqual({});
  });
});

describe('lock and unlock in a run', () => {
  it('count up and down through any handles, and Redis counts along', async () => {
    const { client, lock, count } = setUp();
    await client.run(async () => {
      await lock().lock();
      expect(await count()).toBe(1);
      expect(await lock().tryLock()).toBe(true);
      expect(await lock().tryLock(5_000)).toBe(true);
      expect(await count()).toBe(3);
      expect(await lock().getHoldCount()).toBe(3);
      for (const left of [2, 1, 0]) {
        await lock().unlock();
        expect(await count()).toBe(left);
        expect(await lock().isHeldByCurrentScope()).toBe(left > 0);
      }
      await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
    });
  });

  it.each([1, 2, 3])('keep the count in Redis equal to the nesting in any sequence (seed %i)', async (seed) => {
    const { client, lock, count } = setUp();
    const random = seededRandom(seed);
    await client.run(async () => {
      let depth = 0;
      for (let step = 0; step < 60; step++) {
        const up = depth === 0 || (depth < 6 && random.next() < 0.5);
        if (up) await lock().lock();
        else await lock().unlock();
        depth += up ? 1 : -1;
        expect(await count()).toBe(depth);
      }
      for (; depth > 0; depth--) await lock().unlock();
    });
    expect(await count()).toBe(0);
  });

  it('undo what the run has, never what is on its way for an aborted call', async () => {
    const { client, lock, count } = setUp();
    await client.run(async () => {
      await lock().lock();
      const abort = new AbortController();
      const nested = lock().lock({ signal: abort.signal });
      abort.abort();
      await expect(nested).rejects.toBe(abort.signal.reason);
      await lock().unlock();
      await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
    });
    await waitUntil(async () => (await count()) === 0, { what: 'the lock is free' });
  });

  it('tell a loss once for each lock() that had it, and then lock() works again in the same run', async () => {
    const { client, name, lock, count } = setUp();
    await client.run(async () => {
      await lock().lock();
      await kit.admin.del(name);
      await expect(lock().lock()).rejects.toThrow(LockLostError);
      await expect(lock().lock()).rejects.toThrow(LockLostError);
      await expect(lock().unlock()).rejects.toThrow(LockLostError);
      await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
      await lock().lock();
      expect(await count()).toBe(1);
      await lock().unlock();
    });
  });

  it('re-enter what withLock around the run holds, and the other way round', async () => {
    const { client, lock, count } = setUp();
    await lock().withLock(() =>
      client.run(async () => {
        await lock().lock();
        expect(await lock().withLock(count)).toBe(3);
        await lock().unlock();
        await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
      }),
    );
    expect(await count()).toBe(0);
  });

  it('make all that the run calls directly re-enter, in other branches too, whether it was called before they had the lock or after', async () => {
    const { client, lock, count } = setUp();
    const other = openClient(kit).getLock(lock().name);
    await other.lock();
    await client.run(async () => {
      const locking = lock().lock();
      const before = lock().acquire();
      await other.unlock();
      await locking;
      await (await before).release();
      expect(await lock().withLock(count)).toBe(2);
      await lock().unlock();
    });
    expect(await count()).toBe(0);
  });

  it('reject a second lock() on the name while one is pending, and the first goes on', async () => {
    const { client, lock } = setUp();
    const other = openClient(kit).getLock(lock().name);
    await other.lock();
    await client.run(async () => {
      const first = lock().lock();
      await expect(lock().lock()).rejects.toThrow(LockScopeError);
      await expect(lock().tryLock(1_000)).rejects.toMatchObject({ code: 'LOCK_SCOPE' });
      await other.unlock();
      await first;
      await lock().unlock();
    });
  });
});

describe('lock and unlock directly inside withLock', () => {
  it('re-enter what an ancestor holds', async () => {
    const { lock, count } = setUp();
    await lock().withLock(async () => {
      await lock().lock();
      expect(await count()).toBe(2);
      expect(await lock().tryLock()).toBe(true);
      expect(await count()).toBe(3);
      await lock().unlock();
      await lock().unlock();
      expect(await count()).toBe(1);
      await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
    });
    expect(await count()).toBe(0);
  });

  it('act on any other lock as outside scopes', async () => {
    const { client, lock } = setUp();
    const name = freshName();
    const handle = client.getLock(name);
    await lock().withLock(async () => {
      await handle.lock();
      expect(await client.getLock(name).tryLock()).toBe(false);
      await expect(client.getLock(name).unlock()).rejects.toThrow(LockNotHeldError);
    });
    expect(await holdsInRedis(kit, name)).toBe(1);
    await handle.unlock();
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('all get in when several calls of one scope had to wait for a branch', async () => {
    const { lock, count } = setUp();
    await lock().withLock(async () => {
      const [inside, leave] = [new Gate(), new Gate()];
      const branch = lock().withLock(() => {
        inside.open();
        return leave.opened;
      });
      await inside.opened;
      const calls = [1, 2, 3].map(() => lock().lock());
      await turns(2);
      leave.open();
      await branch;
      await Promise.all(calls);
      expect(await count()).toBe(4);
      for (const _ of calls) await lock().unlock();
      expect(await count()).toBe(1);
    });
  });
});

describe('an explicit owner', () => {
  it('re-enters without any scope, through any handle of its client, and nobody else does', async () => {
    const { client, name, count } = setUp();
    const worker = (owner: string) => client.getLock(name, { owner });
    await worker('a').lock();
    expect(await worker('a').tryLock()).toBe(true);
    expect(await worker('a').getHoldCount()).toBe(2);
    expect(await worker('b').tryLock()).toBe(false);
    expect(await client.getLock(name).tryLock()).toBe(false);
    expect(await openClient(kit).getLock(name, { owner: 'a' }).tryLock()).toBe(false);
    await expect(worker('b').unlock()).rejects.toThrow(LockNotHeldError);
    await worker('a').unlock();
    await worker('a').unlock();
    expect(await count()).toBe(0);
    await expect(worker('a').unlock()).rejects.toThrow(LockNotHeldError);
  });

  it('gets all its concurrent calls in, whether the lock was free or held', async () => {
    const { client, name, count } = setUp();
    const mine = client.getLock(name, { owner: 'a' });
    const other = client.getLock(name, { owner: 'b' });
    for (const leaseMs of [undefined, 20_000]) {
      await Promise.all([1, 2, 3, 4].map(() => mine.lock(leaseMs === undefined ? {} : { leaseMs })));
      expect(await count()).toBe(4);
      const waiting = Promise.all([1, 2, 3, 4].map(() => other.lock(leaseMs === undefined ? {} : { leaseMs })));
      for (let i = 0; i < 4; i++) await mine.unlock();
      await waiting;
      expect(await count()).toBe(4);
      for (let i = 0; i < 4; i++) await other.unlock();
    }
    expect(await count()).toBe(0);
  });

  it('unlocks what it has, not what another call of it is about to get', async () => {
    const { client, name, count } = setUp();
    const mine = client.getLock(name, { owner: 'a' });
    await mine.lock();
    const second = mine.lock();
    await mine.unlock();
    await second;
    expect(await count()).toBe(1);
    await mine.unlock();
    expect(await count()).toBe(0);
  });

  it('is not the whole owner id: a fresh id in Redis for every tenure', async () => {
    const { client, name } = setUp();
    const mine = client.getLock(name, { owner: 'worker-7' });
    const ids = new Set<string | undefined>();
    for (let i = 0; i < 3; i++) {
      await mine.lock();
      const id = (await client.inspect(name)).owner?.id;
      expect(id).toMatch(/^worker-7:/);
      ids.add(id);
      await mine.unlock();
    }
    expect(ids.size).toBe(3);
  });
});

describe('a hold from acquire()', () => {
  it('belongs to no scope: nothing re-enters it, not even where it was taken', async () => {
    const { client, lock } = setUp();
    await client.run(async () => {
      const hold = await lock().acquire();
      expect(await lock().tryLock()).toBe(false);
      expect(await lock().tryAcquire()).toBeNull();
      expect(await lock().tryWithLock({}, () => 1)).toEqual({ ran: false });
      await expect(lock().unlock()).rejects.toThrow(LockNotHeldError);
      expect(await lock().isHeldByCurrentScope()).toBe(false);
      await client.exit(() => hold.release());
    });
    expect(await lock().isLocked()).toBe(false);
  });

  it('makes calls re-enter inside its run, wherever that is, and not after', async () => {
    const { lock, count } = setUp();
    const hold = await lock().acquire();
    await turns(1);
    expect(await hold.run(() => lock().withLock(count))).toBe(2);
    expect(await hold.run(() => hold.run(() => lock().withLock(count)))).toBe(2);
    expect(await hold.run(() => lock().getHoldCount())).toBe(1);
    expect(await lock().getHoldCount()).toBe(0);
    expect(await lock().tryLock()).toBe(false);
    await hold.release();
  });

  it('released inside its own run leaves the outer hold countable', async () => {
    const { client, lock } = setUp();
    await client.run(async () => {
      await lock().lock();
      const inner = await lock().acquire();
      await inner.run(async () => {
        await inner.release();
        expect(await lock().getHoldCount()).toBe(1);
        expect(await lock().isHeldByCurrentScope()).toBe(true);
      });
      await lock().unlock();
    });
  });

  it('is released at the end of an `await using` block, also by an error, and a second release does nothing', async () => {
    const { lock, count } = setUp();
    {
      await using hold = await lock().acquire();
      expect(hold.state).toBe('held');
      expect(await count()).toBe(1);
    }
    expect(await count()).toBe(0);
    const failing = async () => {
      await using hold = await lock().acquire();
      hold.assertHeld();
      throw new RangeError('body');
    };
    await expect(failing()).rejects.toThrow(new RangeError('body'));
    expect(await count()).toBe(0);
    const hold = await lock().acquire();
    await hold.release();
    await lock().lock();
    await hold.release();
    expect(hold.state).toBe('released');
    expect(await count()).toBe(1);
  });
});

describe('a nested call', () => {
  it('in a hold that is suspect verifies it with Redis, and runs when it is still ours', async () => {
    const { proxy, client, lock, count } = await behindProxy();
    await lock().withLock(async (hold) => {
      await breakConnection(proxy);
      await waitUntil(() => hold.state === 'suspect', { what: 'the hold is suspect' });
      const nested = lock().withLock(count);
      await turns(5);
      await proxy.heal();
      expect(await nested).toBe(2);
      await waitUntil(() => hold.state === 'held', { what: 'the hold is trusted again' });
    });
    expect(client.stats().losses).toEqual({});
    expect(await count()).toBe(0);
  });

  it('in a hold that is suspect does not run when the lock has gone', async () => {
    const { proxy, lock, name, count } = await behindProxy();
    let ran = false;
    const outer = lock().withLock(async (hold) => {
      await breakConnection(proxy);
      await waitUntil(() => hold.state === 'suspect', { what: 'the hold is suspect' });
      const nested = lock().withLock(() => {
        ran = true;
      });
      await kit.admin.del(name);
      await proxy.heal();
      await expect(nested).rejects.toThrow(LockLostError);
      expect(hold.state).toBe('lost');
      expect(hold.signal.aborted).toBe(true);
    });
    await expect(outer).rejects.toThrow(LockLostError);
    expect(ran).toBe(false);
    expect(await count()).toBe(0);
  });

  it('in a hold that is lost rejects with LockLostError and never acquires afresh', async () => {
    const { client, lock, name } = setUp();
    const outer = lock().withLock(async (hold) => {
      await kit.admin.del(name);
      for (const nested of [
        () => lock().withLock(() => undefined),
        () => lock().tryLock(),
        () => lock().tryLock(100),
        () => lock().acquire(),
        () => hold.run(() => lock().lock()),
        () => client.run(() => lock().lock()),
      ]) {
        await expect(nested()).rejects.toThrow(LockLostError);
        expect(await kit.admin.exists(name)).toBe(0);
      }
      // Who is not inside that hold is not concerned.
      await client.exit(() => lock().withLock(() => undefined));
    });
    await expect(outer).rejects.toThrow(LockLostError);
    await lock().withLock(() => undefined);
  });

  it('that waits for its sibling when the hold around both is lost rejects too; who is outside waits on', async () => {
    const { client, lock, count } = setUp();
    let ran = false;
    const outer = lock().withLock(async () => {
      const [inside, lost] = [new Gate(), new Gate()];
      const sibling = lock().withLock(async () => {
        inside.open();
        await lost.opened;
      });
      await inside.opened;
      const waiting = lock().withLock(() => {
        ran = true;
      });
      waiting.catch(() => undefined);
      const outside = client.exit(() => lock().acquire());
      await lock().forceUnlock();
      const next = await outside;
      expect(await count()).toBe(1);
      await next.release();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
      lost.open();
      await expect(sibling).rejects.toThrow(LockLostError);
    });
    await expect(outer).rejects.toThrow(LockLostError);
    expect(ran).toBe(false);
  });
});

describe('leases of nested holds', () => {
  it('never shrink: a shorter fixed one inside leaves the TTL as it is', async () => {
    const { lock, name } = setUp();
    for (const outer of [{}, { leaseMs: 30_000 }]) {
      await lock().withLock(outer, async () => {
        await lock().withLock({ leaseMs: 1_000 }, async () => {
          expect(await kit.admin.pttl(name)).toBeGreaterThan(28_000);
        });
        expect(await kit.admin.pttl(name)).toBeGreaterThan(28_000);
      });
    }
  });

  it('are a minimum: a longer fixed one inside lengthens the TTL', async () => {
    const { lock, name } = setUp();
    await lock().withLock({ leaseMs: 5_000 }, async (hold) => {
      await lock().withLock({ leaseMs: 30_000 }, async () => {
        expect(await kit.admin.pttl(name)).toBeGreaterThan(28_000);
        expect(hold.remainingMs()).toBeGreaterThan(25_000);
      });
    });
  });

  it('are renewed while a watched one is open inside a fixed one, and no longer', async () => {
    const time = driveTime(kit);
    const client = openClient(kit);
    const name = freshName();
    const lock = client.getLock(name);
    const outer = lock.withLock({ leaseMs: 30_000 }, async (hold) => {
      await lock.withLock(async () => {
        for (const count of [1, 2, 3, 4]) {
          await time.advance(10_000);
          await waitUntil(() => confirmedRenewals(client) >= count, { what: `${count} renewals` });
        }
      });
      expect(hold.state).toBe('held');
      const { renewed } = client.stats().renewals;
      await time.advance(30_000);
      expect(hold.signal.reason).toMatchObject({ reason: 'expired' });
      expect(client.stats().renewals.renewed).toBe(renewed);
    });
    await expect(outer).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
  });
});

async function behindProxy() {
  const { host, port } = kit.server;
  const proxy = await faultProxy({ target: { host, port } });
  kit.cleanup(() => proxy.close());
  const client = openClient(kit, { redis: proxy.url });
  const name = freshName();
  return { proxy, client, name, lock: () => client.getLock(name), count: () => holdsInRedis(kit, name) };
}

async function breakConnection(proxy: Awaited<ReturnType<typeof faultProxy>>): Promise<void> {
  proxy.refuse();
  proxy.reset();
}
