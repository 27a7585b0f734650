/** Checks of command arguments. The scripts check again: an argument error must never leave a lock without TTL. */

/** Longest lease, wait or TTL that a command takes, in ms (2^31, about 24.8 days). */
export const MAX_TIME_MS = 2 ** 31;
/** Most permits of a command that takes some, or changes how many there are. */
export const MOST_PERMITS = 2 ** 31;

/** Returns `value` when it is a whole number of milliseconds from `min` to {@link MAX_TIME_MS}. */
export function duration(name: string, value: number, min: 0 | 1): number {
  return inRange(name, value, min, MAX_TIME_MS);
}

/** Returns `value` when it is a whole number from `min` that JavaScript and Lua both hold exactly. */
export function ordinal(name: string, value: number, min: 0 | 1): number {
  return inRange(name, value, min, Number.MAX_SAFE_INTEGER);
}

/** Returns `value` when it is a whole number from `min` to `max`. */
export function inRange(name: string, value: number, min: number, max: number): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`);
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}`);
  }
  return value;
}

/** What ids look like as a rule. Others are allowed, and cost a closer look. */
const PLAIN_ID = /^[!-~]*[!-9;-~]:[!-9;-~]+$/;

/** Returns `tenure` when it is `<client id>:<n>` or `<owner>:<client id>:<n>`, free of spaces and control characters. */
export function tenureId(tenure: string): string {
  if (typeof tenure !== 'string') throw new TypeError('tenure must be a string');
  if (PLAIN_ID.test(tenure)) return tenure;
  if (!/^[^ \p{Cc}\p{Cs}]+$/u.test(tenure) || !/[^:]:[^:]+$/.test(tenure)) {
    throw new RangeError('tenure must be <clientId>:<n>, without spaces and control characters');
  }
  return tenure;
}
