import type { LockLostReason } from '../errors.js';
import type { AcquiredHow } from '../reports/stats.js';

/** Where a record stands; see `hold-record.ts`. All times are of the client's clock. */
export type HoldPhase =
  | { readonly kind: 'confirming'; readonly how: AcquiredHow; readonly since: number }
  | { readonly kind: 'delivering'; readonly how: AcquiredHow }
  | { readonly kind: 'open'; readonly how: AcquiredHow }
  /** `at`: when the loss was found. `refusal`: what Redis had answered to the last renewal. `told`: `release` has told of it. */
  | {
      readonly kind: 'lost';
      readonly how: AcquiredHow;
      readonly reason: LockLostReason;
      readonly at: number;
      readonly refusal: Error | undefined;
      told: boolean;
    }
  /** Lost on its way to its call. */
  | { readonly kind: 'withdrawn'; readonly how: AcquiredHow; readonly reason: LockLostReason }
  | { readonly kind: 'released'; readonly how: AcquiredHow };

/** One for all: a lock that is held for long costs no object for its phase. */
export const delivering = inEachWay('delivering');
export const open = inEachWay('open');
export const released = inEachWay('released');

function inEachWay<K extends 'delivering' | 'open' | 'released'>(
  kind: K,
): Record<AcquiredHow, { readonly kind: K; readonly how: AcquiredHow }> {
  return {
    asked: { kind, how: 'asked' },
    granted: { kind, how: 'granted' },
    local: { kind, how: 'local' },
    passed: { kind, how: 'passed' },
    're-entered': { kind, how: 're-entered' },
  };
}
