import type { Command } from '@holdfast/core';
import type { RenewOutcome, RenewReply } from './operations.js';

/** What a script that renews leases has said of the only one. */
export interface SoleRenewal {
  /** Server time. */
  readonly nowMs: number;
  readonly outcome: Exclude<RenewOutcome, { kind: 'refused' }>;
}

/**
 * Where a script renews several leases, it answers of each whether it was refused. Where there is one, that refusal is an error of the command here: the
 * sender tries again what Redis refuses for now, and ends what it refuses for good.
 */
export function soleRenewal(command: Command<RenewReply>): Command<SoleRenewal> {
  const decode = (raw: unknown): SoleRenewal => {
    const { nowMs, outcomes } = command.decode(raw);
    const outcome = outcomes[0] as RenewOutcome;
    if (outcome.kind === 'refused') throw Object.assign(new Error(outcome.message), { name: 'ReplyError' });
    return { nowMs, outcome };
  };
  return { ...command, decode };
}
