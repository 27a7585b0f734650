import {
  checkAcquire,
  type CheckedOptions,
  lockCallOptions,
  type LockOptions,
  tryLockCallOptions,
} from '../acquire-options.js';
import { LockUnavailableError } from '../errors.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { reentrantPolicy } from '../exclusive/policy.js';
import { checkKeys } from '../options.js';
import { rejection } from '../scopes/settling.js';
import type { LockHost } from './acquisition.js';
import type { FencedHold, RFencedLock } from './fenced-lock.js';
import type { FencedOperations } from './fenced-operations.js';
import { HoldHandle } from './hold.js';
import { callStyles, LockHandle, type Member, memberOf } from './lock-handle.js';

/** See {@link FencedHold}. */
class FencedHoldHandle extends HoldHandle implements FencedHold {
  readonly #record: HoldRecord;

  constructor(host: LockHost, record: HoldRecord) {
    super(host, record);
    this.#record = record;
  }

  get token(): number {
    return tokenOf(this.#record);
  }
}

const styles = { lockAndGetToken: callStyles.lock, tryLockAndGetToken: callStyles.tryLock } as const;

const fencedHold = (host: LockHost, record: HoldRecord) => new FencedHoldHandle(host, record);

/** See {@link RFencedLock}. */
export class FencedLockHandle extends LockHandle<FencedHold> implements RFencedLock {
  constructor(host: LockHost, operations: FencedOperations, owner: string | undefined) {
    super(host, operations, reentrantPolicy, owner, fencedHold);
  }

  getToken(): Promise<number | null> {
    return Promise.resolve(memberOf(this)?.around()?.fence?.token ?? null);
  }

  lockAndGetToken(options?: number | LockOptions): Promise<number> {
    const given = typeof options === 'number' ? { leaseMs: options } : options;
    // It waits without limit: it has the lock, or rejects.
    const check = () => checkAcquire(given, 'lockAndGetToken', lockCallOptions);
    return this.#take('lockAndGetToken', check) as Promise<number>;
  }

  tryLockAndGetToken(waitMs?: number, leaseMs?: number, options?: { signal?: AbortSignal }): Promise<number | null> {
    return this.#take('tryLockAndGetToken', () => {
      if (options !== undefined) checkKeys('tryLockAndGetToken', options, tryLockCallOptions);
      return checkAcquire({ signal: options?.signal, waitMs, leaseMs }, 'tryLockAndGetToken');
    });
  }

  /** As `lock` or `tryLock`; null where the latter answers false. */
  #take(method: keyof typeof styles, check: () => CheckedOptions): Promise<number | null> {
    const self = memberOf(this) as Member;
    try {
      return self.take({
        style: styles[method],
        entry: this[method],
        options: check(),
        completion: (outcome, joinedAt) => {
          if (typeof outcome === 'string') return null;
          self.keep(outcome, joinedAt);
          return tokenOf(outcome);
        },
      });
    } catch (error) {
      return rejection(error);
    }
  }
}

function tokenOf({ fence, name }: HoldRecord): number {
  if (fence === undefined) throw new LockUnavailableError(`Internal error: a hold of "${name}" has no token`, name);
  return fence.token;
}
