import { describe, expect, it } from '@jest/globals';
import { LEASE, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;

describe('again', () => {
  it('adds a hold and stores the step', async () => {
    await lock.ask('a:1');
    expect(await lock.again('a:1', 2)).toEqual({ kind: 'held', holdCount: 2, remainingMs: almost(LEASE) });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '2', seq: '2' } });
  });

  it.each([
    { asked: 0, expected: almost(LEASE), why: 'leaves the lease when none is given' },
    { asked: LEASE / 2, expected: almost(LEASE), why: 'never shortens the lease' },
    { asked: LEASE * 2, expected: almost(LEASE * 2), why: 'raises a shorter lease' },
  ])('$why', async ({ asked, expected }) => {
    await lock.ask('a:1');
    expect(await lock.again('a:1', 2, asked)).toMatchObject({ remainingMs: expected });
    expect(await lock.pttl()).toEqual(expected);
  });

  it('leaves a lock alone that has no TTL, unless a lease is given', async () => {
    await lock.ask('a:1');
    await server.redis.persist(keys.lock);
    expect(await lock.again('a:1', 2)).toEqual({ kind: 'held', holdCount: 2, remainingMs: undefined });
    expect(await lock.again('a:1', 3, LEASE)).toEqual({ kind: 'held', holdCount: 3, remainingMs: LEASE });
  });

  it('counts a copy once', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 3);
    for (const seq of [1, 2, 3]) {
      expect(await lock.again('a:1', seq, LEASE * 2)).toEqual({
        kind: 'held',
        holdCount: 2,
        remainingMs: almost(LEASE),
      });
    }
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '2', seq: '3' } });
  });

  it('never creates a lock', async () => {
    expect(await lock.again('a:1', 2, LEASE)).toEqual({ kind: 'lost' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it("never touches another owner's lock, not even of the same client", async () => {
    await lock.ask('a:1');
    expect(await lock.again('a:2', 2, LEASE * 2)).toEqual({ kind: 'lost' });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '1' } });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });
});

describe('handoff', () => {
  it.each([LEASE / 2, LEASE * 2])('gives the new hold exactly its own lease (%d ms)', async (leaseMs) => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    expect(await lock.handoff('a:1', 2, leaseMs)).toEqual({
      kind: 'passed',
      remainingMs: leaseMs,
      others: 1,
      nowMs: expect.any(Number),
    });
    expect(await lock.pttl()).toEqual(almost(leaseMs));
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '2' }, queue: ['b:1'] });
  });

  it('sends no message', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    const channels = await server.listen('holdfast_inbox:a', 'holdfast_inbox:b', keys.releaseChannel);
    await lock.handoff('a:1', 2);
    expect(await channels.received()).toEqual([]);
  });

  it('does nothing the second time', async () => {
    await lock.ask('a:1');
    await lock.handoff('a:1', 2, LEASE / 2);
    expect(await lock.handoff('a:1', 2, LEASE * 2)).toMatchObject({ kind: 'passed', remainingMs: almost(LEASE / 2) });
    expect(await lock.handoff('a:1', 1, LEASE * 2)).toMatchObject({ kind: 'passed', remainingMs: almost(LEASE / 2) });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '2' } });
  });

  it('is refused while there is more than one hold', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    expect(await lock.handoff('a:1', 3, LEASE * 2)).toEqual({ kind: 'lost' });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '2', seq: '2' } });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('never creates a lock and never touches that of another owner', async () => {
    expect(await lock.handoff('a:1', 2)).toEqual({ kind: 'lost' });
    await lock.ask('b:1');
    expect(await lock.handoff('a:1', 2, LEASE * 2)).toEqual({ kind: 'lost' });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1', seq: '1' } });
  });
});
