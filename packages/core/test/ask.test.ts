import { describe, expect, it } from '@jest/globals';
import { CLAIM, FRESH, FRESH_TTL, LEASE, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost, within } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;

describe('ask for a free lock without waiters', () => {
  it('acquires with count 1, seq 1 and the full lease', async () => {
    expect(await lock.ask('a:1')).toEqual({ kind: 'acquired', holdCount: 1, seq: 1, remainingMs: LEASE, others: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '1' }, queue: [], fresh: [] });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('acquires also for a caller that would not wait', async () => {
    expect(await lock.ask('a:1', { freshMs: 0 })).toMatchObject({ kind: 'acquired' });
  });
});

describe('ask by the owner', () => {
  it('answers with what it owns and raises a shorter lease', async () => {
    await lock.ask('a:1', { leaseMs: 1_000 });
    await lock.again('a:1', 2);
    await lock.ask('b:1');
    const reply = await lock.ask('a:1');
    expect(reply).toEqual({
      kind: 'mine',
      holdCount: 2,
      seq: 2,
      remainingMs: LEASE,
      others: 1,
      nowMs: expect.any(Number),
      inherited: 'nothing',
    });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('writes also when the lease is long enough, so that WAIT can confirm a grant', async () => {
    const writes = async () =>
      Number(/rdb_changes_since_last_save:(\d+)/.exec(await server.redis.info('persistence'))?.[1]);
    await lock.ask('a:1', { leaseMs: LEASE });
    const before = await writes();
    expect(await lock.ask('a:1', { leaseMs: 1_000 })).toMatchObject({ kind: 'mine' });
    expect(await writes()).toBe(before + 1);
  });

  it('never shortens the lease', async () => {
    await lock.ask('a:1');
    const reply = await lock.ask('a:1', { leaseMs: 1_000 });
    expect(reply).toMatchObject({ kind: 'mine', remainingMs: almost(LEASE) });
    expect(await lock.pttl()).toBeGreaterThan(1_000);
  });

  it('repairs a lock that has lost its TTL', async () => {
    await lock.ask('a:1');
    await server.redis.persist(keys.lock);
    expect(await lock.ask('a:1')).toMatchObject({ kind: 'mine', remainingMs: LEASE });
    expect(await lock.pttl()).toBeGreaterThan(0);
  });

  it('reports server time', async () => {
    await lock.ask('a:1');
    const reply = await lock.ask('a:1');
    const [seconds] = await server.redis.time();
    if (reply.kind !== 'mine') throw new Error(reply.kind);
    expect(reply.nowMs / 1_000).toEqual(within(Number(seconds) - 2, Number(seconds) + 1));
  });
});

describe('ask while another tenure owns the lock', () => {
  it('does not queue when freshMs is 0', async () => {
    await lock.ask('a:1');
    expect(await lock.ask('b:1', { freshMs: 0 })).toEqual({
      kind: 'busy',
      remainingMs: almost(LEASE),
      foreign: false,
      resting: false,
      left: 0,
    });
    expect(await lock.state()).toMatchObject({ queue: [], fresh: [] });
  });

  it('queues in the order of asking', async () => {
    await lock.ask('a:1');
    const b = await lock.ask('b:1');
    const c = await lock.ask('c:1');
    expect(b).toMatchObject({ kind: 'wait', position: 0, remainingMs: almost(LEASE) });
    expect(c).toMatchObject({ kind: 'wait', position: 1, foreign: false });
    expect(await lock.state()).toMatchObject({ queue: ['b:1', 'c:1'], fresh: ['b:1', 'c:1'] });
  });

  it('keeps the place and the ticket when asked again, and refreshes how long it may be granted', async () => {
    await lock.ask('a:1');
    const first = await lock.ask('b:1');
    await lock.ask('c:1');
    await lock.makeStale('b:1');
    const second = await lock.ask('b:1');
    if (first.kind !== 'wait' || second.kind !== 'wait') throw new Error('must wait');
    expect(second).toMatchObject({ position: 0, ticket: first.ticket });
    const { queue } = await lock.inspect();
    expect(queue[0]).toEqual({
      ...{ tenure: 'b:1', ticket: first.ticket },
      ...{ freshUntilMs: second.nowMs + FRESH, leaseMs: LEASE },
    });
  });

  it('gets its place back by its ticket after it was passed over', async () => {
    await lock.ask('a:1');
    const first = await lock.ask('b:1');
    await lock.ask('c:1');
    if (first.kind !== 'wait') throw new Error('must wait');
    await server.redis.zrem(keys.queue, 'b:1');
    expect(await lock.ask('b:1', { ticket: first.ticket })).toMatchObject({ position: 0, ticket: first.ticket });
  });

  it('makes tickets of server time in microseconds, without loss of digits', async () => {
    await lock.ask('a:1');
    const reply = await lock.ask('b:1');
    if (reply.kind !== 'wait') throw new Error(reply.kind);
    expect(Math.floor(reply.ticket / 1_000)).toBe(reply.nowMs);
    expect(await server.redis.zscore(keys.queue, 'b:1')).toBe(`${reply.ticket}`);
    const odd = 1_795_207_659_985_601;
    expect(await lock.ask('c:1', { ticket: odd })).toMatchObject({ ticket: odd });
    expect(await server.redis.zscore(keys.queue, 'c:1')).toBe(`${odd}`);
  });

  it('raises the TTL of queue and fresh when it is near, and never lowers it: clients with longer periods wait there too', async () => {
    await lock.ask('a:1');
    const ttls = () => Promise.all([keys.queue, keys.fresh].map((key) => server.redis.pttl(key)));
    for (const freshTtlMs of [FRESH_TTL / 10, FRESH_TTL, FRESH_TTL / 10]) {
      await lock.ask('b:1', { freshTtlMs });
      await lock.ask('c:1', { freshTtlMs: 100 });
      for (const ttl of await ttls()) expect(ttl).toEqual(within(freshTtlMs, 2 * FRESH_TTL));
    }
    expect(await ttls()).toEqual([almost(2 * FRESH_TTL), almost(2 * FRESH_TTL)]);
    for (const key of [keys.queue, keys.fresh]) await server.redis.pexpire(key, FRESH_TTL);
    await lock.ask('b:1');
    expect(await ttls()).toEqual([almost(2 * FRESH_TTL), almost(2 * FRESH_TTL)]);
  });

  it.each(['queue', 'fresh'] as const)(
    'gives a TTL to each key that it makes, also where only the %s was deleted',
    async (which) => {
      await lock.ask('a:1');
      await lock.ask('b:1');
      await server.redis.del(keys[which]);
      await lock.ask('c:1');
      expect(await server.redis.pttl(keys.queue)).toEqual(almost(2 * FRESH_TTL));
      expect(await server.redis.pttl(keys.fresh)).toEqual(almost(2 * FRESH_TTL));
    },
  );

  it('gives a newcomer a place behind all others, also after the clock of the server has gone back', async () => {
    await lock.ask('a:1');
    const later = (Date.now() + 3_600_000) * 1_000;
    await lock.ask('b:1', { ticket: later });
    expect(await lock.ask('c:1')).toMatchObject({ kind: 'wait', position: 1, ticket: later + 1 });
    expect(await lock.ask('d:1')).toMatchObject({ kind: 'wait', position: 2, ticket: later + 2 });
  });

  it('drops a few dead waiters at the head of a long queue', async () => {
    await lock.ask('a:1');
    const dead = Array.from({ length: 40 }, (_, i) => `dead:${i}`);
    for (const tenure of dead) await lock.ask(tenure);
    for (const tenure of dead) await lock.makeStale(tenure);
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 24 });
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 8 });
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 8 });
    expect((await lock.state()).fresh).toHaveLength(9);
  });

  it('tells the owner, when the head asks and only then', async () => {
    await lock.ask('owner:a:1');
    const inbox = await server.listen('holdfast_inbox:a');
    await lock.ask('b:1', { freshMs: 0 });
    expect(await inbox.received()).toEqual([]);
    await lock.ask('b:1');
    expect(await inbox.received()).toEqual([['holdfast_inbox:a', '1 contended owner:a:1']]);
    await lock.ask('c:1');
    expect(await inbox.received()).toEqual([]);
    await lock.ask('b:1');
    expect(await inbox.received()).toEqual([['holdfast_inbox:a', '1 contended owner:a:1']]);
  });

  it('reports a foreign owner, queues all the same, and does not try to tell it', async () => {
    await server.redis.hset(keys.lock, '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17', 1);
    await server.redis.pexpire(keys.lock, LEASE);
    const inbox = await server.listen('holdfast_inbox:0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60');
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 0, foreign: true });
    expect(await lock.ask('c:1', { freshMs: 0 })).toMatchObject({ kind: 'busy', foreign: true });
    expect(await inbox.received()).toEqual([]);
    expect(await lock.state()).toMatchObject({ lock: { '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17': '1' } });
  });

  it('reports no remaining lease when a foreign writer left the lock without TTL', async () => {
    await server.redis.hset(keys.lock, '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17', 1);
    server.expectLasting(keys.lock);
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', remainingMs: undefined });
    expect(await lock.ask('c:1', { freshMs: 0 })).toMatchObject({ kind: 'busy', remainingMs: undefined });
  });
});

describe('ask when the lock is free and others wait', () => {
  async function freeWithQueue(...waiting: string[]) {
    await lock.ask('a:1');
    for (const tenure of waiting) await lock.ask(tenure);
    await lock.vanish();
  }

  it('serves the head, not the newcomer, who queues', async () => {
    await freeWithQueue('b:1');
    const inbox = await server.listen('holdfast_inbox:b');
    expect(await lock.ask('n:1')).toMatchObject({ kind: 'wait', position: 0, remainingMs: CLAIM, foreign: false });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1', seq: '1' }, queue: ['n:1'], fresh: ['n:1'] });
    expect(await inbox.received()).toHaveLength(1);
  });

  it('serves the asking head itself with its full lease and no message', async () => {
    await freeWithQueue('b:1', 'c:1');
    const inbox = await server.listen('holdfast_inbox:b', 'holdfast_inbox:c');
    expect(await lock.ask('b:1')).toEqual({
      kind: 'acquired',
      holdCount: 1,
      seq: 1,
      remainingMs: LEASE,
      others: 1,
      inherited: { reason: 'expired', since: expect.any(Number) },
    });
    expect(await lock.pttl()).toBeGreaterThan(CLAIM);
    expect(await lock.state()).toMatchObject({ queue: ['c:1'], fresh: ['c:1'] });
    expect(await inbox.received()).toEqual([]);
  });

  it('passes over waiters whose time is over and reaches the newcomer', async () => {
    await freeWithQueue('b:1', 'c:1');
    await lock.makeStale('b:1');
    await server.redis.hdel(keys.fresh, 'c:1');
    expect(await lock.ask('n:1')).toMatchObject({ kind: 'acquired', others: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'n:1': '1' }, queue: [], fresh: [] });
  });

  it('serves the head also when the caller would not wait', async () => {
    await freeWithQueue('b:1');
    expect(await lock.ask('n:1', { freshMs: 0 })).toMatchObject({ kind: 'busy', remainingMs: CLAIM });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' }, queue: [], fresh: [] });
  });

  it('takes the lock without waiting when no waiter is live', async () => {
    await freeWithQueue('b:1');
    await lock.makeStale('b:1');
    expect(await lock.ask('n:1', { freshMs: 0 })).toMatchObject({ kind: 'acquired', remainingMs: LEASE, others: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'n:1': '1' }, queue: [], fresh: [] });
  });

  it('stops after 64 dead waiters and leaves the rest to the next ask, without overtaking anyone', async () => {
    const dead = Array.from({ length: 64 }, (_, i) => `dead:${i}`);
    await freeWithQueue(...dead, 'live:1');
    for (const tenure of dead) await lock.makeStale(tenure);
    expect(await lock.ask('n:1', { freshMs: 0 })).toMatchObject({ kind: 'busy', remainingMs: 0 });
    expect(await lock.state()).toMatchObject({ lock: {}, queue: ['live:1'] });
    expect(await lock.ask('n:1')).toMatchObject({ kind: 'wait', remainingMs: CLAIM });
    expect(await lock.state()).toMatchObject({ lock: { 'live:1': '1' }, queue: ['n:1'] });
  });
});

it('tells a waiter nothing of a lock that was given back, however many of the dead stood before it', async () => {
  await lock.ask('a:1');
  const dead = Array.from({ length: 129 }, (_, i) => `dead:${i}`);
  for (const tenure of [...dead, 'live:1']) await lock.ask(tenure);
  for (const tenure of dead) await lock.makeStale(tenure);
  expect(await lock.release('a:1', 2)).toEqual({ kind: 'released', left: 66 });
  expect(await lock.serve()).toEqual({ kind: 'served', left: 2 });
  expect(await lock.serve()).toEqual({ kind: 'served', left: 0 });
  expect(await lock.ask('live:1')).toMatchObject({ kind: 'mine', inherited: 'nothing' });
});

describe('ask of a tombstoned tenure', () => {
  it('does nothing', async () => {
    await lock.cancel('a:1');
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: {}, queue: [], fresh: [] });
    await lock.ask('b:1');
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' }, queue: [], fresh: [] });
  });

  it('does not concern other tenures of the same client', async () => {
    await lock.cancel('a:1');
    expect(await lock.ask('a:2')).toMatchObject({ kind: 'acquired' });
  });
});

it('never touches a key of another type', async () => {
  await server.redis.set(keys.lock, 'somebody else', 'PX', 10_000);
  await expect(lock.ask('a:1')).rejects.toThrow(/^NOTALOCK /);
  expect(await server.redis.get(keys.lock)).toBe('somebody else');
  expect(await server.redis.exists(keys.queue)).toBe(0);
});

it('never takes a hash for free that has no owner', async () => {
  await server.redis.hset(keys.lock, 'mode', 'dark');
  server.expectLasting(keys.lock);
  await expect(lock.ask('a:1')).rejects.toThrow(/^NOTALOCK /);
  expect(await lock.state()).toMatchObject({ lock: { mode: 'dark' }, queue: [], fresh: [] });
});
