import { describe } from '@jest/globals';
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

/** There is one way of waking up. */
function without(options: Record<string, unknown> = {}): object {
  return Object.fromEntries(Object.entries(options).filter(([option]) => option !== 'wakeup'));
}
