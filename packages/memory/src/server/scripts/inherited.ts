/** inherited.lua, which says what is told, and what the note of a lock that was given back is for. */

import { attempt, type Commands } from '../commands.js';
import { numberOf } from './lua.js';

/** `sinceMs`: server time; the grant step adds it where it is missing. */
export interface Inheritance {
  readonly reason: 'expired' | 'forced';
  sinceMs?: number | undefined;
}

export function leave(redis: Commands, lock: string, { reason, sinceMs = 0 }: Inheritance): void {
  attempt(() => redis.hset(lock, reason, `${sinceMs}`));
}

export function wordsOf(inherited: Inheritance | undefined): string {
  return inherited === undefined ? '' : `${inherited.reason} ${inherited.sinceMs ?? 0}`;
}

/** By the values of the two fields of a lock. */
export function inheritedOf(expiredMs: string | undefined, forcedMs: string | undefined): Inheritance | undefined {
  if (expiredMs !== undefined) return { reason: 'expired', sinceMs: numberOf(expiredMs) };
  return forcedMs === undefined ? undefined : { reason: 'forced', sinceMs: numberOf(forcedMs) };
}

/** Of a lock that is absent although tenures wait. */
export function foundGone(redis: Commands, fresh: string, nowMs: number): Inheritance | undefined {
  const note = attempt(() => redis.hget(fresh, 'returned'));
  if (note === 'always' || (typeof note === 'string' && nowMs < (numberOf(note) ?? 0))) return undefined;
  return { reason: 'expired', sinceMs: nowMs };
}

/** Only beside entries, which have a TTL. */
export function noteReturned(redis: Commands, fresh: string, note: string): void {
  if (attempt(() => redis.exists(fresh)) === true) attempt(() => redis.hset(fresh, 'returned', note));
}
