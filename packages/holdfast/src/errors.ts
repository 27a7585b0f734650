/**
 * Every error holdfast creates, apart from the `TypeError` and `RangeError` of bad arguments.
 *
 * Branch on `code`: it is stable. `instanceof` works too, also when the ESM and the CommonJS build are both loaded, because
 * it looks at a brand and the code and not at the identity of the class.
 */

const brand = Symbol.for('holdfast.error');

/**
 * Says what a class is called, in `name`, in stacks and in loggers. Not left to the class: bundlers and minifiers rename it. On the prototype,
 * because the first line of a stack is written before a constructor could set anything.
 */
function named(type: abstract new (...args: never) => LockError, name: string): void {
  for (const target of [type, type.prototype]) {
    Object.defineProperty(target, 'name', { value: name, configurable: true, writable: target !== type });
  }
}

/** The stable codes of {@link LockError.code}. */
export type LockErrorCode =
  | 'LOCK_TIMEOUT'
  | 'LOCK_LOST'
  | 'LOCK_NOT_HELD'
  | 'LOCK_SCOPE'
  | 'LOCK_UPGRADE'
  | 'LOCK_DEADLOCK'
  | 'LOCK_UNAVAILABLE'
  | 'LOCK_REFUSED'
  | 'LOCK_NOT_REPLICATED'
  | 'LOCK_LIMIT'
  | 'LOCK_NODES'
  | 'LOCK_STALE_TOKEN'
  | 'LOCK_SHARED_FAILURE'
  | 'LOCK_CLIENT_CLOSED';

/** Base class of holdfast's errors. */
export abstract class LockError extends Error {
  static {
    named(this, 'LockError');
  }
  /** Stable code to branch on. */
  abstract readonly code: LockErrorCode;
  /** The lock the failed call was about; absent when it was about the whole client. */
  readonly lockName: string | undefined;

  constructor(message: string, lockName?: string, options?: ErrorOptions) {
    super(message, options);
    this.lockName = lockName;
    Object.defineProperty(this, brand, { value: true });
  }

  static override [Symbol.hasInstance](
    this: { readonly prototype: LockError; readonly code?: LockErrorCode },
    value: unknown,
  ): boolean {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return this.code === undefined || ('code' in value && value.code === this.code);
  }
}

/** What a call that waited for nothing has seen, for messages. */
const inWords = {
  busy: (ms: number) => `stayed busy for ${ms} ms: client.inspect() tells who has it`,
  unanswered: (ms: number) => `was not had within ${ms} ms: there was no answer to the question for it yet`,
};

/** `acquire` waited for its whole `waitMs` and did not get the lock. It was busy, or Redis had no time to say so; see the message. */
export class LockTimeoutError extends LockError {
  static {
    named(this, 'LockTimeoutError');
  }
  static readonly code = 'LOCK_TIMEOUT';
  readonly code = LockTimeoutError.code;
  /** How long the call waited, in whole milliseconds. */
  readonly waitedMs: number;

  constructor(lockName: string, waitedMs: number, found: 'busy' | 'unanswered' = 'busy') {
    const ms = Math.round(waitedMs);
    super(`Lock "${lockName}" ${inWords[found](ms)}`, lockName);
    this.waitedMs = ms;
  }
}

/**
 * Why a hold ended before its release.
 *
 * - `expired`: a fixed lease ran out.
 * - `deleted`, `taken`: the key is gone, or another client owns it (a foreign DEL, FLUSHALL, lost data).
 * - `force-unlocked`: {@link RLock.forceUnlock}, here or elsewhere.
 * - `unreachable`: no renewal was answered before the lease ended.
 * - `clock`: the machine slept or its clock jumped for longer than the lease.
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
  deleted: 'its key is gone from Redis',
  taken: 'its key in Redis names another owner',
  'force-unlocked': 'forceUnlock() took it away',
  unreachable: 'Redis answered no renewal before the lease ended',
  clock: 'the machine slept, or its clock jumped, for longer than the lease',
  'max-hold': 'it was held for maxHoldMs',
  'scope-ended': 'the scope that took it ended without unlock()',
  closed: 'its client was closed',
};

/** The hold ended before it was released: what it guarded may have run beside another owner since. */
export class LockLostError extends LockError {
  static {
    named(this, 'LockLostError');
  }
  static readonly code = 'LOCK_LOST';
  readonly code = LockLostError.code;
  /** What ended the hold. */
  readonly reason: LockLostReason;

  constructor(lockName: string, reason: LockLostReason) {
    super(`Lock "${lockName}" was lost: ${reason} (${lossInWords[reason]})`, lockName);
    this.reason = reason;
  }
}

/** `unlock()` was called where this scope, handle or owner holds nothing. */
export class LockNotHeldError extends LockError {
  static {
    named(this, 'LockNotHeldError');
  }
  static readonly code = 'LOCK_NOT_HELD';
  readonly code = LockNotHeldError.code;

  constructor(lockName: string, where: string) {
    super(`Lock "${lockName}" is not held by ${where}`, lockName);
  }
}

/** A call that its scope does not allow; see `docs/semantics.md`, Scopes. */
export class LockScopeError extends LockError {
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
export class LockUpgradeError extends LockError {
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
 * The call would have waited for ever, for calls of this client that wait for it: see the event `deadlock`. Thrown only with `deadlocks: 'refuse'`, and by the
 * call that closed the circle. Nothing was sent for it. Let go of the lock that the others wait for, and begin again.
 */
export class LockDeadlockError extends LockError {
  static {
    named(this, 'LockDeadlockError');
  }
  static readonly code = 'LOCK_DEADLOCK';
  readonly code = LockDeadlockError.code;
  /** The calls that would have waited for each other, this one first. */
  readonly waits: readonly DeadlockWait[];

  constructor(lockName: string, waits: readonly DeadlockWait[]) {
    const others = waits.slice(1).map(({ name, site }) => `another waits for "${name}"${lineOf(site)}`);
    super(
      `Waiting for lock "${lockName}" would never end: ${others.join(', ')}, which is held around this call. Take locks in one order everywhere`,
      lockName,
    );
    this.waits = waits;
  }
}

/** The first line of a stack that says where. */
function lineOf(site: string | undefined): string {
  const line = /^ +(at .+)$/m.exec(site ?? '')?.[1];
  return line === undefined ? '' : ` (${line})`;
}

/**
 * Redis did not answer in time. When the call was an acquisition, the lock is *not* held on its behalf: whatever the command may
 * still do on the server is cancelled in the background.
 */
export class LockUnavailableError extends LockError {
  static {
    named(this, 'LockUnavailableError');
  }
  static readonly code = 'LOCK_UNAVAILABLE';
  readonly code = LockUnavailableError.code;
}

/** In words what is not Redis' own doing. */
const refusalInWords: Readonly<Record<string, string>> = {
  NOTAFENCE:
    'the record of a guard is something else there, and the key was left as it is: an application has a field of that name',
  NOTALATCH: 'this key is not a countdown latch but other data, and was left as it is: give the latch another name',
  NOTASEMAPHORE:
    'this key is not a semaphore but other data, and was left as it is: give the semaphore another name, or its client a prefix',
  NOTINITIALIZED:
    'there is no such semaphore: set its permits first, by trySetPermits or the option permits of getSemaphore',
  NOTALOCK:
    'this key is not a lock but other data, and was left as it is: give the lock another name, or its client a prefix',
};

/**
 * Redis answered and refused. What it had written by then, which is only possible when it refuses to confirm it (`WAIT`), is undone.
 *
 * `redisCode` `NOTALOCK` is our own scripts' answer: under the name of the lock stands something that is no lock of holdfast or Redisson. It
 * was neither written nor deleted.
 */
export class LockRefusedError extends LockError {
  static {
    named(this, 'LockRefusedError');
  }
  static readonly code = 'LOCK_REFUSED';
  readonly code = LockRefusedError.code;
  /** First word of Redis' error, such as `NOPERM` or `OOM`; `NOTALOCK` and `NOTASEMAPHORE` for a key that is something else,
   * `NOTINITIALIZED` for a semaphore whose permits nobody has set. */
  readonly redisCode: string;

  constructor(lockName: string, redisCode: string, options?: ErrorOptions) {
    super(
      `Redis refused a command on lock "${lockName}": ${refusalInWords[redisCode] ?? `${redisCode} (error.cause has the whole of it)`}`,
      lockName,
      options,
    );
    this.redisCode = redisCode;
  }
}

/**
 * Fewer replicas than `replicas.min` confirmed the acquisition in time. It was undone: the lock is not held on behalf of the call, though a
 * replica that is promoted while the undoing is on its way may still show it until its lease ends.
 */
export class LockNotReplicatedError extends LockError {
  static {
    named(this, 'LockNotReplicatedError');
  }
  static readonly code = 'LOCK_NOT_REPLICATED';
  readonly code = LockNotReplicatedError.code;
  /** How many replicas had to confirm. */
  readonly required: number;
  /** How many did. */
  readonly confirmed: number;

  constructor(lockName: string, required: number, confirmed: number) {
    super(`Lock "${lockName}" was given back: ${confirmed} of ${required} replicas confirmed it in time`, lockName);
    this.required = required;
    this.confirmed = confirmed;
  }
}

/**
 * A guarded write was refused: a holder with a later token has written to the key. The lock had passed on, and whatever this holder still does under it
 * is too late. See {@link Guard}.
 */
export class StaleTokenError extends LockError {
  static {
    named(this, 'StaleTokenError');
  }
  static readonly code = 'LOCK_STALE_TOKEN';
  readonly code = StaleTokenError.code;
  /** The key that was to be written. */
  readonly key: string;
  /** The token of the hold that wanted to write. */
  readonly token: number;
  /** The token that has written. */
  readonly laterToken: number;

  constructor(lockName: string, key: string, token: number, laterToken: number) {
    super(
      `A write to "${key}" under lock "${lockName}" came too late: its token is ${token}, and ${laterToken} has written since`,
      lockName,
    );
    this.key = key;
    this.token = token;
    this.laterToken = laterToken;
  }
}

/** Another caller computed what is shared, and failed; it shares its failures. See {@link ShareOptions.errorTtlMs}. */
export class SharedFailureError extends LockError {
  static {
    named(this, 'SharedFailureError');
  }
  static readonly code = 'LOCK_SHARED_FAILURE';
  readonly code = SharedFailureError.code;
  /** The name of the error there. */
  readonly failureName: string;
  /** Its message. */
  readonly failureMessage: string;

  constructor(lockName: string, failureName: string, failureMessage: string) {
    super(`What is shared as "${lockName}" could not be computed: ${failureName}: ${failureMessage}`, lockName);
    this.failureName = failureName;
    this.failureMessage = failureMessage;
  }
}

/** What a client has too much of; see {@link LimitOptions}. */
export type LockLimit = 'waiters' | 'locks' | 'depth' | 'leaseMs';

/** The limits in words, for messages. */
const limitInWords: Record<LockLimit, string> = {
  waiters: 'calls of this client that wait',
  locks: 'names that this client holds or asks for',
  depth: 'acquisitions inside each other',
  leaseMs: 'milliseconds for a lease',
};

/** The call would have gone above one of the client's `limits`. Nothing was sent, and whatever else the client has is untouched. */
export class LockLimitError extends LockError {
  static {
    named(this, 'LockLimitError');
  }
  static readonly code = 'LOCK_LIMIT';
  readonly code = LockLimitError.code;
  /** Which of the client's `limits`. */
  readonly limit: LockLimit;
  /** What it is set to. */
  readonly value: number;

  constructor(lockName: string, limit: LockLimit, value: number) {
    super(`Lock "${lockName}" was not asked for: limits.${limit} allows ${value} ${limitInWords[limit]}`, lockName);
    this.limit = limit;
    this.value = value;
  }
}

/** The nodes of a lock by majority cannot be what their client needs; the message says what is wrong with them. */
export class LockNodesError extends LockError {
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
export class LockClientClosedError extends LockError {
  static {
    named(this, 'LockClientClosedError');
  }
  static readonly code = 'LOCK_CLIENT_CLOSED';
  readonly code = LockClientClosedError.code;

  constructor(lockName?: string) {
    super(
      `The lock client is closed${lockName === undefined ? '' : `: lock "${lockName}" cannot be had or asked about`}`,
      lockName,
    );
  }
}
