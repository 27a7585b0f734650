import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

/** As they are before any test can drive them. */
const now = performance.now.bind(performance);
const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;

/** How long, how often, and what for. */
export interface WaitUntilOptions {
  /** What is waited for, as the error shall name it: `'the waiter is queued'`. */
  what: string;
  /** Default 10 000 ms: generous, since only a failing test waits that long. */
  timeoutMs?: number;
  /** Pause between two checks. Default 5 ms. */
  everyMs?: number;
}

/** A condition did not come true in time. */
export class WaitUntilTimeoutError extends Error {
  override readonly name = 'WaitUntilTimeoutError';
}

/** What is left of `T` once a check has found it truthy. */
export type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

const isTruthy = <T>(value: T): value is T & Truthy<T> => Boolean(value);

/**
 * Waits until `condition` gives a truthy value and resolves with it. The only place where tests sleep.
 *
 * A condition that throws or rejects ends the wait with its error. One that never settles is not waited for beyond
 * `timeoutMs`.
 *
 * @throws WaitUntilTimeoutError that names `what` and the last value seen.
 */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  options: WaitUntilOptions = { what: 'the condition' },
): Promise<Truthy<Awaited<T>>> {
  const { what, timeoutMs = 10_000, everyMs = 5 } = options;
  const deadline = now() + timeoutMs;
  const timeUp = new AbortController();
  const timer = setTimer(() => timeUp.abort(), timeoutMs);
  const expired = new Promise<never>((_, reject) => {
    timeUp.signal.addEventListener('abort', () => reject(new WaitUntilTimeoutError('')), { once: true });
  });
  expired.catch(() => undefined);
  let last = 'nothing: the first check has not settled';
  try {
    for (;;) {
      const value = await Promise.race([condition(), expired]);
      if (isTruthy(value)) return value;
      last = inspect(value);
      if (now() >= deadline) throw new WaitUntilTimeoutError('');
      await sleep(everyMs);
    }
  } catch (error) {
    if (!(error instanceof WaitUntilTimeoutError)) throw error;
    throw new WaitUntilTimeoutError(`waited ${timeoutMs} ms for ${what}; the last value was ${last}`);
  } finally {
    clearTimer(timer);
  }
}
