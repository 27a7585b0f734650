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
}

/**
 * A minimum beyond the lease is asked for when the lock is had, and the call waits for the answer. An ask without an answer, of a process that is gone,
 * must not keep the lock from all others for so long: nobody has had it.
 */
export function outlastsLease(terms: HoldTerms): terms is HoldTerms & { minHoldMs: number } {
  return (terms.minHoldMs ?? 0) > terms.leaseMs;
}

/** The terms of the lease for one hold that began at `since`, or begins now. */
export function leaseTermsOf(terms: HoldTerms, clock: Clock, since?: number): LeaseTerms {
  const { mode, leaseMs, maxHoldMs } = terms;
  if (maxHoldMs === undefined || mode === 'fixed') return terms;
  return { mode, leaseMs, renewUntil: (since ?? clock.now()) + maxHoldMs };
}

/** A hold as far as its lease goes. */
export interface TermsHolder {
  readonly terms: HoldTerms;
  readonly since: number | undefined;
  readonly renewable: boolean;
}

/**
 * One lease serves all open holds: it is watched while any of them asked for that, and a fixed one is a minimum. Undefined when none of them
 * keeps it renewed: no code will release a hold whose scope has ended, and what is left of the lease runs out.
 */
export function commonTerms(holds: readonly TermsHolder[], clock: Clock): LeaseTerms | undefined {
  let common: LeaseTerms | undefined;
  for (const hold of holds) {
    if (!hold.renewable) continue;
    const terms = leaseTermsOf(hold.terms, clock, hold.since);
    common = common === undefined ? terms : merge(common, terms);
  }
  return common;
}

/** Whether a hold that stays keeps the lease as `terms` want it, so that it makes no difference whether there is one of those as well. */
export function suffices({ renewable, terms: { mode, leaseMs, maxHoldMs } }: TermsHolder, terms: HoldTerms): boolean {
  if (!renewable || maxHoldMs !== undefined) return false;
  return mode === terms.mode ? terms.leaseMs <= leaseMs : mode === 'watched';
}

function merge(a: LeaseTerms, b: LeaseTerms): LeaseTerms {
  if (a.mode !== b.mode) return a.mode === 'watched' ? a : b;
  const leaseMs = Math.max(a.leaseMs, b.leaseMs);
  if (a.mode === 'fixed' || a.renewUntil === undefined || b.renewUntil === undefined) return { mode: a.mode, leaseMs };
  return { mode: 'watched', leaseMs, renewUntil: Math.max(a.renewUntil, b.renewUntil) };
}
