import type { Clock, Timer } from '@holdfast/watchdog';
import type { Hold, LockLostError } from 'holdfast';
import { untilLost } from './until-lost.js';

/**
 * Least time between two extensions. After one, less may be left than the threshold already, when that is nearly as long as the lease; and one that was
 * refused, or not answered, is not tried again at once.
 */
const LEAST_PAUSE_MS = 50;

/**
 * Extends a hold again and again, each time when its lease has only `thresholdMs` left. What it does not manage is no error here: when the lease is over, the
 * signal of the hold tells.
 */
export class AutomaticExtension {
  readonly #hold: Hold;
  readonly #clock: Clock;
  readonly #durationMs: number;
  readonly #thresholdMs: number;
  #timer: Timer;
  #underWay: Promise<void> | undefined;
  #isStopped = false;
  #trouble: string | undefined;

  constructor(hold: Hold, clock: Clock, times: { readonly durationMs: number; readonly thresholdMs: number }) {
    this.#hold = hold;
    this.#clock = clock;
    this.#durationMs = times.durationMs;
    this.#thresholdMs = times.thresholdMs;
    this.#timer = this.#plan();
  }

  /** Why the lease of a lock that was lost by its end is not longer, when the last extension was in vain so far. */
  get trouble(): string | undefined {
    const { reason } = this.#hold.signal.reason as LockLostError;
    return reason === 'expired' || reason === 'unreachable' ? this.#trouble : undefined;
  }

  /** Resolves when none is under way any more, or the lock is lost: then its answer changes nothing. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#clock.clearTimer(this.#timer);
    if (this.#underWay !== undefined) await untilLost(this.#hold, this.#underWay);
  }

  #plan(): Timer {
    const delayMs = Math.max(LEAST_PAUSE_MS, this.#hold.remainingMs() - this.#thresholdMs);
    const extend = () => {
      this.#underWay = this.#extend();
    };
    return this.#clock.setTimer(extend, delayMs);
  }

  async #extend(): Promise<void> {
    const extended = this.#hold.extend(this.#durationMs);
    // Not before: after a stalled event loop the call itself finds the lock to be lost, and sends nothing.
    this.#trouble = 'Redis has not answered the last extension';
    try {
      await extended;
      this.#trouble = undefined;
    } catch (error) {
      if (this.#hold.state !== 'lost') this.#trouble = `the last extension failed: ${(error as Error).message}`;
    }
    if (!this.#isStopped && this.#hold.state !== 'lost') this.#timer = this.#plan();
  }
}
