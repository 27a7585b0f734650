/** The errors that say what Redis has answered, or has not. */

import { nodeOfCluster } from './connection/trouble.js';
import { atFirst, called, LockErrorBase, named } from './lock-error.js';

/**
 * Redis did not answer in time. When the call was an acquisition, the lock is *not* held on its behalf: whatever the command may
 * still do on the server is cancelled in the background. After `unlock` or `release` the release goes on in the background and nothing is renewed.
 *
 * Also thrown at once for what cannot pass by itself (password, certificate, database). `cause`: the last thing that went wrong, if known.
 */
export class LockUnavailableError extends LockErrorBase {
  static {
    named(this, 'LockUnavailableError');
  }
  static readonly code = 'LOCK_UNAVAILABLE';
  readonly code = LockUnavailableError.code;
  /**
   * The masters of a Cluster, as `host:port`, whose locks are missing in a list that {@link LockClient.listLocks} has gone through as far as others answer. Absent of any other
   * call, and where no server answered.
   */
  declare readonly missing?: readonly string[];
}

/** In the words of Redis, of a script or in one. */
const unknownCommand = /unknown( redis)? command/i;
const isUnknown =
  'the server does not know a command (rename-command?), or it is a sentinel (then give ioredis sentinels and name)';

const elsewhere = `it is ${nodeOfCluster}`;
/** In words what is not Redis' own doing, or not what it seems. */
const refusalInWords: Readonly<Record<string, string>> = {
  MOVED: elsewhere,
  ASK: elsewhere,
  NOTAFENCE:
    'the record of a guard is something else there, and the key was left as it is: an application has a field of that name',
  NOTALATCH: 'this key is not a countdown latch but other data, and was left as it is: give the latch another name',
  NOTASEMAPHORE:
    'this key is not a semaphore but other data, and was left as it is: give the semaphore another name, or its client a prefix',
  NOTINITIALIZED:
    'there is no such semaphore: set its permits first, by trySetPermits or the option permits of getSemaphore',
  TOOMANYPERMITS: 'it would have more permits than can be counted, and was left as it is',
  WRONGTYPE: 'WRONGTYPE: a key beside it (holdfast_…, redisson_…, a guarded one) is other data',
  NOTALOCK:
    'this key is not a lock but other data, and was left as it is: give the lock another name, or its client a prefix',
};

function inWords(redisCode: string, cause: unknown): string {
  if (unknownCommand.test(String(cause))) return isUnknown;
  return refusalInWords[redisCode] ?? `${redisCode} (error.cause has the whole of it)`;
}

/**
 * Redis answered and refused. What it had written by then, which is only possible when it refuses to confirm it (`WAIT`), is undone.
 *
 * `redisCode` `NOTALOCK` is our own scripts' answer: under the name of the lock stands something that is no lock of holdfast or Redisson. It
 * was neither written nor deleted.
 */
export class LockRefusedError extends LockErrorBase {
  static {
    named(this, 'LockRefusedError');
  }
  static readonly code = 'LOCK_REFUSED';
  readonly code = LockRefusedError.code;
  /**
   * First word of Redis' error, such as `NOPERM` or `OOM`; `NOTALOCK`, `NOTASEMAPHORE`, `NOTALATCH` and `NOTAFENCE` (the record of a guard) for what is something else,
   * `NOTINITIALIZED` for a semaphore whose permits nobody has set, `TOOMANYPERMITS` for one that would have more than can be counted; `PROTOCOL` for a reply
   * that makes no sense: then it is not known whether anything was done.
   */
  readonly redisCode: string;

  /** @param server - in a Cluster: which one it was. */
  constructor(lockName: string, redisCode: string, options?: ErrorOptions, kind = 'lock', server?: string) {
    super(
      `Redis${server === undefined ? '' : ` at ${server}`} refused a command on ${called(kind, lockName)}: ${inWords(redisCode, options?.cause)}`,
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
export class LockNotReplicatedError extends LockErrorBase {
  static {
    named(this, 'LockNotReplicatedError');
  }
  static readonly code = 'LOCK_NOT_REPLICATED';
  readonly code = LockNotReplicatedError.code;
  /** How many replicas had to confirm. */
  readonly required: number;
  /** How many did. */
  readonly confirmed: number;

  constructor(lockName: string, required: number, confirmed: number, kind = 'lock') {
    super(
      `${atFirst(kind, lockName)} was given back: ${confirmed} of ${required} replicas confirmed it in time`,
      lockName,
    );
    this.required = required;
    this.confirmed = confirmed;
  }
}

/**
 * A guarded write was refused: a holder with a later token has written to the key. The lock had passed on, and whatever this holder still does under it
 * is too late. See {@link Guard}.
 */
export class StaleTokenError extends LockErrorBase {
  static {
    named(this, 'StaleTokenError');
  }
  static readonly code = 'LOCK_STALE_TOKEN';
  readonly code = StaleTokenError.code;
  declare readonly lockName: string;
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
export class SharedFailureError extends LockErrorBase {
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
