import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

/** For how long the event loop stood still. */
export class LoopWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #before = 0;

  start(): void {
    this.#delay.enable();
  }

  /** The longest time since the last {@link take}. */
  take(): number {
    this.#before = this.#now();
    this.#delay.reset();
    return this.#before;
  }

  /** The longest time in this period and the one before. */
  recent(): number {
    return Math.max(this.#before, this.#now());
  }

  stop(): void {
    this.#delay.disable();
  }

  #now(): number {
    const ms = this.#delay.max / 1e6 - RESOLUTION_MS;
    return Number.isFinite(ms) ? Math.max(0, ms) : 0;
  }
}
