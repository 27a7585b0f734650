import type { Reply } from '../protocol/reply.js';

/** What a new owner is told of a lock that its last holder did not give back. */
export interface Inherited {
  /** `expired`: its lease ran out, or its key was deleted. `forced`: it was taken from its holder. */
  readonly reason: 'expired' | 'forced';
  /** Server time, in ms, at which that was found, or done. */
  readonly since: number;
}

/** Reads `<reason> <since ms>`, or '' for nothing. */
export function inheritedFrom(reply: Reply, index: number): Inherited | 'nothing' {
  const words = reply.text(index);
  if (words === '') return 'nothing';
  const [, reason, since] = /^(expired|forced) (\d{1,16})$/.exec(words) ?? [];
  if (reason === undefined || since === undefined) return reply.fail('an unknown inheritance');
  return { reason: reason as Inherited['reason'], since: Number(since) };
}
