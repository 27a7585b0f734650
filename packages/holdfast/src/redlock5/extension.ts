import type { Clock, Timer } from '@holdfast/watchdog';
import type { Hold } from 'holdfast';

/** When an extension was not answered, or refused, it is tried again after so long. */
const AGAIN_MS = 50;

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

  constructor(hold: Hold, clock: Clock, times: { readonly durationMs: number; readonly thresholdMs: number }) {
    this.#hold = hold;
    this.#clock = clock;
    this.#durationMs = times.durationMs;
    this.#thresholdMs = times.thresholdMs;
    this.#timer = this.#plan(0);
  }

  /** Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#clock.clearTimer(this.#timer);
    await this.#underWay;
  }

  #plan(soonestMs: number): Timer {
    const delayMs = Math.max(soonestMs, this.#hold.remainingMs() - this.#thresholdMs);
    const extend = () => {
      this.#underWay = this.#extend();
    };
    return this.#clock.setTimer(extend, delayMs);
  }

  async #extend(): Promise<void> {
    const done = await this.#hold.extend(this.#durationMs).then(
      () => true,
      () => false,
    );
    if (!this.#isStopped && this.#hold.state !== 'lost') this.#timer = this.#plan(done ? 0 : AGAIN_MS);
  }
}
