import { whenRead } from '../connection/reading.js';
import type { LockParts } from '../client-parts.js';
import type { Failure } from '../tenure/failures.js';
import type { Stake } from '../tenure/stake.js';

/** The outcome of something that `tenure` does, or `silent` when it takes longer than `responseTimeoutMs`, counted from clock time `since`; the operation itself goes on. */
export function withinResponseTimeout<O>(
  outcome: Promise<O>,
  tenure: Stake,
  { waits, clock, settings, nextTurn }: LockParts,
  since = clock.now(),
): Promise<O | Failure> {
  return new Promise((resolve) => {
    const limit = waits.at(since + settings.responseTimeoutMs, () =>
      whenRead(nextTurn, () => resolve({ kind: 'silent', error: tenure.trouble })),
    );
    void outcome.then((result) => {
      limit.cancel();
      resolve(result);
    });
  });
}
