/**
 * Which locks clients in other languages take part in, as far as our own questions have shown: one of them had the lock when we asked.
 *
 * Nobody says so. A client of Redisson that waits leaves no trace in Redis, so it is known by its holds alone, and a lock counts as shared with
 * others for some seconds after each.
 *
 * What is done for them: who hears of a release there asks after a random part of {@link lettingInMs}, and who has released asks after all of it. A
 * client of another language that was told at the same time then asks as early as often as not. Without that Node, whose event loop
 * is awake already, is first nearly every time.
 */

import type { Clock } from '@holdfast/watchdog';

/** A client that gets its turn less often than this is as good as alone. */
const REMEMBERED_MS = 10_000;
/** More locks than that are not in contention at once. */
const MOST = 1_000;

/** A thread has to wake before it asks. On a busy machine that takes twice as long. */
const THREAD_WAKES_MS = 3;

/** How long others need to hear of a release and to ask. `roundTripMs`: a median, so that one stall of the server does not lengthen it. */
export const lettingInMs = (roundTripMs: number): number => 2 * (THREAD_WAKES_MS + roundTripMs);

/** See the module comment. */
export class ForeignOwners {
  readonly #clock: Clock;
  /** Clock time of the last hold that was seen, by the key of the lock; those seen last stand last. */
  readonly #seenAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The lock had a foreign owner just now. */
  note(lockKey: string): void {
    this.#seenAt.delete(lockKey);
    this.#seenAt.set(lockKey, this.#clock.now());
    if (this.#seenAt.size <= MOST) return;
    const [oldest] = this.#seenAt.keys();
    this.#seenAt.delete(oldest as string);
  }

  /** Does the lock go to and fro between us and others? */
  has(lockKey: string): boolean {
    const at = this.#seenAt.get(lockKey);
    if (at === undefined) return false;
    if (this.#clock.now() - at < REMEMBERED_MS) return true;
    this.#seenAt.delete(lockKey);
    return false;
  }
}
