/**
 * How a lock by majority is given back: at all nodes at once.
 *
 * It is given back when a majority of the nodes has said so, and the others have had a moment in which a client that comes next finds them free too.
 * A node that is silent is told in the background until it acknowledges, or the lease there is over.
 */

import type { LockParts } from '../client-parts.js';
import type { FailureOf, ReleaseOutcome, Stake } from '../tenure/stake.js';

/** See the module comment. `momentMs`: what the slower nodes have once a majority has answered. */
export async function giveBackAll(
  parts: LockParts,
  tenures: readonly Stake[],
  { majority, momentMs, failure }: { majority: number; momentMs: number; failure: FailureOf },
): Promise<void> {
  const now = parts.clock.now();
  const outcome = await new Promise<ReleaseOutcome>((resolve) => {
    let released = 0;
    let open = tenures.length;
    let other: ReleaseOutcome = { kind: 'unheld' };
    const moment = { cancel: () => undefined as void };
    const end = (found: ReleaseOutcome) => {
      moment.cancel();
      resolve(found);
    };
    const count = () => {
      if (released >= majority && open === 0) end({ kind: 'released' });
      else if (released + open < majority) end(other);
      else if (released === majority) {
        moment.cancel();
        const appointment = parts.waits.at(parts.clock.now() + momentMs, () => end({ kind: 'released' }));
        moment.cancel = () => appointment.cancel();
      }
    };
    for (const tenure of tenures) {
      const answered = (found: ReleaseOutcome) => {
        open--;
        if (found.kind === 'released') released++;
        else if (other.kind === 'unheld') other = found;
        count();
        return undefined;
      };
      void tenure.giveBack(now, answered);
    }
    count();
  });
  const error = failure(outcome);
  if (error !== undefined) throw error;
}
