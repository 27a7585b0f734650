/**
 * Waking without messages: a waiting tenure asks again after a pause, and neither listens nor stands in a queue. How long it pauses is its back-off.
 *
 * Pauses are drawn from the upper half of what the back-off says, so that processes that began together do not go on asking together, and none is longer than
 * what is left of the owner's lease. After a release nobody knows who else asks, so the lock is handed over as in Redisson mode: among the tasks of this process for a
 * moment only, and then others go first.
 */

import type { ReaskSituation } from '@holdfast/notify';
import type { Wakeup, WakeupSubscription } from './wakeup.js';

/** The longest pause before each attempt after the first, in milliseconds; without end. */
export type Pauses = Iterator<number, never>;

/** 1, 2, 4 … and no longer than `maxMs`. */
export function* doubling(initialMs: number, maxMs: number): Pauses {
  for (let ms = initialMs; ; ms = Math.min(2 * ms, maxMs)) yield ms;
}

/** Always the same. */
export function* constant(ms: number): Pauses {
  for (;;) yield ms;
}

/** Shortest pause: one that is due at once would be no pause. */
const SHORTEST_MS = 0.5;

/** See the module comment. */
export class SpinWakeup implements Wakeup {
  readonly blind = true;
  readonly hears = false;
  readonly foreignOwners = undefined;
  readonly #backOff: () => Pauses;

  /** @param backOff - begins anew for each tenure. */
  constructor(backOff: () => Pauses) {
    this.#backOff = backOff;
  }

  subscribe(): WakeupSubscription {
    return new SpinSubscription(this.#backOff());
  }
}

class SpinSubscription implements WakeupSubscription {
  readonly mayQueue = false;
  readonly open = true;
  readonly #pauses: Pauses;

  constructor(pauses: Pauses) {
    this.#pauses = pauses;
  }

  listen(): void {}

  pauseMs({ pttlMs = Infinity, random }: ReaskSituation): number {
    const longestMs = this.#pauses.next().value;
    return Math.max(SHORTEST_MS, Math.min((longestMs * (1 + random())) / 2, pttlMs));
  }

  missed(): void {}

  close(): void {}
}
