/**
 * How a lock by majority is given back: at all nodes at once.
 *
 * It is given back when a majority of the nodes is known to keep nothing of it, and the others have had their moment: a client that comes next finds
 * them free too. Those that have declined to vote keep nothing. It was held to its end when a majority had voted and has not answered that the vote was gone:
 * a node that is silent has not given its vote to others. Where one answers that it was gone, those that had voted anew for the hold do not count.
 * A question that was under way when the lock was had may be a vote by now: its node counts among those that say so, and is waited for no longer than
 * that moment.
 * A node that is silent is told in the background until it acknowledges, or the lease there is over.
 */

import type { LockParts } from '../client-parts.js';
import type { FailureOf, ReleaseOutcome, Stake } from '../tenure/stake.js';
import { keepsNothing, type Parting } from './ballot.js';

/** What there is to give back. `underWay`: ballots without an answer yet. `anew`: the votes among them that came within the last lease of the hold. `declined`: nodes that keep nothing. */
export interface Poll {
  readonly votes: readonly Stake[];
  readonly anew: readonly Stake[];
  readonly underWay: readonly ((onParting: Parting) => void)[];
  readonly declined: number;
}

/** See the module comment. `momentMs`: what the slower nodes have. */
export async function giveBackAll(
  parts: LockParts,
  { votes, anew, underWay, declined }: Poll,
  { majority, momentMs, failure }: { majority: number; momentMs: number; failure: FailureOf },
): Promise<void> {
  const now = parts.clock.now();
  const outcome = await new Promise<ReleaseOutcome>((resolve) => {
    let free = declined;
    const held = new Set<unknown>(votes);
    let openVotes = votes.length;
    let openBallots = underWay.length;
    let failed: ReleaseOutcome = { kind: 'unheld' };
    let momentIsOver = false;
    const moment = parts.waits.at(now + momentMs, () => {
      momentIsOver = true;
      count();
    });
    const end = (found: ReleaseOutcome) => {
      moment.cancel();
      resolve(found);
    };
    const count = () => {
      const mayCome = momentIsOver ? 0 : openBallots;
      if (held.size + mayCome < majority) end({ kind: 'unheld' });
      else if (free + openVotes + mayCome < majority) end(failed);
      else if (held.size >= majority && free >= majority && (momentIsOver || openVotes === 0))
        end({ kind: 'released' });
    };
    const note = (found: ReleaseOutcome) => {
      if (keepsNothing(found)) free++;
      else failed = found;
      count();
    };
    for (const vote of votes) {
      void vote.giveBack(now, (found) => {
        openVotes--;
        if (found.kind === 'unheld') for (const gone of [vote, ...anew]) held.delete(gone);
        note(found);
        return undefined;
      });
    }
    for (const leave of underWay) {
      leave((found) => {
        openBallots--;
        if (found.kind === 'released') held.add(leave);
        note(found);
      });
    }
    count();
  });
  const error = failure(outcome);
  if (error !== undefined) throw error;
}
