/** What a user's function returns is waited for as `await` does. */

import { types } from 'node:util';

/**
 * `value`, or what `await value` would wait for, as a promise. A thenable is asked for its `then` once, which is called here and now: so a
 * lazy one, such as the query of a query builder, works in the scope in which this is called.
 *
 * @throws TypeError as {@link checkIsDone}, which is for the caller to ask of what a promise resolves with: for all to wait for it here would make each section slower.
 */
export function settling<T>(value: T): T | Promise<Awaited<T>> {
  if (Object(value) !== value) return value;
  checkIsDone(value);
  try {
    // Only those that `await` takes as they are: a class that extends Promise may have a `then` of its own.
    if (types.isPromise(value) && value.constructor === Promise) return value;
    const { then } = value as { then?: unknown };
    if (typeof then !== 'function') return value;
    return new Promise((resolve, reject) => Reflect.apply(then, value, [resolve, reject]));
  } catch (error) {
    return rejection(error);
  }
}

/** @throws TypeError for the object of a generator function, whose body would run without the lock. Other iterables may be meant. */
export function checkIsDone<T>(value: T): T {
  if (!types.isGeneratorObject(value)) return value;
  throw new TypeError(
    'The function returned a generator, whose body would run outside: iterate it inside, in an async function',
  );
}

/** Of anything: what is thrown, and the reason of an abort signal, need not be an Error. */
export async function rejection(reason: unknown): Promise<never> {
  throw reason;
}
