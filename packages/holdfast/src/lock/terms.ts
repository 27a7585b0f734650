import type { Clock, LeaseTerms } from '@holdfast/watchdog';

/** The lease an acquisition asked for. */
export interface Terms {
  /** Fixed: this lease and no renewal. Watched: renewed while the hold lives. */
  readonly mode: 'fixed' | 'watched';
  readonly leaseMs: number;
  /** Watched only: no renewal beyond this age of the hold. */
  readonly maxHoldMs: number | undefined;
}

/** The terms of a lease for one hold that starts at `since`, or now. */
export function leaseTermsOf(terms: Terms, clock: Clock, since?: number): LeaseTerms {
  const { mode, leaseMs, maxHoldMs } = terms;
  if (maxHoldMs === undefined || mode === 'fixed') return terms;
  return { mode, leaseMs, renewUntil: (since ?? clock.now()) + maxHoldMs };
}

/** A fixed lease shorter than what is left of any: nothing is asked for any more. */
const NO_MORE_MS = 1;

/** A level as far as its lease goes. */
export interface TermsHolder {
  readonly terms: Terms;
  readonly since: number;
  readonly renewable: boolean;
}

/**
 * One lease serves all open levels: it is watched while any of them asked for it, and a fixed one is a minimum. Undefined when there is
 * no level.
 */
export function commonTerms(levels: readonly TermsHolder[], clock: Clock): LeaseTerms | undefined {
  let common: LeaseTerms | undefined;
  for (const level of levels) {
    const { since, renewable } = level;
    const own = leaseTermsOf(level.terms, clock, since || undefined);
    // Nobody releases a level whose scope has ended: what is left of its lease runs out.
    const terms: LeaseTerms = renewable ? own : { mode: 'fixed', leaseMs: NO_MORE_MS };
    common = common === undefined ? terms : merge(common, terms);
  }
  return common;
}

function merge(a: LeaseTerms, b: LeaseTerms): LeaseTerms {
  if (a.mode !== b.mode) return a.mode === 'watched' ? a : b;
  const leaseMs = Math.max(a.leaseMs, b.leaseMs);
  if (a.mode === 'fixed' || a.renewUntil === undefined || b.renewUntil === undefined) return { mode: a.mode, leaseMs };
  return { mode: 'watched', leaseMs, renewUntil: Math.max(a.renewUntil, b.renewUntil) };
}
