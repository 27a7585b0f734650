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
  | { readonly kind: 'released' };

/** One for all: a lock that is held for long costs no object for its phase. */
export const open: Record<AcquiredHow, HoldPhase> = {
  asked: { kind: 'open', how: 'asked' },
  granted: { kind: 'open', how: 'granted' },
  local: { kind: 'open', how: 'local' },
  passed: { kind: 'open', how: 'passed' },
  're-entered': { kind: 'open', how: 're-entered' },
};
export const released = { kind: 'released' } as const;
