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

/** What a fixed lease explains: it was over before the release, or before its answer. */
const endsLate: ReadonlySet<string> = new Set(['LOCK_LOST', 'LOCK_UNAVAILABLE']);

/** The rule that is broken when a task that does `pattern` is told this; undefined when it may be told so. */
export function brokenBy(error: unknown, kind: ScenarioClass, pattern: string): Rule | undefined {
  if (!(error instanceof LockError)) return 'unexplained error';
  const { code } = error;
  if (kind !== 'calm') return underFaults.has(code) ? undefined : 'unexplained error';
  // In peace: a wait that was given and has passed, a lease that was given and has passed.
  if (code === 'LOCK_TIMEOUT') return pattern === 'twoLocks' ? undefined : 'unexplained error';
  if (pattern === 'fixedLease' && endsLate.has(code)) return undefined;
  return code === 'LOCK_LOST' ? 'unexplained loss' : 'unexplained error';
}
