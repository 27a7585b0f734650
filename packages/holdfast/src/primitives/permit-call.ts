import { type SemaphoreKeys, semaphoreKeys } from '@holdfast/core';
import { checkAcquire, type CheckedOptions } from '../acquire-options.js';
import type { Backend } from '../backend.js';
import type { ClientParts } from '../client-parts.js';
import { checkCount, checkFunction, checkKeys, MOST_PERMITS } from '../options.js';
import type { PermitOptions, PermitSectionOptions, SemaphoreOptions } from './semaphore.js';

export const callKeys = ['waitMs', 'leaseMs', 'signal', 'maxHoldMs'];
export const tryCallKeys = ['leaseMs', 'signal', 'maxHoldMs'];
const sectionKeys = [...callKeys, 'permits'];

const optionKeys = ['permits'];

/** What a handle of a semaphore is made of, of either kind. */
export interface SemaphoreGround {
  readonly keys: SemaphoreKeys;
  readonly parts: ClientParts;
  /** How many there are when nobody has said so. */
  readonly permits: number | undefined;
}

/** @throws TypeError or RangeError for a name or options that cannot be used. */
export function checkSemaphore(
  method: string,
  backend: Backend,
  name: string,
  options: SemaphoreOptions,
): SemaphoreGround {
  const keys = semaphoreKeys(name, backend.prefixes);
  checkKeys(method, options, optionKeys);
  const { permits } = options;
  if (permits !== undefined) checkCount(`${method}: permits`, permits, MOST_PERMITS);
  // Whoever asks first is first in line. In Redisson's way there is no line.
  const { inLine, parts } = backend;
  return { keys, parts: parts.wakeup.blind ? parts : inLine, permits };
}

/** One call, checked. */
export interface PermitCall {
  readonly permits: number;
  readonly ends: 'watched' | 'never';
  readonly options: CheckedOptions;
}

/** @throws TypeError or RangeError for anything that permits cannot be acquired with. */
export function checkCall(method: string, permits: number, given: PermitOptions, known: readonly string[]): PermitCall {
  checkCount(`${method}: permits`, permits, MOST_PERMITS);
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
