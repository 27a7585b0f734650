/** What cannot be shown of the locks there are, by a server that was given alone or without one that is away: who looks would take what is shown for all. */

import { LockUnavailableError } from 'holdfast';
import type { Call } from './command-line.js';
import { wordsOf } from './complaint.js';
import { fieldOf } from './doctor/finding.js';

/** Says it on the standard error. Where nobody may ask, or nobody answers, nothing is said: what was to be shown has come, or the command ends with that. */
export async function tellBlindSpots(call: Call): Promise<void> {
  if (call.site.kind !== 'node') return;
  const connected = await call.site.connect(call.answerWithinMs).catch(() => undefined);
  const info = (await connected?.servers[0].info().catch(() => '')) ?? '';
  if (fieldOf(info, 'redis_mode') === 'cluster')
    call.complain('PARTIAL_VIEW', 'this is one node of a Cluster, and knows only its own locks: add --cluster');
  if (fieldOf(info, 'role') === 'slave' && fieldOf(info, 'slave_read_only') !== '0')
    call.complain('PARTIAL_VIEW', 'this is a replica, which may be behind, and takes no locks: ask its master');
}

/** Whether a list ended with it that has the locks of all servers but some. */
export function isOfSome(error: unknown): boolean {
  return error instanceof LockUnavailableError && error.message.startsWith('Locks are missing: ');
}

/** Says whose locks are missing, on the standard error. */
export function tellMissing(call: Call, missing: Error): void {
  call.complain('PARTIAL_VIEW', wordsOf(missing));
}
