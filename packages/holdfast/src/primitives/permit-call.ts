import { checkAcquire, type CheckedOptions } from '../acquire-options.js';
import { checkCount, checkFunction, checkKeys } from '../options.js';
import type { PermitOptions, PermitSectionOptions } from './semaphore.js';

/** Most permits that a semaphore has, and that a call takes. */
export const MOST_PERMITS = 2 ** 31;

export const callKeys: ReadonlySet<string> = new Set(['waitMs', 'leaseMs', 'signal', 'maxHoldMs']);
export const tryCallKeys: ReadonlySet<string> = new Set(['leaseMs', 'signal', 'maxHoldMs']);
const sectionKeys: ReadonlySet<string> = new Set([...callKeys, 'permits']);

/** One call, checked. */
export interface PermitCall {
  readonly permits: number;
  readonly ends: 'watched' | 'never';
  readonly options: CheckedOptions;
}

/** @throws TypeError or RangeError for anything that permits cannot be acquired with. */
export function checkCall(
  method: string,
  permits: number,
  given: PermitOptions,
  known: ReadonlySet<string>,
): PermitCall {
  checkCount('permits', permits, MOST_PERMITS);
  checkKeys(method, given, known);
  const { waitMs, leaseMs, signal, maxHoldMs } = given;
  if (leaseMs === 'never' && maxHoldMs !== undefined)
    throw new TypeError(`${method}: a lease that never ends is not renewed, so maxHoldMs cannot go with it`);
  const ends = leaseMs === 'never' ? 'never' : 'watched';
  return {
    permits,
    ends,
    options: checkAcquire({ waitMs, leaseMs: leaseMs === 'never' ? undefined : leaseMs, signal, maxHoldMs }, method),
  };
}

export function checkSection(method: string, options: PermitSectionOptions, fn: unknown): PermitCall {
  checkKeys(method, options, sectionKeys);
  const { permits = 1 } = options;
  const call = checkCall(method, permits, options, sectionKeys);
  checkFunction(method, fn);
  return call;
}
