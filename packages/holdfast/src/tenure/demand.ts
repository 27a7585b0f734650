import type { HoldTerms } from './hold-terms.js';

/** What the waiting calls of this client want of the tenure that asks on their behalf. Handed down whenever it changes. */
export interface Demand {
  /** Of the call that comes next: it gets the lock if the tenure gets it now. */
  readonly terms: HoldTerms;
  /** Clock time until which the most patient call waits; infinite when one waits without limit. Calls for one attempt do not count. */
  readonly patientUntil: number;
}
