import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { exclusiveContract } from './exclusive.js';
import { redlock } from './primitive.js';
import { redlockMemoryWorld } from './redlock-memory-world.js';

const world = redlockMemoryWorld();

describe(`getRedLock, ${world.title}`, () => {
  // The contract asks a client for nothing that this one has not.
  exclusiveContract(
    redlock,
    {
      title: world.title,
      until: world.until,
      outcome: world.outcome,
      deleteLock: world.deleteLock,
      keysOf: world.keysOf,
      waiters: world.waiters,
      open: (options) => world.open(without(options)) as unknown as LockClient,
    },
    'queue',
  );
});

it('a fixed lease by majority lasts for all that it asked for when the renewed hold around it is given back first', async () => {
  const lock = world.open({ watchdogTimeoutMs: 3_000, longestLeaseMs: 9_000 }).getRedLock('order');
  const outer = await world.outcome(lock.acquire());
  await world.pass(6_500);
  const inner = await world.outcome(outer.run(() => lock.acquire({ leaseMs: 6_000 })));
  await world.outcome(outer.release());
  await world.pass(5_700);
  expect(inner.state).toBe('held');
});

it.each([100, 1_000, 1_500, 2_900])(
  'a lock by majority that is to be held for %s ms at most is given',
  async (maxHoldMs) => {
    const lock = world.open({ watchdogTimeoutMs: 3_000 }).getRedLock('order');
    const hold = await world.outcome(lock.acquire({ maxHoldMs, waitMs: 1_000 }));
    expect(hold.state).toBe('held');
    await world.pass(maxHoldMs);
    expect(hold.signal.reason).toMatchObject({ reason: 'max-hold' });
  },
);

/** There is one way of waking up. */
function without(options: Record<string, unknown> = {}): object {
  return Object.fromEntries(Object.entries(options).filter(([option]) => option !== 'wakeup'));
}
