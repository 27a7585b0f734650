/** Which errors of calls are part of what is promised, and under which circumstances. */

import { LockError } from 'holdfast';
import type { Rule } from '../judges/violation.js';
import type { ScenarioClass } from '../plan/scenario.js';

/** What faults explain. */
const underFaults: ReadonlySet<string> = new Set([
  'LOCK_TIMEOUT',
  'LOCK_LOST',
  'LOCK_UNAVAILABLE',
  'LOCK_REFUSED',
  'LOCK_NOT_HELD',
]);

/** The rule that is broken when a task that does `pattern` is told this; undefined when it may be told so. */
export function brokenBy(error: unknown, kind: ScenarioClass, pattern: string): Rule | undefined {
  if (!(error instanceof LockError)) return 'unexplained error';
  const { code } = error;
  if (kind !== 'calm') return underFaults.has(code) ? undefined : 'unexplained error';
  // In peace: a wait that was given and has passed, a lease that was given and has passed.
  if (code === 'LOCK_TIMEOUT') return pattern === 'twoLocks' ? undefined : 'unexplained error';
  if (code === 'LOCK_LOST') return pattern === 'fixedLease' ? undefined : 'unexplained loss';
  return 'unexplained error';
}
