/** Objects of an application's own tests in place of ours: what compiles here is the promise. */
import { describe, expect, it } from '@jest/globals';
import { type Hold, LockClient, type RLock } from 'holdfast';

const held: Hold = {
  name: 'order',
  signal: new AbortController().signal,
  state: 'held',
  remainingMs: () => 30_000,
  assertHeld: () => undefined,
  extend: async () => undefined,
  run: <T>(fn: () => T) => fn(),
  release: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

const lock: RLock = {
  name: 'order',
  lock: async () => undefined,
  tryLock: async () => true,
  unlock: async () => undefined,
  acquire: async () => held,
  tryAcquire: async () => held,
  withLock: async <T>(...args: unknown[]) => (args.at(-1) as (hold: Hold) => T)(held),
  tryWithLock: async <T>(...args: unknown[]) => ({
    ran: true as const,
    value: await (args.at(-1) as (hold: Hold) => T)(held),
  }),
  isLocked: async () => true,
  isHeldByCurrentScope: async () => true,
  getHoldCount: async () => 1,
  remainTimeToLive: async () => 30_000,
  forceUnlock: async () => true,
};

const notInHere = (): never => {
  throw new Error('this fake does not do that');
};

class FakeLocks implements LockClient {
  readonly clientId = 'fake';
  readonly ready = true;
  troubleWith = () => undefined;
  getLock = () => lock;
  getFairLock = () => lock;
  getFencedLock = notInHere;
  getSpinLock = () => lock;
  getReadWriteLock = notInHere;
  getSemaphore = notInHere;
  getPermitExpirableSemaphore = notInHere;
  getMultiLock = notInHere;
  getCountDownLatch = notInHere;
  election = notInHere;
  share = notInHere;
  oncePer = notInHere;
  connect = async () => undefined;
  run = <T>(fn: () => T): T => fn();
  exit = <T>(fn: () => T): T => fn();
  inspect = notInHere;
  listLocks = notInHere;
  stats = notInHere;
  on = () => this;
  once = () => this;
  off = () => this;
  close = async () => undefined;
  [Symbol.asyncDispose] = async () => undefined;
}

class Checkout {
  readonly #locks: LockClient;

  constructor(locks: LockClient) {
    this.#locks = locks;
  }

  pay(order: string): Promise<string> {
    return this.#locks.getLock(`order:${order}`).withLock(() => 'paid');
  }
}

describe('an object that has the members of a client, of a lock, or of a hold', () => {
  it('takes its place without a cast', async () => {
    await expect(new Checkout(new FakeLocks()).pay('42')).resolves.toBe('paid');
  });

  it('is no instance of the class', () => {
    expect(new FakeLocks()).not.toBeInstanceOf(LockClient);
  });
});
