import { type RedisServer, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { CLAIM, LEASE, lockOn, TOMBSTONE } from '../support/lock.js';
import { useLockServer } from '../support/lock-server.js';
import { within } from '../support/matchers.js';

/**
 * The late duplicates that a lock on Redis must survive, one by one, as sequences of commands that no client would send
 * in this order: the copies come out of connections that were given up. `packages/holdfast/test/proof` has the same ten
 * with whole clients.
 */
const server = useLockServer();
const lock = lockOn(server);
const dirty = { tombstoneMs: TOMBSTONE };
const me = 'a:1';
const other = 'b:1';

describe('case 1: a copy of an acquire that arrives before the release', () => {
  it('finds the lock its own, counts nothing and leaves nothing after the release', async () => {
    await lock.ask(me);
    const before = await lock.state();
    expect(await lock.ask(me)).toMatchObject({ kind: 'mine', holdCount: 1, seq: 1 });
    expect(await lock.state()).toEqual(before);
    await lock.release(me, 2);
    expect(await lock.state()).toEqual({ lock: {}, queue: [], fresh: [], tombstones: [] });
  });

  it('neither shortens the lease nor undoes what came after it', async () => {
    await lock.ask(me);
    await lock.again(me, 2);
    await lock.ask(me, { leaseMs: 1_000 });
    expect(await lock.state()).toMatchObject({ lock: { [me]: '2', seq: '2' } });
    expect(await lock.pttl()).toBeGreaterThan(1_000);
  });
});

describe('case 2: a copy of an acquire that arrives after the release', () => {
  it('is refused while the lock is free', async () => {
    await lock.ask(me);
    await lock.release(me, 2, dirty);
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: {}, queue: [] });
  });

  it('takes no place in the queue of the next owner', async () => {
    await lock.ask(me);
    await lock.ask(other);
    await lock.release(me, 2, dirty);
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
    await lock.release(other, 2);
    expect(await lock.state()).toMatchObject({ lock: {}, queue: [], fresh: [] });
  });

  it('is a hold without a holder only where the release was clean, which a client never is with a copy on its way', async () => {
    await lock.ask(me);
    await lock.release(me, 2);
    expect(await lock.ask(me)).toMatchObject({ kind: 'acquired' });
  });
});

describe('case 3: a copy of an acquire that arrives after the lease has ended early', () => {
  it('is refused when the holder has been told and has cancelled', async () => {
    await lock.ask(me);
    await lock.vanish();
    await lock.cancel(me);
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it('gives the lock to no other than the hold that still believes in it, whose release leaves it free for good', async () => {
    await lock.ask(me);
    await lock.vanish();
    expect(await lock.ask(me)).toMatchObject({ kind: 'acquired', holdCount: 1 });
    expect(await lock.ask(other)).toMatchObject({ kind: 'wait' });
    expect(await lock.release(me, 2, dirty)).toEqual({ kind: 'granted', to: other });
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
  });

  it('makes a hold that was nested one hold again, so that its inner release is told and leaves nothing', async () => {
    await lock.ask(me);
    await lock.again(me, 2);
    await lock.vanish();
    await lock.ask(me);
    expect(await lock.release(me, 3, dirty)).not.toMatchObject({ kind: 'held' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it('queues behind the owner that came since, and is no hold once the holder has cancelled', async () => {
    await lock.ask(me);
    await lock.vanish();
    await lock.ask(other);
    expect(await lock.ask(me)).toMatchObject({ kind: 'wait' });
    await lock.cancel(me);
    await lock.release(other, 2);
    expect(await lock.state()).toMatchObject({ lock: {}, queue: [], fresh: [] });
  });
});

describe('case 4: a copy of a nested acquire', () => {
  it('does not count a second time', async () => {
    await lock.ask(me);
    await lock.again(me, 2);
    expect(await lock.again(me, 2)).toMatchObject({ kind: 'held', holdCount: 2 });
  });

  it('does not take back the nested release', async () => {
    await lock.ask(me);
    await lock.again(me, 2);
    await lock.release(me, 3);
    expect(await lock.again(me, 2)).toMatchObject({ kind: 'held', holdCount: 1 });
    expect(await lock.release(me, 4)).toEqual({ kind: 'released', left: 0 });
  });

  it('after the last release neither revives the lock nor touches the next owner', async () => {
    await lock.ask(me);
    await lock.again(me, 2);
    await lock.release(me, 3);
    await lock.release(me, 4);
    expect(await lock.again(me, 2)).toEqual({ kind: 'lost' });
    await lock.ask(other);
    expect(await lock.again(me, 2)).toEqual({ kind: 'lost' });
    expect(await lock.state()).toMatchObject({ lock: { [other]: '1', seq: '1' } });
  });
});

describe('case 5: a copy of a release that arrives when another owner holds the lock', () => {
  it.each([
    ['was granted it', async () => void (await lock.ask(other)), async () => undefined],
    ['took it later', async () => undefined, async () => void (await lock.ask(other))],
  ])('answers that it was released, and leaves the owner alone that %s', async (_, before, after) => {
    await lock.ask(me);
    await before();
    await lock.release(me, 2, dirty);
    await after();
    await lock.again(other, 2);
    const state = await lock.state();
    expect(await lock.release(me, 2, dirty)).toEqual({ kind: 'released', left: 0 });
    expect(await lock.state()).toEqual(state);
  });

  it('of a nested hold does not count down twice', async () => {
    await lock.ask(me);
    await lock.again(me, 2);
    await lock.again(me, 3);
    await lock.release(me, 4);
    expect(await lock.release(me, 4)).toEqual({ kind: 'held', holdCount: 2 });
  });
});

describe('case 6: a copy of a release that arrives when its tombstone has gone', () => {
  it('answers that it holds nothing, and changes nothing', async () => {
    await lock.ask(me);
    await lock.ask(other);
    await lock.release(me, 2, dirty);
    await server.redis.del(lock.keys.dead(me));
    expect(await lock.release(me, 2)).toEqual({ kind: 'notHeld' });
    expect(await lock.state()).toMatchObject({ lock: { [other]: '1', seq: '1' }, queue: [] });
  });

  it('brings the tombstone back when it is dirty, with a TTL', async () => {
    await lock.ask(me);
    await lock.release(me, 2, dirty);
    await server.redis.del(lock.keys.dead(me));
    expect(await lock.release(me, 2, dirty)).toEqual({ kind: 'notHeld' });
    expect(await server.redis.pttl(lock.keys.dead(me))).toEqual(within(1, TOMBSTONE));
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
  });
});

describe('case 7: a cancel that arrives before its acquire', () => {
  it('has the acquire refused, also once the lock has changed hands', async () => {
    expect(await lock.cancel(me)).toEqual({ kind: 'cancelled', wasGranted: false, left: 0 });
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
    await lock.ask(other);
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
    await lock.release(other, 2);
    expect(await lock.ask(me)).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: {}, queue: [], fresh: [] });
  });

  it('which comes twice does no more', async () => {
    await lock.cancel(me);
    await lock.ask(other);
    const before = await lock.state();
    await lock.cancel(me);
    expect(await lock.state()).toEqual(before);
  });
});

describe('case 8: a renewal that arrives after', () => {
  it.each([
    ['a clean release', () => lock.release(me, 2)],
    ['a dirty release', () => lock.release(me, 2, dirty)],
    ['a cancel', () => lock.cancel(me)],
  ])('%s is lost and creates no key', async (_, end) => {
    await lock.ask(me);
    await end();
    const before = await lock.state();
    expect(await lock.renew(me)).toEqual({ kind: 'lost', reason: 'deleted' });
    expect(await lock.state()).toEqual(before);
    expect(before.lock).toEqual({});
  });
});

describe('case 9: a renewal that arrives after a force and the next grant', () => {
  it('is lost and does not lengthen the lease of the next owner', async () => {
    await lock.ask(me);
    await lock.ask(other);
    await lock.force('x:1');
    expect(await lock.renew(me)).toEqual({ kind: 'lost', reason: 'taken' });
    expect(await lock.pttl()).toEqual(within(1, CLAIM));
    expect(await lock.state()).toMatchObject({ lock: { [other]: '1', seq: '1' } });
  });

  it('is lost on a lock that was forced away from it and is free', async () => {
    await lock.ask(me);
    await lock.force('x:1');
    expect(await lock.renew(me)).toEqual({ kind: 'lost', reason: 'deleted' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });
});

describe('case 10: a copy of an acquire that arrives at a promoted replica without its tombstone', () => {
  let replica: RedisServer;
  let promoted: Redis;

  beforeAll(async () => {
    replica = await startPrivateRedis({ args: ['--repl-diskless-sync-delay', '0'] });
    promoted = await replica.admin();
    await server.redis.config('SET', 'repl-diskless-sync-delay', '0');
  });
  afterAll(() => replica.stop());

  /** The replica has what `replicated` wrote and nothing after it; commands on `there` go to it. */
  async function promoteAfter(replicated: () => Promise<unknown>) {
    const { host, port } = server.redis.options;
    await promoted.replicaof(String(host), Number(port));
    await replicated();
    await waitUntil(async () => (await server.redis.wait(1, 50)) === 1, {
      what: 'the replica has it',
      timeoutMs: 5_000,
    });
    await promoted.replicaof('NO', 'ONE');
    return lockOn(server, { client: promoted });
  }

  it('may be a hold without a holder, which lasts no longer than its lease', async () => {
    const there = await promoteAfter(async () => undefined);
    await lock.ask(me);
    await lock.release(me, 2, dirty);
    expect(await there.ask(me)).toMatchObject({ kind: 'acquired' });
    expect(await promoted.pttl(there.keys.lock)).toEqual(within(1, LEASE));
    expect(await there.ask(other)).toMatchObject({ kind: 'wait' });
  });

  it('does not revive the lease of a lock that the replica still has', async () => {
    const there = await promoteAfter(() => lock.ask(me));
    await lock.release(me, 2, dirty);
    await promoted.pexpire(there.keys.lock, 5_000);
    expect(await there.ask(me, { leaseMs: 1_000 })).toMatchObject({ kind: 'mine', holdCount: 1 });
    expect(await promoted.pttl(there.keys.lock)).toEqual(within(1, 5_000));
  });

  it('ends with a copy of the release or of the cancel, and is refused from then on', async () => {
    const there = await promoteAfter(async () => undefined);
    await there.ask(me);
    expect(await there.release(me, 2, dirty)).toEqual({ kind: 'released', left: 0 });
    expect(await there.ask(me)).toEqual({ kind: 'dead' });
    await there.cancel(other);
    expect(await there.ask(other)).toEqual({ kind: 'dead' });
    expect(await promoted.exists(there.keys.lock, there.keys.queue)).toBe(0);
  });

  it('is refused where the replica has the tombstone', async () => {
    const there = await promoteAfter(async () => {
      await lock.ask(me);
      await lock.release(me, 2, dirty);
    });
    expect(await there.ask(me)).toEqual({ kind: 'dead' });
  });
});
