import type { LockClient } from 'holdfast';

/** What keeps two transfers from working on one account at the same time. */
export interface Guard {
  /** Runs `fn` as one thread: inside, taking an account that is held already only counts up. */
  thread<T>(fn: () => Promise<T>): Promise<T>;
  /** Runs `fn` while holding `account`. @throws AccountBusyError when it cannot be had in time. */
  holding<T>(account: string, fn: () => Promise<T>): Promise<T>;
}

/** Somebody else held the account for all the time we were willing to wait: perhaps a worker that has crashed. */
export class AccountBusyError extends Error {}

/** How long the lock of a crashed worker keeps others out. */
export const leaseMs = 2_000;

// Well below the lease: who waits for its second account must not outlive the lease of its first.
const waitMs = 1_000;

export const lockName = (account: string) => `account:${account}`;

export function lockGuard(locks: LockClient): Guard {
  return {
    thread: (fn) => locks.run(fn),
    async holding(account, fn) {
      const lock = locks.getLock(lockName(account));
      if (!(await lock.tryLock(waitMs, leaseMs))) throw new AccountBusyError(account);
      try {
        return await fn();
      } finally {
        await lock.unlock();
      }
    },
  };
}

/** For comparison: nothing keeps anybody out. */
export const noGuard: Guard = {
  thread: (fn) => fn(),
  holding: (_account, fn) => fn(),
};
