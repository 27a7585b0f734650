import type { Site } from '../reports/site.js';
import type { CallContext } from '../scopes/call-context.js';
import type { HoldTerms } from '../tenure/hold-terms.js';
import type { Side } from '../tenure/operations.js';

/** What gives an acquisition back: `unlock`, any code that has the `Hold`, or the section itself. */
export type AcquireKind = 'imperative' | 'object' | 'section';

/** How an acquisition was made. */
export interface HoldOrigin {
  readonly terms: HoldTerms;
  readonly owner: string | undefined;
  /** Of a lock with two sides, that of the call. */
  readonly side?: Side | undefined;
  readonly kind: AcquireKind;
  /** Where in the code, if that was noted. */
  readonly site: Site | undefined;
  /** Where in the tree of calls. */
  readonly context: CallContext;
}
