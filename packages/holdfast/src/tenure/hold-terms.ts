import type { Clock, LeaseTerms } from '@holdfast/watchdog';

/** The lease that an acquisition asked for. */
export interface HoldTerms {
  /** Fixed: this lease and no renewal. Watched: renewed while the hold lives. */
  readonly mode: 'fixed' | 'watched';
  readonly leaseMs: number;
  /** Watched only: no renewal beyond this age of the hold. */
  readonly maxHoldMs: number | undefined;
  /** For how long since the hold began the lock stays taken, even if it is given back before. */
  readonly minHoldMs?: number | undefined;
  /** Clock time since which Redis is asked for what its end takes; absent: since it is given back. That is answered within `responseTimeoutMs` in all. */
  readonly endsSince?: number | undefined;
}

/**
 * A minimum beyond the lease is asked for when the lock is had, and the call waits for the answer. An ask without an answer, of a process that is gone,
 * must not keep the lock from all others for so long: nobody has had it.
 */
export function outlastsLease(terms: HoldTerms): terms is HoldTerms & { minHoldMs: number } {
  return (terms.minHoldMs ?? 0) > terms.leaseMs;
}

/** The terms of the lease for one hold that begins now. */
export function leaseTermsOf(terms: HoldTerms, clock: Clock): LeaseTerms {
  const { mode, leaseMs, maxHoldMs } = terms;
  if (maxHoldMs === undefined || mode === 'fixed') return terms;
  return { mode, leaseMs, renewUntil: clock.now() + maxHoldMs };
}

/** A hold as far as its lease goes. */
export interface TermsHolder {
  readonly terms: HoldTerms;
  readonly since: number | undefined;
  /** Clock time until which it lasts at least by what was asked for after it began, if anything was. */
  readonly promisedUntil: number | undefined;
  readonly renewable: boolean;
}

/** It lasts until then at least, whatever end its terms set. */
export function lastUntil(hold: { promisedUntil: number | undefined }, until: number): void {
  hold.promisedUntil = Math.max(hold.promisedUntil ?? until, until);
}

/**
 * One lease serves all open holds: it is watched while any of them asked for that, a fixed one is a minimum, and it lasts until the last of them
 * ends. Undefined when none of them keeps it renewed: no code will release a hold whose scope has ended, and what is left of the lease runs out.
 */
export function commonTerms(holds: readonly TermsHolder[], clock: Clock): LeaseTerms | undefined {
  let common: HoldTerms | undefined;
  let renewUntil = -Infinity;
  for (const hold of holds) {
    if (!hold.renewable) continue;
    renewUntil = Math.max(renewUntil, endOf(hold, clock));
    if (common === undefined || wantsMore(hold.terms, common)) common = hold.terms;
  }
  if (common?.mode !== 'watched' || renewUntil === Infinity) return common;
  return { mode: 'watched', leaseMs: common.leaseMs, renewUntil };
}

/** Whether a hold that stays keeps the lease as another one wants it, so that it makes no difference whether there is that one as well. */
export function suffices(stays: TermsHolder, other: TermsHolder, clock: Clock): boolean {
  return stays.renewable && !wantsMore(other.terms, stays.terms) && endOf(other, clock) <= endOf(stays, clock);
}

/** Clock time at which a hold that has begun, or begins now, ends by itself. */
function endOf({ terms, since, promisedUntil }: TermsHolder, clock: Clock): number {
  const { mode, leaseMs, maxHoldMs = Infinity } = terms;
  const end = (since ?? clock.now()) + (mode === 'fixed' ? leaseMs : maxHoldMs);
  return promisedUntil === undefined ? end : Math.max(end, promisedUntil);
}

function wantsMore(one: HoldTerms, other: HoldTerms): boolean {
  return one.mode === other.mode ? one.leaseMs > other.leaseMs : one.mode === 'watched';
}
