import type { Command } from '@holdfast/core';
import type { RenewOutcome, RenewReply } from './operations.js';

/** What a script that renews leases has said of the only one. */
export interface SoleRenewal {
  /** Server time. */
  readonly nowMs: number;
  readonly outcome: Exclude<RenewOutcome, { kind: 'refused' }>;
}

/** Such a script catches what is refused of one lease, and goes on with the next. Of the only one it is refused as any command is: for now, which is tried again, or for good. */
export function soleRenewal(command: Command<RenewReply>): Command<SoleRenewal> {
  const decode = (raw: unknown): SoleRenewal => {
    const { nowMs, outcomes } = command.decode(raw);
    const outcome = outcomes[0] as RenewOutcome;
    if (outcome.kind === 'refused') throw Object.assign(new Error(outcome.message), { name: 'ReplyError' });
    return { nowMs, outcome };
  };
  return { ...command, decode };
}
