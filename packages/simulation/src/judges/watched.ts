/** The locks of a world whose data judges look at: those that exclude everybody else, and are kept in Redis under their own names. */

import { lockKeys } from '@holdfast/core';
import { forksOf } from '../plan/forks.js';
import type { OtherKind, Scenario } from '../plan/scenario.js';

const kinds: ReadonlySet<OtherKind> = new Set<OtherKind>(['spin', 'rest', 'left', 'owners', 'guard', 'later']);

/** The keys of one of them. */
export interface WatchedKeys {
  readonly name: string;
  readonly lock: string;
  readonly queue: string;
  readonly fresh: string;
}

/** By the key of the lock. */
export function watchedLocks({ locks, others, processes }: Scenario): ReadonlyMap<string, WatchedKeys> {
  const besides = others.flatMap((plan) => {
    if (plan.kind === 'multi') return plan.members;
    if (plan.kind === 'circle') return processes.flatMap(({ number }) => forksOf(plan, number).alone);
    return kinds.has(plan.kind) ? [plan.name] : [];
  });
  return new Map([...locks, ...besides].map(keysOf).map((keys) => [keys.lock, keys]));
}

/** Each text is made anew whenever it is asked for there. */
function keysOf(name: string): WatchedKeys {
  const { lock, queue, fresh } = lockKeys(name);
  return { name, lock, queue, fresh };
}
