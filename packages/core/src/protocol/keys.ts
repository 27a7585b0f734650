import { hasTag, keyOf } from './key-of.js';
import { assertLockName, assertName, type Prefixes } from './names.js';
import { withoutOwner } from './tenure-id.js';

/** The Redis keys and channels of one lock. Locks with different keys have different ones of all of them, but for
 * Redisson's: {@link releaseChannel} and {@link tokenCounter}. */
export interface LockKeys {
  /** As the lock was asked for, without prefixes. */
  readonly name: string;
  /** Hash: the owner with its hold count. This is the lock name itself, as in Redisson. */
  readonly lock: string;
  /** Sorted set: waiting tenures by ticket. */
  readonly queue: string;
  /** Hash: until when (server ms) each waiting tenure may be granted. */
  readonly fresh: string;
  /** Tombstone of one tenure. The name of an explicit owner is no part of it: client id and number are unique already. */
  dead(tenure: string): string;
  /**
   * Redisson's channel: `0` when the lock has become free. The names `pay` and `{pay}` share it, by Redisson's rule: it only says that
   * waiters should look.
   */
  readonly releaseChannel: string;
  /** Redisson's counter of fencing tokens. The names `pay` and `{pay}` share it, by Redisson's rule: tokens of both rise. */
  readonly tokenCounter: string;
  /** List in which Redisson keeps who waits in its fair lock; behind a prefix of ioredis another key of the same slot. */
  readonly fairLine: string;
}

/** The Redis keys and channels of one read-write lock. The lock itself is that of {@link LockKeys}, so that all locks of a name exclude each other. */
export interface ReadWriteKeys {
  /** As the lock was asked for, without prefixes. */
  readonly name: string;
  /** Hash: who holds the lock, and until when. */
  readonly lock: string;
  /** Sorted sets: tenures that wait to write, and to read, by ticket. */
  readonly writers: string;
  readonly readers: string;
  /** Hash: until when (server ms) each waiting tenure may be let in, and the latest phase. */
  readonly fresh: string;
  /** As of {@link LockKeys}. */
  dead(tenure: string): string;
  /** Redisson's channel for its read-write lock: `1` when the lock has become free. */
  readonly releaseChannel: string;
}

/** The Redis keys and channels of one semaphore. */
export interface SemaphoreKeys {
  /** As the semaphore was asked for, without prefixes. */
  readonly name: string;
  /** String: the permits that nobody has. This is the name itself, as in Redisson. */
  readonly count: string;
  /** Hash: who has how many permits, and until when. */
  readonly permits: string;
  /** Sorted set: tenures that wait, by ticket. */
  readonly queue: string;
  /** Hash: until when (server ms) each waiting tenure may be granted permits, and how many it wants. */
  readonly fresh: string;
  /** As of {@link LockKeys}. */
  dead(tenure: string): string;
  /** Sorted set in which Redisson keeps who has permits of its expirable semaphore. */
  readonly timeouts: string;
  /** Redisson's channel for its semaphores: how many permits are free now. */
  readonly releaseChannel: string;
}

/** A key of an application that a guard writes to. */
export interface GuardedKeys {
  /** As the client must be given it. */
  readonly key: string;
  /** String: which token wrote the string under `key` last. */
  readonly record: string;
}

const INBOX_PREFIX = 'holdfast_inbox:';

/**
 * Names the keys of a lock. They all fall into the Cluster slot of the lock, by Redisson's rule: the tag is put in
 * braces unless the name brings its own. The kind tells which of the two it was, or `pay` and `{pay}` would meet:
 * `holdfast_queue:{pay}` and `holdfast_tagged_queue:{pay}`.
 *
 * Keys come without `keyPrefix` in front, because ioredis prepends it to every key; the tags inside are made of the
 * prefixed name, and so are channels, which ioredis does not prefix: `app:` and `x` give `holdfast_queue:{app:x}`,
 * sent as `app:holdfast_queue:{app:x}`.
 *
 * @throws TypeError, RangeError as {@link assertLockName}.
 */
export function lockKeys(name: string, prefixes: Prefixes = {}): LockKeys {
  return new KeysOfLock(name, prefixes);
}

/**
 * Names the keys of a read-write lock, by the rules of {@link lockKeys}.
 *
 * @throws TypeError, RangeError as {@link assertLockName}.
 */
export function readWriteKeys(name: string, prefixes: Prefixes = {}): ReadWriteKeys {
  return new KeysOfReadWriteLock(name, prefixes);
}

/**
 * Names the keys of a semaphore, by the rules of {@link lockKeys}.
 *
 * @throws TypeError, RangeError as {@link assertLockName}.
 */
export function semaphoreKeys(name: string, prefixes: Prefixes = {}): SemaphoreKeys {
  return new KeysOfSemaphore(name, prefixes);
}

/** Made when they are asked for: a lock that is held for long needs none of them, and their text would cost it half a kilobyte. */
export class KeysOfName {
  readonly name: string;
  readonly lock: string;
  readonly #keyPrefix: string;

  /** @throws TypeError, RangeError as {@link assertLockName}. */
  constructor(name: string, prefixes: Prefixes) {
    assertLockName(name, prefixes);
    const { prefix = '', keyPrefix = '' } = prefixes;
    this.name = name;
    this.lock = prefix + name;
    this.#keyPrefix = keyPrefix;
  }

  dead(tenure: string): string {
    return `${this.of('dead')}:${withoutOwner(tenure)}`;
  }

  protected of(kind: string): string {
    return keyOf(kind, this.place);
  }

  /** A channel or key of Redisson's, by its rule. */
  protected redissons(kind: string): string {
    const { place } = this;
    return `${kind}:${hasTag(place) ? place : `{${place}}`}`;
  }

  /** A key of Redisson's that has the name in front, by its rule; behind a prefix of ioredis another key of the same slot. */
  protected suffixed(kind: string): string {
    return hasTag(this.place) ? `${this.lock}:${kind}` : `{${this.place}}:${kind}`;
  }

  /** The lock's key as Redis knows it. */
  protected get place(): string {
    return this.#keyPrefix + this.lock;
  }
}

class KeysOfLock extends KeysOfName implements LockKeys {
  get queue(): string {
    return this.of('queue');
  }

  get fresh(): string {
    return this.of('fresh');
  }

  get releaseChannel(): string {
    return this.redissons('redisson_lock__channel');
  }

  get tokenCounter(): string {
    return this.redissons('redisson_lock_token');
  }

  get fairLine(): string {
    return this.redissons('redisson_lock_queue');
  }
}

class KeysOfReadWriteLock extends KeysOfName implements ReadWriteKeys {
  get writers(): string {
    return this.of('rw_writers');
  }

  get readers(): string {
    return this.of('rw_readers');
  }

  get fresh(): string {
    return this.of('rw_fresh');
  }

  get releaseChannel(): string {
    return this.redissons('redisson_rwlock');
  }
}

class KeysOfSemaphore extends KeysOfName implements SemaphoreKeys {
  get count(): string {
    return this.lock;
  }

  get permits(): string {
    return this.of('sem_permits');
  }

  get queue(): string {
    return this.of('sem_queue');
  }

  get fresh(): string {
    return this.of('sem_fresh');
  }

  get timeouts(): string {
    return this.suffixed('timeout');
  }

  get releaseChannel(): string {
    return this.redissons('redisson_sc');
  }
}

/** Names the keys of a guard; `key` is what the application calls it, behind the `keyPrefix` of its client. @throws TypeError, RangeError as {@link assertLockName}. */
export function guardedKeys(key: string, keyPrefix = ''): GuardedKeys {
  assertName('a guarded key', key, { keyPrefix });
  return { key, record: keyOf('fence', keyPrefix + key) };
}

/** Where a client says who it is, behind the `keyPrefix`; no lock has such a name. */
export function clientKey(clientId: string): string {
  return `holdfast_client:{${clientId}}`;
}

/** The channel on which a client is told about its tenures; one for the client's whole life. */
export function inboxChannel(clientId: string): string {
  return INBOX_PREFIX + clientId;
}
