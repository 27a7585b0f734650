import type { Parts } from './parts.js';
import type { HeldOutcome } from './tenure.js';

/** The outcome, or `silent` when it takes longer than `responseTimeoutMs`; the operation itself goes on. */
export function within(outcome: Promise<HeldOutcome>, { waits, clock, settings }: Parts): Promise<HeldOutcome> {
  return new Promise((resolve) => {
    const limit = waits.at(clock.now() + settings.responseTimeoutMs, () =>
      resolve({ kind: 'silent', error: undefined }),
    );
    void outcome.then((result) => {
      limit.cancel();
      resolve(result);
    });
  });
}
