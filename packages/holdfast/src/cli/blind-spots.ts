/** What a server that was given alone cannot show of the locks there are: who looks would take what it shows for all. */

import type { Call } from './command-line.js';
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
