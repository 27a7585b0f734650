import { checkLock, checkTryLock, type CheckedOptions, type LockOptions } from '../acquire-options.js';
import type { ClientParts } from '../client-parts.js';
import { LockUnavailableError } from '../errors.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { reentrantPolicy } from '../exclusive/policy.js';
import { inFrame } from '../reports/site.js';
import { rejection } from '../scopes/settling.js';
import type { Fence } from '../tenure/fence.js';
import { callStyles, type NodeHost, startCall } from './acquisition.js';
import type { FencedHold, RFencedLock } from './fenced-lock.js';
import type { FencedOperations } from './fenced-operations.js';
import { FenceGuard, type Guard } from './guard.js';
import { HoldHandle, LOGGED } from './hold.js';
import { LockHandle, memberOf } from './lock-handle.js';
import type { Member } from './member.js';

/** See {@link FencedHold}. */
class FencedHoldHandle extends HoldHandle implements FencedHold {
  readonly #fence: Fence;
  readonly #parts: ClientParts;
  readonly #lockKey: string;
  #guard: Guard | undefined;

  constructor(host: NodeHost, record: HoldRecord, lockKey: string) {
    super(host, record);
    this.#fence = fenceOf(record);
    this.#parts = host.parts;
    this.#lockKey = lockKey;
  }

  get token(): number {
    return this.#fence.token;
  }

  get guard(): Guard {
    this.#guard ??= new FenceGuard(this.#parts, {
      name: this.name,
      lockKey: this.#lockKey,
      fence: this.#fence,
      assertHeld: () => this.assertHeld(),
    });
    return this.#guard;
  }

  override [LOGGED](): object {
    return { ...super[LOGGED](), token: this.token };
  }
}

const styles = { lockAndGetToken: callStyles.lock, tryLockAndGetToken: callStyles.tryLock } as const;

/** See {@link RFencedLock}. */
export class FencedLockHandle extends LockHandle<FencedHold> implements RFencedLock {
  constructor(host: NodeHost, operations: FencedOperations, owner: string | undefined, policy = reentrantPolicy) {
    const { key } = operations;
    super(host, operations, policy, owner, (_, record) => new FencedHoldHandle(host, record, key));
  }

  getToken(): Promise<number | null> {
    return Promise.resolve(memberOf(this)?.around()?.fence?.token ?? null);
  }

  lockAndGetToken(options?: number | LockOptions, ...surplus: readonly unknown[]): Promise<number> {
    // It waits without limit: it has the lock, or rejects.
    const check = () => checkLock(options, surplus, 'lockAndGetToken');
    return inFrame(this.#take('lockAndGetToken', check) as Promise<number>);
  }

  tryLockAndGetToken(
    waitMs?: number,
    leaseMs?: number,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<number | null> {
    const check = () => checkTryLock(waitMs, leaseMs, options, 'tryLockAndGetToken');
    return inFrame(this.#take('tryLockAndGetToken', check));
  }

  /** As `lock` or `tryLock`; null where the latter answers false. */
  #take(method: keyof typeof styles, check: () => CheckedOptions): Promise<number | null> {
    const self = memberOf(this) as Member;
    try {
      return startCall(self, {
        style: styles[method],
        entry: this[method],
        options: check(),
        completion: (outcome, joinedAt) => {
          if (typeof outcome === 'string') return null;
          self.keep(outcome, joinedAt);
          return fenceOf(outcome).token;
        },
      });
    } catch (error) {
      return rejection(error);
    }
  }
}

function fenceOf({ fence, name }: HoldRecord): Fence {
  if (fence === undefined) throw new LockUnavailableError(`Internal error: a hold of "${name}" has no token`, name);
  return fence;
}
