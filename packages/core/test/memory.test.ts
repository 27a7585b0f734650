import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { guardedKeys, guardText, latch, permits, run, semaphoreKeys } from '../src/index.js';
import { CLAIM, LEASE, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const lock = lockOn(server);
const dirty = { tombstoneMs: TOMBSTONE };

const fill = () => server.redis.config('SET', 'maxmemory', '1');

beforeEach(() => server.redis.config('SET', 'maxmemory-policy', 'noeviction'));
afterEach(() => server.redis.config('SET', 'maxmemory', '0'));

describe('on a server out of memory', () => {
  it('a new ask is refused and leaves nothing', async () => {
    await fill();
    await expect(lock.ask('a:1')).rejects.toThrow(/OOM/);
    expect(await lock.state()).toEqual({ lock: {}, queue: [], fresh: [], tombstones: [] });
  });

  it('a new waiter is refused and leaves nothing, while one in the queue keeps its place fresh', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.makeStale('b:1');
    await fill();
    await expect(lock.ask('c:1')).rejects.toThrow(/OOM/);
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 0 });
    expect(await lock.state()).toMatchObject({ queue: ['b:1'], fresh: ['b:1'] });
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'granted', to: 'b:1' });
  });

  it('an ask still serves the head of an abandoned lock', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.vanish();
    await fill();
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'acquired' });
  });

  it('an ask of a newcomer still serves the head of an abandoned lock', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.vanish();
    await fill();
    expect(await lock.ask('n:1')).toMatchObject({ kind: 'wait', position: 0, remainingMs: CLAIM });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
  });

  it.each([{ tombstoneMs: 0 }, dirty])('the last release frees the lock (%j)', async (options) => {
    await lock.ask('a:1');
    await fill();
    expect(await lock.release('a:1', 2, options)).toEqual({ kind: 'released', left: 0 });
    expect(await lock.state()).toMatchObject({ lock: {}, tombstones: options.tombstoneMs ? [expect.any(String)] : [] });
  });

  it.each([{ tombstoneMs: 0 }, dirty])('the last release grants the next waiter (%j)', async (options) => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await fill();
    expect(await lock.release('a:1', 2, options)).toEqual({ kind: 'granted', to: 'b:1' });
    expect(await lock.pttl()).toBeGreaterThan(0);
  });

  it('a nested release counts down', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    await fill();
    expect(await lock.release('a:1', 3)).toEqual({ kind: 'held', holdCount: 1 });
  });

  it('a release by a tenure that is not the owner leaves its tombstone', async () => {
    await fill();
    await lock.release('a:1', 2, dirty);
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
  });

  it('a cancel withdraws a waiter for good', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await fill();
    expect(await lock.cancel('b:1')).toEqual({ kind: 'cancelled', wasGranted: false, left: 0 });
    expect(await lock.ask('b:1')).toEqual({ kind: 'dead' });
  });

  it('a cancel passes the lock on', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await fill();
    expect(await lock.cancel('a:1')).toEqual({ kind: 'cancelled', wasGranted: true, left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
  });

  it('a force passes the lock on', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await fill();
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'a:1', alsoBefore: [], left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
  });

  it('renewals and handoffs work', async () => {
    await lock.ask('a:1', { leaseMs: CLAIM });
    await fill();
    expect(await lock.renew('a:1')).toMatchObject({ kind: 'renewed', remainingMs: LEASE });
    expect(await lock.handoff('a:1', 2, CLAIM)).toMatchObject({ kind: 'passed', remainingMs: CLAIM });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '2' } });
  });

  it('a nested acquire is refused without effect, or counts', async () => {
    await lock.ask('a:1');
    await fill();
    await expect(lock.again('a:1', 2)).rejects.toThrow(/OOM/);
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '1' } });
    expect(await lock.again('a:1', 2, LEASE * 2)).toMatchObject({ kind: 'held', holdCount: 2 });
  });

  it('what a guard deletes is gone, and its record refuses late writers', async () => {
    const keys = guardedKeys('report');
    await server.redis.set('report', 'x');
    await fill();
    const write = (token: number, command: Parameters<typeof guardText>[2]) =>
      run(server.port, guardText(keys, { token, n: 1 }, command));
    expect(await write(2, { command: 'DEL' })).toEqual({ kind: 'written' });
    expect(await server.redis.exists('report')).toBe(0);
    expect(await write(1, { command: 'SET', value: 'y', ttlMs: 0 })).toEqual({ kind: 'stale', token: 2 });
  });

  const stock = semaphoreKeys('stock');
  const counting = (change: permits.Counting) =>
    run(
      server.port,
      permits.count(stock, { change, request: 'r:1', tombstoneMs: 10_000, claimMs: CLAIM, trust: false }),
    );
  const gate = latch.latchKeys('gate');
  const setting = (request: string) =>
    run(server.port, latch.trySet(gate, { count: 3, request, tombstoneMs: 10_000, trust: false }));

  it.each<permits.Counting>([
    { how: 'begin', permits: 3, ttlMs: undefined },
    { how: 'total', permits: 3 },
    { how: 'add', permits: 3 },
  ])('a new semaphore is refused and leaves nothing ($how)', async (change) => {
    await fill();
    await expect(counting(change)).rejects.toThrow(/OOM/);
    expect(await server.redis.keys('*')).toEqual([]);
  });

  it.each<permits.Counting>([
    { how: 'total', permits: 5 },
    { how: 'add', permits: 2 },
  ])('the permits of a semaphore can be changed ($how)', async (change) => {
    server.expectLasting(stock.count);
    await server.redis.set(stock.count, 3);
    await fill();
    expect(await counting(change)).toMatchObject({ changed: true });
    expect(await server.redis.get(stock.count)).toBe('5');
  });

  it('a new latch is refused and leaves nothing, and one that is there is found', async () => {
    await fill();
    await expect(setting('r:1')).rejects.toThrow(/OOM/);
    expect(await server.redis.keys('*')).toEqual([]);
    await server.redis.config('SET', 'maxmemory', '0');
    server.expectLasting(gate.latch);
    expect(await setting('r:2')).toBe(true);
    await fill();
    expect(await setting('r:3')).toBe(false);
  });
});
