/**
 * Every error holdfast creates, apart from the `TypeError` and `RangeError` of bad arguments.
 *
 * Branch on `code`: it is stable. `instanceof` works too, also when the ESM and the CommonJS build are both loaded, because
 * it looks at a brand and the code and not at the identity of the class. Of a class that an application derives only its own objects are instances.
 */

const brand = Symbol.for('holdfast.error');
/** The classes of this module and its neighbours. */
const ours = new WeakSet<object>();

/**
 * Gives a class of ours the name that `name`, stacks and loggers show. Not left to the class: bundlers and minifiers rename it. On the prototype,
 * because the first line of a stack is written before a constructor could set anything.
 */
export function named(type: abstract new (...args: never) => LockErrorBase, name: string): void {
  ours.add(type);
  for (const target of [type, type.prototype]) {
    Object.defineProperty(target, 'name', { value: name, configurable: true, writable: target !== type });
  }
}

/** What messages call the thing that an error is about. `kind`: which primitive it is. */
export function called(kind: string, name: string): string {
  return `${/^(semaphore|latch|election)$/.test(kind) ? kind : 'lock'} "${name}"`;
}

/** {@link called}, where a sentence begins. */
export function atFirst(kind: string, name: string): string {
  const words = called(kind, name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The stable codes of `error.code`. */
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

/** The class behind {@link LockError}, and behind each error of holdfast. */
export abstract class LockErrorBase extends Error {
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

  /** An error of another copy of this package, such as its CommonJS form, is one too. */
  static override [Symbol.hasInstance](
    this: { readonly prototype: LockErrorBase; readonly code?: LockErrorCode },
    value: unknown,
  ): boolean {
    if (!ours.has(this)) return super[Symbol.hasInstance](value);
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return this.code === undefined || ('code' in value && value.code === this.code);
  }
}
