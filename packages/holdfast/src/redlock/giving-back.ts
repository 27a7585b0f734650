/**
 * How a lock by majority is given back: at all nodes at once.
 *
 * It is given back when a majority of the nodes has said so, and the others have had a moment in which a client that comes next finds them free too.
 * A question that was under way when the lock was had may be a vote by now: its node counts among those that say so, and is not waited for.
 * A node that is silent is told in the background until it acknowledges, or the lease there is over.
 */

import type { Appointment } from '@holdfast/watchdog';
import type { LockParts } from '../client-parts.js';
import type { FailureOf, ReleaseOutcome, Stake } from '../tenure/stake.js';
import type { Parting } from './ballot.js';

/** See the module comment. `underWay`: ballots without an answer yet. `momentMs`: what the slower nodes have once a majority has answered. */
export async function giveBackAll(
  parts: LockParts,
  { votes, underWay }: { votes: readonly Stake[]; underWay: readonly ((onParting: Parting) => void)[] },
  { majority, momentMs, failure }: { majority: number; momentMs: number; failure: FailureOf },
): Promise<void> {
  const now = parts.clock.now();
  const outcome = await new Promise<ReleaseOutcome>((resolve) => {
    let released = 0;
    let openVotes = votes.length;
    let open = votes.length + underWay.length;
    let other: ReleaseOutcome = { kind: 'unheld' };
    let moment: Appointment | undefined;
    const end = (found: ReleaseOutcome) => {
      moment?.cancel();
      resolve(found);
    };
    const count = () => {
      if (released >= majority && openVotes === 0) end({ kind: 'released' });
      else if (released + open < majority) end(other);
      else if (released >= majority)
        moment ??= parts.waits.at(parts.clock.now() + momentMs, () => end({ kind: 'released' }));
    };
    const answered = (found: ReleaseOutcome) => {
      open--;
      if (found.kind === 'released') released++;
      else if (other.kind === 'unheld') other = found;
      count();
    };
    for (const vote of votes) {
      void vote.giveBack(now, (found) => {
        openVotes--;
        answered(found);
        return undefined;
      });
    }
    for (const leave of underWay) leave(answered);
    count();
  });
  const error = failure(outcome);
  if (error !== undefined) throw error;
}
