import { keySlot } from '@holdfast/core';
import { type Wakeup, wakeups } from './world.js';
import type { LockClient, LockHandleOptions, RedLockClient, RLock } from 'holdfast';

/** One exclusive lock of the family: how to get it, and what else than the common contract may be asked of it. */
export interface ExclusivePrimitive {
  /** The method of {@link LockClient} that makes it. */
  readonly factory: string;
  /** A call inside a hold of its own enters at once. */
  readonly reenters: boolean;
  /** How its calls are woken up, if not in the way of their client. With `none` nobody can tell them anything, and the server does not know that they wait. */
  readonly wakeup?: Wakeup | 'none';
  /** What it does not have of that which comes with the scripts of the re-entrant lock. */
  readonly lacks?: readonly ('inherited' | 'extend' | 'minHoldMs')[];
  get(client: LockClient, name: string, options?: LockHandleOptions): RLock;
}

/**
 * Every exclusive lock that the client makes. Who adds one to the client adds it here: `members.test.ts` fails until then, and everything in
 * `exclusive.ts` is asked of it.
 */
export const exclusivePrimitives: readonly ExclusivePrimitive[] = [
  {
    factory: 'getFairLock',
    reenters: true,
    wakeup: 'queue',
    get: (client, name, options) => client.getFairLock(name, options),
  },
  {
    factory: 'getSpinLock',
    reenters: true,
    wakeup: 'none',
    get: (client, name, options) => client.getSpinLock(name, options),
  },
  {
    factory: 'getMultiLock',
    reenters: true,
    get: (client, name, options) =>
      client.getMultiLock([laterThan(name), name].map((member) => client.getLock(member, options))),
  },
  { factory: 'getFencedLock', reenters: true, get: (client, name, options) => client.getFencedLock(name, options) },
  {
    factory: 'getReadWriteLock',
    reenters: true,
    lacks: ['inherited', 'minHoldMs'],
    get: (client, name, options) => client.getReadWriteLock(name, options).writeLock(),
  },
  { factory: 'getLock', reenters: true, get: (client, name, options) => client.getLock(name, options) },
];

/** What the client makes beside exclusive locks: each has tests of its own. */
export const otherPrimitives: readonly string[] = ['getCountDownLatch', 'getPermitExpirableSemaphore', 'getSemaphore'];

/** A name that a multi-lock takes after `name`, which is a part of it. */
export function laterThan(name: string): string {
  for (let number = 1; ; number++) {
    const later = `${name}:${number}`;
    // Of one slot the longer name is the later one; of the last slot there is no other way.
    if (keySlot(later) >= keySlot(name)) return later;
  }
}

/** A lock by majority comes from a client of its own, over several servers: the contract is asked of it in worlds of its own. */
export const redlock: ExclusivePrimitive = {
  factory: 'getRedLock',
  reenters: true,
  lacks: ['inherited', 'extend', 'minHoldMs'],
  get: (client, name, options) => (client as unknown as RedLockClient).getRedLock(name, options),
};

/** The modes of a client in which a primitive is tried: where it wakes its calls in its own way, one is enough. */
export const modesOf = ({ wakeup }: ExclusivePrimitive): readonly Wakeup[] =>
  wakeup === undefined ? wakeups : ['queue'];
