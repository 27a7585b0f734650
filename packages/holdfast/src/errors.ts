/** The errors of a call, and all others: what code outside imports. */

import { redisCodeOf } from './connection/reply-errors.js';
import { atFirst, called, LockErrorBase, named } from './lock-error.js';
import type { LimitOptions } from './options.js';
import type {
  LockNotReplicatedError,
  LockRefusedError,
  LockUnavailableError,
  SharedFailureError,
  StaleTokenError,
} from './redis-errors.js';

export type { LockErrorBase, LockErrorCode } from './lock-error.js';
export * from './redis-errors.js';

/** What a call that waited for nothing has seen, for messages. */
const inWords = {
  busy: (ms: number, kind: string) =>
    // No client knows who has a majority.
    `stayed busy for ${ms} ms${kind === 'redlock' ? '' : `: ${kind === 'semaphore' ? 'its ' : 'client.'}inspect() tells who has it`}`,
  unanswered: (ms: number) => `was not had within ${ms} ms: there was no answer to the question for it yet`,
};

/**
 * A call with a limit (`waitMs`, or `maxAttempts` of a spin lock) did not get what it waited for. It was busy, or Redis had not said so yet; see `found`.
 * It does not hold it, and will not get it later.
 */
export class LockTimeoutError extends LockErrorBase {
  static {
    named(this, 'LockTimeoutError');
  }
  static readonly code = 'LOCK_TIMEOUT';
  readonly code = LockTimeoutError.code;
  /** How long the call waited, in whole milliseconds. */
  readonly waitedMs: number;
  /** What Redis had said by then: that somebody else has it (`busy`), or nothing yet (`unanswered`). */
  readonly found: 'busy' | 'unanswered';

  constructor(lockName: string, waitedMs: number, found: 'busy' | 'unanswered' = 'busy', kind = 'lock') {
    const ms = Math.round(waitedMs);
    super(`${atFirst(kind, lockName)} ${inWords[found](ms, kind)}`, lockName);
    this.waitedMs = ms;
    this.found = found;
  }
}

/**
 * Why a hold ended before its release.
 *
 * - `expired`: a fixed lease ran out, or the semaphore ended (`ttlMs` of {@link RSemaphore.trySetPermits}).
 * - `deleted`, `taken`: the key is gone, or another client owns it (a foreign DEL, FLUSHALL, lost data), or an application has written to it.
 * - `force-unlocked`: {@link RLock.forceUnlock}, here or elsewhere.
 * - `unreachable`: no renewal was answered before the lease ended, or Redis refused the last of them: then `cause` is its answer.
 * - `clock`: the process stood still for longer than the lease (a long computation, a process that is stopped, a machine that sleeps), or its clock jumped.
 * - `max-hold`: `maxHoldMs` was reached.
 * - `scope-ended`: the scope of an imperative `lock()` ended without `unlock()`.
 * - `closed`: the client was closed.
 */
export type LockLostReason =
  | 'expired'
  | 'deleted'
  | 'taken'
  | 'force-unlocked'
  | 'unreachable'
  | 'clock'
  | 'max-hold'
  | 'scope-ended'
  | 'closed';

/** The reasons in words, for messages. */
const lossInWords: Record<LockLostReason, string> = {
  expired: 'its lease ran out before it was released',
  deleted: 'its key in Redis was deleted, or overwritten',
  taken: 'its key in Redis names another owner, or was overwritten',
  'force-unlocked': 'forceUnlock() took it away',
  unreachable: 'Redis answered no renewal before the lease ended',
  clock:
    'this process stood still for longer than the lease (claimLeaseMs after a handover): a long computation, a pause, a machine that slept or whose clock jumped',
  'max-hold': 'it was held for maxHoldMs',
  'scope-ended': 'the scope that took it ended without unlock()',
  closed: 'its client was closed',
};

/**
 * The hold ended before it was released: what it guarded may have run beside another owner since. Of a latch: Redis has lost the round that was waited for,
 * and nobody knows whether all have counted.
 */
export class LockLostError extends LockErrorBase {
  static {
    named(this, 'LockLostError');
  }
  static readonly code = 'LOCK_LOST';
  readonly code = LockLostError.code;
  /** What ended the hold. */
  readonly reason: LockLostReason;

  constructor(lockName: string, reason: LockLostReason, kind = 'lock', refusal?: Error) {
    // Of renewals: what else ends a hold has nothing to do with them.
    const cause = reason === 'unreachable' ? refusal : undefined;
    const why = cause === undefined ? lossInWords[reason] : `Redis refused its renewals: ${redisCodeOf(cause.message)}`;
    super(
      `${kind === 'semaphore' ? `The hold of ${called(kind, lockName)}` : atFirst(kind, lockName)} was lost: ${reason} (${why})`,
      lockName,
      cause && { cause },
    );
    this.reason = reason;
  }
}

/**
 * `unlock()` was called where this scope, handle or owner holds nothing; or a permit was given back that nobody has; or `assertHeld`/`run`/`extend` of a
 * released hold, or a leader that resigned.
 */
export class LockNotHeldError extends LockErrorBase {
  static {
    named(this, 'LockNotHeldError');
  }
  static readonly code = 'LOCK_NOT_HELD';
  readonly code = LockNotHeldError.code;

  constructor(lockName: string, where: string, what = atFirst('lock', lockName)) {
    super(`${what} is not held by ${where}`, lockName);
  }
}

/**
 * A call that its scope does not allow: a second `lock()` or `tryLock()` of a name that is still pending in the same `client.run`, a call that still waited when its scope ended,
 * or `lock()` or `tryLock()` outside `client.run` with `strictScopes`. See `docs/semantics.md`, Scopes.
 */
export class LockScopeError extends LockErrorBase {
  static {
    named(this, 'LockScopeError');
  }
  static readonly code = 'LOCK_SCOPE';
  readonly code = LockScopeError.code;
}

/**
 * A call that is inside a read hold asked for the write lock of the same read-write lock. It would have to wait for its own read hold to end, and two
 * such calls for each other: so nothing was sent. Release the read hold first and look again at what you have read, or take the write lock from
 * the start: its holder may read.
 */
export class LockUpgradeError extends LockErrorBase {
  static {
    named(this, 'LockUpgradeError');
  }
  static readonly code = 'LOCK_UPGRADE';
  readonly code = LockUpgradeError.code;

  constructor(lockName: string) {
    super(
      `The write lock of "${lockName}" was asked for inside a hold of its read lock, which it would wait for: release that first`,
      lockName,
    );
  }
}

/** One of the calls that wait for each other: see the event `deadlock`. Sites are stacks. */
export interface DeadlockWait {
  /** The lock that it waits for. */
  readonly name: string;
  /** Where it was made. */
  readonly site: string | undefined;
  /** Where that lock was taken, by code that waits in the next entry. */
  readonly holderSite: string | undefined;
}

/**
 * The call would have waited for calls of this client that wait for it, for ever or until a hold is lost by `maxHoldMs`: see the event `deadlock`. Thrown only with `deadlocks: 'refuse'`, and by the
 * call that closed the circle. Nothing was sent for it, but for a reader whom a writer overtook on its way. Let go of the lock that the others wait for, and begin again.
 */
export class LockDeadlockError extends LockErrorBase {
  static {
    named(this, 'LockDeadlockError');
  }
  static readonly code = 'LOCK_DEADLOCK';
  readonly code = LockDeadlockError.code;
  /** The calls that would have waited for each other, this one first. */
  readonly waits: readonly DeadlockWait[];

  constructor(lockName: string, waits: readonly DeadlockWait[]) {
    const others = waits.slice(1).map(({ name, site }) => `another waits for "${name}"${lineOf(site)}`);
    const why =
      others.length === 0
        ? 'the code around this call has it, as a lock of another kind, which does not let this one in'
        : `${others.join(', ')}, which is held around this call. Take locks in one order everywhere`;
    super(`Nobody would give lock "${lockName}" back: ${why}`, lockName);
    this.waits = waits;
  }
}

/** The first line of a stack that says where. */
function lineOf(site: string | undefined): string {
  const line = /^ +(at .+)$/m.exec(site ?? '')?.[1];
  return line === undefined ? '' : ` (${line})`;
}

/** What a client has too much of; see {@link LimitOptions}. */
export type LockLimit = keyof LimitOptions;

/** The limits in words, for messages. */
const limitInWords: Record<LockLimit, string> = {
  waiters: 'calls of this client that wait',
  locks: 'names that this client holds or asks for',
  depth: 'acquisitions inside each other',
  leaseMs: 'milliseconds for a lease',
};

/** The call would have gone above one of the client's `limits`. Nothing was sent, and whatever else the client has is untouched. */
export class LockLimitError extends LockErrorBase {
  static {
    named(this, 'LockLimitError');
  }
  static readonly code = 'LOCK_LIMIT';
  readonly code = LockLimitError.code;
  /** Which of the client's `limits`. */
  readonly limit: LockLimit;
  /** What it is set to. */
  readonly value: number;

  constructor(lockName: string, limit: LockLimit, value: number, kind = 'lock') {
    // By majority, the longest lease is an option of its own.
    const option = kind === 'redlock' && limit === 'leaseMs' ? 'longestLeaseMs' : `limits.${limit}`;
    super(
      `Nothing was asked of Redis for ${called(kind, lockName)}: ${option} allows ${value} ${limitInWords[limit]}`,
      lockName,
    );
    this.limit = limit;
    this.value = value;
  }
}

/** Two nodes of a lock by majority are one server; the message says which. */
export class LockNodesError extends LockErrorBase {
  static {
    named(this, 'LockNodesError');
  }
  static readonly code = 'LOCK_NODES';
  readonly code = LockNodesError.code;

  constructor(problem: string, lockName?: string) {
    super(`A lock by majority needs independent servers: ${problem}`, lockName);
  }
}

/** The client was closed, before or during the call. */
export class LockClientClosedError extends LockErrorBase {
  static {
    named(this, 'LockClientClosedError');
  }
  static readonly code = 'LOCK_CLIENT_CLOSED';
  readonly code = LockClientClosedError.code;

  constructor(lockName?: string) {
    super(
      `The lock client is closed${lockName === undefined ? '' : `: "${lockName}" cannot be had or asked about`}`,
      lockName,
    );
  }
}

/**
 * Each error of holdfast, for the compiler to tell by its `code` which one it is, and so what else it has. TypeScript before 5.5 does not take
 * `instanceof` for that: there, `const known = error as AnyLockError`.
 *
 * ```ts
 * if (error instanceof LockError) {
 *   switch (error.code) {
 *     case 'LOCK_LOST': return error.reason;
 *     case 'LOCK_TIMEOUT': return error.waitedMs;
 *   }
 * }
 * ```
 */
export type AnyLockError =
  | LockClientClosedError
  | LockDeadlockError
  | LockLimitError
  | LockLostError
  | LockNodesError
  | LockNotHeldError
  | LockNotReplicatedError
  | LockRefusedError
  | LockScopeError
  | LockTimeoutError
  | LockUnavailableError
  | LockUpgradeError
  | SharedFailureError
  | StaleTokenError;

/** Base class of holdfast's errors. */
export type LockError = LockErrorBase;
/** To the compiler (TypeScript 5.5 and later) its instances are {@link AnyLockError}; the class itself cannot say so, since it knows none that extends it. */
export const LockError = LockErrorBase as typeof LockErrorBase & {
  /** Of a class that an application derives, its instances. */
  [Symbol.hasInstance]<C extends abstract new (...args: never) => LockErrorBase>(
    this: C,
    value: unknown,
  ): value is LockErrorBase extends InstanceType<C> ? AnyLockError : InstanceType<C>;
};
