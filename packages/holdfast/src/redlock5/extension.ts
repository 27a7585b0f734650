import type { Clock, Timer } from '@holdfast/watchdog';
import type { Hold } from 'holdfast';

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

  /** Why the lease is not longer, when the last extension was in vain so far. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Resolves when none is under way any more, or the lock is lost: then its answer changes nothing. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#clock.clearTimer(this.#timer);
    const { signal } = this.#hold;
    if (this.#underWay === undefined || signal.aborted) return;
    let end: () => void = () => undefined;
    const lost = new Promise<void>((resolve) => (end = resolve));
    signal.addEventListener('abort', end);
    await Promise.race([this.#underWay, lost]);
    signal.removeEventListener('abort', end);
  }

  #plan(): Timer {
    const delayMs = Math.max(LEAST_PAUSE_MS, this.#hold.remainingMs() - this.#thresholdMs);
    const extend = () => {
      this.#underWay = this.#extend();
    };
    return this.#clock.setTimer(extend, delayMs);
  }

  async #extend(): Promise<void> {
    this.#trouble = 'Redis has not answered the last extension';
    try {
      await this.#hold.extend(this.#durationMs);
      this.#trouble = undefined;
    } catch (error) {
      if (this.#hold.state !== 'lost') this.#trouble = `the last extension failed: ${(error as Error).message}`;
    }
    if (!this.#isStopped && this.#hold.state !== 'lost') this.#timer = this.#plan();
  }
}
