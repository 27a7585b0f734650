/**
 * A process of the simulated world, as far as a client notices: a clock that runs at its own rate, timers, turns of the event loop, and what a
 * machine can do to it.
 *
 * Stopped (SIGSTOP): nothing of it happens while time goes on; then timers, sockets and immediates come in Node's order. Busy: the same, but the
 * code that runs now goes on afterwards, with a clock that has moved. Killed: nothing of it happens any more.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Timer } from '@holdfast/watchdog';
import type { Chance } from './chance.js';
import { type Actor, type Happening, Phase, type Timeline } from './timeline.js';

/** Node's timers take whole milliseconds, from 1 up to this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A timer fires so late at most, on a machine with nothing else to do. */
const TIMER_LATE_MS = 0.3;

/** A timer that was set. Nothing here keeps a real process alive. */
class WorldTimer implements Timer {
  readonly happening: Happening;

  constructor(happening: Happening) {
    this.happening = happening;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** How a process is. */
export interface ProcessTerms {
  readonly name: string;
  readonly number: number;
  /** How much faster than the world's its clock runs, such as 1.01. */
  readonly rate: number;
  /** What its clock shows at first. */
  readonly startsAt: number;
  readonly kernelHelps: boolean;
}

/** See the module comment. */
export class WorldProcess implements Actor {
  readonly name: string;
  readonly number: number;
  readonly chance: Chance;
  readonly clock: Clock;
  /** Its kernel ends connections to which nothing answers; else that is left to the client. */
  readonly kernelHelps: boolean;
  readonly #timeline: Timeline;
  readonly #timers = new Set<WorldTimer>();
  readonly #jitter: Chance;
  #rate: number;
  /** Its clock showed `#shown` at world time `#since`. */
  #since = 0;
  #shown: number;
  #busyUntil = 0;
  #stoodMs = 0;
  /** World time up to which the code that runs now has got. */
  #reached = 0;
  #gone = false;
  /** Until it stands still in the middle of what it does, and for how long then. */
  #readingsLeft = 0;
  #stallMs = 0;
  /** What the clock shows to judges, who look without touching. */
  #pinned: number | undefined;

  constructor(timeline: Timeline, chance: Chance, { name, number, rate, startsAt, kernelHelps }: ProcessTerms) {
    this.name = name;
    this.number = number;
    this.chance = chance;
    this.kernelHelps = kernelHelps;
    this.#timeline = timeline;
    this.#jitter = chance.of('timers');
    this.#rate = rate;
    this.#shown = startsAt;
    this.clock = {
      now: () => this.#pinned ?? this.#read(),
      setTimer: (run, delayMs) => this.#setTimer(run, delayMs),
      clearTimer: (timer) => this.#clearTimer(timer as WorldTimer),
    };
  }

  get busyUntil(): number {
    return this.#busyUntil;
  }

  /** For how long it has stood still or computed until now, in all; of what goes on, the rest counts too. */
  get stoodMs(): number {
    return this.#stoodMs;
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** World time as the code that runs now has it. */
  get time(): number {
    return Math.max(this.#timeline.now, this.#reached);
  }

  /** World time at which the macrotask began that runs now. */
  get turnBegan(): number {
    return this.#timeline.now;
  }

  /** Nothing keeps its events from happening now. */
  get awake(): boolean {
    return !this.#gone && this.#busyUntil <= this.#timeline.now;
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Runs `run` as a macrotask of this process. */
  at(time: number, phase: Phase, run: () => void): Happening {
    return this.#timeline.at(time, phase, this, run);
  }

  /** Resolves after so many milliseconds of its own clock. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#setTimer(resolve, ms));
  }

  /** As `setImmediate`, which keeps the async context. */
  readonly nextTurn = (run: () => void): void => {
    const inContext = AsyncLocalStorage.snapshot();
    this.at(this.time, Phase.immediate, () => inContext(run));
  };

  /** It is stopped from now on for so long. */
  stop(ms: number): void {
    this.#busyFor(this.#timeline.now, this.#timeline.now + ms);
  }

  /** The code that runs now computes for so long. */
  compute(ms: number): void {
    const { time } = this;
    this.#reached = time + ms;
    this.#busyFor(time, this.#reached);
  }

  /** It stands still for so long before the so many-th reading of its clock from now on. */
  stallBefore(readings: number, ms: number): void {
    this.#readingsLeft = readings;
    this.#stallMs = ms;
  }

  /** Its clock runs at another rate from now on. */
  setRate(rate: number): void {
    this.#shown = this.#clockAt(this.#timeline.now);
    this.#since = this.#timeline.now;
    this.#rate = rate;
  }

  kill(): void {
    this.#gone = true;
    this.#timers.clear();
  }

  /** What `look` sees when the clock shows `time`. */
  seenAt<T>(time: number, look: () => T): T {
    this.#pinned = time;
    try {
      return look();
    } finally {
      this.#pinned = undefined;
    }
  }

  /** When in world time its clock shows `time`, if it goes on as it does now. */
  worldTimeOf(time: number): number {
    return this.#since + (time - this.#shown) / this.#rate;
  }

  #busyFor(from: number, until: number): void {
    this.#stoodMs += Math.max(0, until - Math.max(from, this.#busyUntil));
    this.#busyUntil = Math.max(this.#busyUntil, until);
  }

  #read(): number {
    if (this.#readingsLeft > 0 && --this.#readingsLeft === 0) this.compute(this.#stallMs);
    return this.#clockAt(this.time);
  }

  #clockAt(worldTime: number): number {
    return this.#shown + (worldTime - this.#since) * this.#rate;
  }

  #setTimer(run: () => void, delayMs: number): WorldTimer {
    const delay = delayMs >= 1 && delayMs <= LONGEST_TIMER_MS ? Math.trunc(delayMs) : 1;
    const at = this.time + delay / this.#rate + this.#jitter.next() * TIMER_LATE_MS;
    const timer: WorldTimer = new WorldTimer(
      this.at(at, Phase.timer, () => {
        this.#timers.delete(timer);
        run();
      }),
    );
    this.#timers.add(timer);
    return timer;
  }

  #clearTimer(timer: WorldTimer): void {
    if (this.#timers.delete(timer)) timer.happening.run = undefined;
  }
}
