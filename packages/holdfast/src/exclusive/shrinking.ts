import type { Command } from '@holdfast/core';
import type { HandoffReply } from '../tenure/operations.js';
import { heed } from './change-outcome.js';
import type { HoldRecord } from './hold-record.js';
import type { ExclusiveLock } from './lock.js';
import { withinResponseTimeout } from './within-response-timeout.js';

/**
 * Gives back a part of what a hold has, which goes on with the rest. It is carried out behind what was asked before, and also when the call has
 * rejected with LockUnavailableError, unless the hold is over by then.
 *
 * @throws as {@link heed}.
 */
export async function giveBackSome(
  lock: ExclusiveLock,
  record: HoldRecord,
  build: (tenure: string) => Command<HandoffReply>,
): Promise<void> {
  const { tenure, parts } = lock;
  if (tenure?.steps.change === undefined || record.lost) throw record.lossError();
  const outcome = await withinResponseTimeout(
    tenure.steps.change(() => build(tenure.id)),
    tenure,
    parts,
  );
  if (outcome.kind !== 'held' && record.state !== 'released') heed(lock, tenure, record, outcome);
}
