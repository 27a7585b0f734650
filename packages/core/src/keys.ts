import { hashedPart } from './key-slot.js';

/** The Redis keys and channels of one lock. */
export interface LockKeys {
  /** Hash: the owner with its hold count. This is the lock name itself, as in Redisson. */
  readonly lock: string;
  /** Sorted set: waiting tenures by ticket. */
  readonly queue: string;
  /** Hash: until when (server ms) each waiting tenure may be granted. */
  readonly fresh: string;
  /** Tombstone of one tenure. */
  dead(tenure: string): string;
  /** Redisson's channel: `0` when the lock has become free. */
  readonly releaseChannel: string;
  /** A client's inbox is this with its client id behind it: see {@link inboxChannel}. */
  readonly inboxPrefix: string;
}

const INBOX_PREFIX = 'holdfast_inbox:';
const MAX_NAME_BYTES = 1024;

/**
 * Names the keys of a lock. They all fall into the Cluster slot of the lock, by Redisson's rule: the tag is put in
 * braces unless the name brings its own.
 *
 * Keys come without `keyPrefix` in front, because ioredis prepends it to every key; the tags inside are made of the
 * prefixed name, and so are channels, which ioredis does not prefix: `app:` and `x` give `holdfast_queue:{app:x}`,
 * sent as `app:holdfast_queue:{app:x}`.
 *
 * @throws TypeError, RangeError as {@link assertLockName}.
 */
export function lockKeys(name: string, keyPrefix = ''): LockKeys {
  assertLockName(name, keyPrefix);
  return new KeysOfLock(name, keyPrefix);
}

/** Made when they are asked for: a lock that is held for long needs none of them, and their text would cost it half a kilobyte. */
class KeysOfLock implements LockKeys {
  readonly lock: string;
  readonly #keyPrefix: string;

  constructor(name: string, keyPrefix: string) {
    this.lock = name;
    this.#keyPrefix = keyPrefix;
  }

  get queue(): string {
    return this.#of('holdfast_queue');
  }

  get fresh(): string {
    return this.#of('holdfast_fresh');
  }

  dead(tenure: string): string {
    return `${this.#of('holdfast_dead')}:${tenure}`;
  }

  get releaseChannel(): string {
    return this.#of('redisson_lock__channel');
  }

  get inboxPrefix(): string {
    return INBOX_PREFIX;
  }

  #of(kind: string): string {
    return tagged(kind, this.#keyPrefix + this.lock);
  }
}

/** The channel on which a client is told about its tenures; one for the client's whole life. */
export function inboxChannel(clientId: string): string {
  return INBOX_PREFIX + clientId;
}

/**
 * Refuses what cannot be a lock name, before any I/O.
 *
 * @throws TypeError when it is not a string.
 * @throws RangeError when it is empty, longer than 1,024 UTF-8 bytes, not well-formed UTF-16 (two names could become one
 * key), or has braces that would put the keys of the lock into different Cluster slots (`a{b`, `a{}b`, `a}b`).
 */
export function assertLockName(name: string, keyPrefix = ''): void {
  if (typeof name !== 'string') throw new TypeError('a lock name must be a string');
  if (name === '') throw new RangeError('a lock name must not be empty');
  if (/\p{Cs}/u.test(name)) throw new RangeError('a lock name must be well-formed Unicode, without lone surrogates');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new RangeError(`a lock name must not be longer than ${MAX_NAME_BYTES} bytes`);
  }
  const lock = keyPrefix + name;
  if (!/[{}]/.test(lock)) return;
  if (hashedPart(lock) !== hashedPart(keyPrefix + tagged('', lock))) {
    throw new RangeError('the braces of this lock name would put its keys into different Redis Cluster slots');
  }
}

function tagged(kind: string, lock: string): string {
  return lock.includes('{') ? `${kind}:${lock}` : `${kind}:{${lock}}`;
}
