/** Checks what a method is given, in the words of redlock. The client below would name arguments that the caller has not written. */

const LEAST_MS = 100;
/** Longest lease and wait of a call of holdfast: 24.8 days. */
export const MAX_TIME_MS = 2 ** 31;

/** @throws TypeError or RangeError when they are no list of names. Which names there may be is said by holdfast. */
export function checkResources(resources: unknown): void {
  if (!Array.isArray(resources) || resources.some((name) => typeof name !== 'string'))
    throw new TypeError('Redlock: resources must be a list of names');
  if (resources.length === 0) throw new RangeError('Redlock: resources must be one name or more, got none');
}

/** @throws TypeError or RangeError when it is no length of a lease: without one the lease would be renewed without end. */
export function checkDuration(duration: unknown): void {
  if (typeof duration !== 'number')
    throw new TypeError(
      `Redlock: duration must be whole milliseconds, not ${duration === null ? 'null' : typeof duration}`,
    );
  if (!Number.isInteger(duration) || duration < LEAST_MS || duration > MAX_TIME_MS)
    throw new RangeError(
      `Redlock: duration must be whole milliseconds from ${LEAST_MS} to ${MAX_TIME_MS}, got ${duration}`,
    );
}
