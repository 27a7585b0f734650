/** Which names locks may have. */

import { keyOf } from './key-of.js';
import { hashedPart } from './key-slot.js';
import { quoted } from './quoted.js';

/** What stands before the name of a lock in Redis. */
export interface Prefixes {
  /** Put in front of every name: `app:` and `x` are the lock `app:x`, for every client that gives it that name. */
  readonly prefix?: string;
  /** What ioredis puts in front of every key, of whatever kind. */
  readonly keyPrefix?: string;
}

const MAX_NAME_BYTES = 1024;

/** Ours and Redisson's: names of keys and channels begin so, now or in a later version. */
const RESERVED = /^(?:holdfast|redisson)_/;
/** Every key of ours but the lock itself, wherever a prefix of ioredis puts it. */
const OURS = /holdfast_[a-z_]+:.*\{/s;

/**
 * Refuses what cannot be a lock name, before any I/O.
 *
 * @throws TypeError when it is not a string.
 * @throws RangeError when it is empty, longer than 1,024 UTF-8 bytes, not well-formed UTF-16 (two names could become one
 * key), has braces that would put the keys of the lock into different Cluster slots (`a{b`, `a{}b`, `a}b`), or would be a
 * key or channel that is reserved: with its `prefix` it begins with `holdfast_` or `redisson_`, also behind a `keyPrefix`, or it
 * looks like a key of another lock (`app:holdfast_queue:{app:x}`).
 */
export function assertLockName(name: string, prefixes: Prefixes = {}): void {
  assertName('a lock name', name, prefixes);
}

/** As {@link assertLockName}, of what is called `what` in its messages. */
export function assertName(what: string, name: string, prefixes: Prefixes): void {
  if (typeof name !== 'string') throw new TypeError(`${what} must be a string, got ${typeof name}`);
  if (name === '') throw new RangeError(`${what} must not be empty`);
  if (!name.isWellFormed())
    throw new RangeError(`${what} must be well-formed Unicode, without lone surrogates: ${quoted(name)}`);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new RangeError(`${what} must not be longer than ${MAX_NAME_BYTES} bytes: ${quoted(name)}`);
  }
  assertPlace(what, name, prefixes);
}

/** The name by which a client calls the lock with the key `place` in Redis; undefined when no lock of it can be there. */
export function lockNameAt(place: string, prefixes: Prefixes = {}): string | undefined {
  const { prefix = '', keyPrefix = '' } = prefixes;
  const front = keyPrefix + prefix;
  if (!place.startsWith(front)) return undefined;
  const name = place.slice(front.length);
  try {
    assertLockName(name, prefixes);
  } catch {
    return undefined;
  }
  return name;
}

/**
 * Refuses prefixes that spoil names that are good without them.
 *
 * @throws RangeError when they begin or look like a reserved key (`holdfast_app:`), or have braces that would put the keys of a lock with a
 * plain name into different Cluster slots (`a{`).
 */
export function assertPrefix(prefixes: Prefixes): void {
  assertPlace('the prefix', '…', prefixes);
}

/** Refuses what would make a key or channel that is a reserved one, or that has others in another slot. The whole key is told: what spoils it may be a prefix. */
function assertPlace(what: string, name: string, { prefix = '', keyPrefix = '' }: Prefixes): void {
  const lock = prefix + name;
  const place = keyPrefix + lock;
  if (RESERVED.test(lock) || RESERVED.test(place) || OURS.test(place)) {
    throw new RangeError(
      `${what} must not look like a key of holdfast or Redisson, for which holdfast_… and redisson_… are reserved; the key would be ${quoted(place)}`,
    );
  }
  if (!/[{}]/.test(place)) return;
  if (hashedPart(place) !== hashedPart(keyPrefix + keyOf('', place))) {
    throw new RangeError(
      `the braces of ${what} must close around something, or its keys are in different Redis Cluster slots; the key would be ${quoted(place)}`,
    );
  }
}
