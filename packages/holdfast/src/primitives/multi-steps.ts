/**
 * The steps of a call of a multi-lock, each within the time that it has: one member after the other is taken, the leases are fixed; or what was taken is given back.
 */

import type { CheckedOptions } from '../acquire-options.js';
import type { LockParts } from '../client-parts.js';
import { fixLease } from '../exclusive/fixed-lease.js';
import type { Entry, Site } from '../reports/site.js';
import type { CallStyle } from './acquisition.js';
import type { HoldBundle } from './hold-bundle.js';
import { type CallInTime, inTime } from './in-time.js';
import type { Member } from './member.js';
import type { MembersAhead } from './members-ahead.js';

/** A call of a multi-lock that its members are taken for. */
export interface MultiCall extends Omit<CallInTime, 'signal' | 'until'> {
  /** Clock time at which its time is over, or that of its present step. */
  until: number;
  readonly style: CallStyle;
  readonly options: CheckedOptions;
  readonly waitMs: number | undefined;
  readonly entry: Entry;
  readonly site: Site | undefined;
  readonly ahead: MembersAhead;
}

/** With `waitMs` 0 each step is one attempt, and has the time of one. */
export function beginStep(call: MultiCall, { clock, settings }: LockParts): void {
  if (call.waitMs === 0) call.until = clock.now() + settings.attemptTimeoutMs;
}

/** They were renewed until the last member was there. Tells of one that does not answer in time. */
export async function fixLeases({ taken }: HoldBundle, leaseMs: number, call: CallInTime): Promise<Member | undefined> {
  const fixing = taken.map(async ({ member: { host, operations }, record }) => {
    const lock = host.registry.find(operations)?.lockOf(record);
    if (lock === undefined) throw record.lossError();
    return inTime(host.parts, operations, call, fixLease(lock, record, leaseMs));
  });
  const fixed = await Promise.allSettled(fixing);
  const failed = fixed.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return taken[fixed.findIndex((result) => 'value' in result && result.value !== undefined)]?.member;
}

/** Waits for it while there is time left: a server that does not answer must not keep a call whose time is over. */
export async function withdraw(bundle: HoldBundle, call: MultiCall, parts: LockParts): Promise<void> {
  call.ahead.withdraw();
  const withdrawn = bundle.withdraw();
  const { until, options } = call;
  const [first] = bundle.taken;
  if (first !== undefined && parts.clock.now() < until)
    await inTime(parts, first.member.operations, { ...call, signal: options.signal }, withdrawn).catch(() => undefined);
}
