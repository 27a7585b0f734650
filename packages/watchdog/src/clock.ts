/**
 * The clock that leases are judged by.
 *
 * A lease runs out in Redis whatever this process does, so the clock must keep counting while the process cannot. `performance.now()` does
 * while the process is stopped or its event loop is blocked, but on Linux not while the whole machine is suspended. The system clock
 * therefore watches the wall clock as an alarm: when it has gained more than half a second on the monotonic one, either the machine was
 * suspended or the wall clock was set. The boot-time clock, which counts through a suspend and cannot be set, decides between the two;
 * where there is none, the stricter reading wins and the whole gain counts as time that has passed. Time suspended is added to an offset,
 * so `now()` jumps forward on wake-up and every lease that ran out meanwhile is seen as over by the first code that asks.
 *
 * A wall clock that is set back never moves this clock; `now()` never goes backwards.
 *
 * Not promised: a virtual machine that is paused from outside, and whose boot-time clock stands still too, cannot tell.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { uptime } from 'node:os';

/** A timer that was set; Node's `Timeout` fits, and so does the number that a browser's `setTimeout` gives, as that of jsdom does. */
export interface Timer {
  /** Keeps the process alive while the timer is pending. */
  ref?(): unknown;
  /** Lets the process exit although the timer is pending. */
  unref?(): unknown;
}

/** Time as this package needs it. */
export interface Clock {
  /** Milliseconds since an arbitrary moment. Never goes backwards and includes time during which the machine was suspended. */
  now(): number;
  /** Runs `run` once, after about `delayMs` (at most 2^31 - 1). It may run early or, after a stall or suspend, late. */
  setTimer(run: () => void, delayMs: number): Timer;
  /** The timer will not run. Nothing happens when it has run or was cleared before. */
  clearTimer(timer: Timer): void;
}

/** A wall clock that gains more than this on the monotonic clock raises the alarm. Slewing and rounding stay far below it. */
const ALARM_MS = 500;

/** Time since boot in milliseconds, suspend included; undefined where the platform has no such clock. */
function sinceBoot(): number | undefined {
  // Elsewhere it is derived from the wall clock, or the monotonic clock counts through a suspend anyway.
  if (process.platform !== 'linux') return undefined;
  try {
    return uptime() * 1000;
  } catch {
    return undefined; // a sandbox without /proc
  }
}

/**
 * The clock of this process: monotonic, corrected for suspends. Timers run in the async context in which the clock was made, not in that
 * of the code that set them. Clocks are independent of each other; their `now()` values are comparable only within one.
 *
 * @param bootMs - the boot-time clock; another one in tests.
 */
export function systemClock(bootMs = sinceBoot): Clock {
  return new SystemClock(bootMs);
}

/** It is read a dozen times for each hold, so it reads what it is made of without calls between. */
class SystemClock implements Clock {
  readonly #bootMs: () => number | undefined;
  readonly #inOwnContext = AsyncLocalStorage.snapshot();
  /** Boot time minus monotonic time when the clock was made: what it exceeds that by now is time suspended. */
  readonly #bootLead: number | undefined;
  /** Smallest lead of the wall clock over the monotonic one since the last alarm. */
  #wallLead: number;
  #suspendedMs = 0;

  constructor(bootMs: () => number | undefined) {
    this.#bootMs = bootMs;
    const monotonicMs = performance.now();
    this.#wallLead = Date.now() - monotonicMs;
    this.#bootLead = this.#leadOfBoot(monotonicMs);
  }

  now(): number {
    const monotonicMs = performance.now();
    const wallLead = Date.now() - monotonicMs;
    if (wallLead < this.#wallLead) this.#wallLead = wallLead;
    else if (wallLead - this.#wallLead > ALARM_MS) this.#alarm(monotonicMs, wallLead);
    return monotonicMs + this.#suspendedMs;
  }

  setTimer(run: () => void, delayMs: number): NodeJS.Timeout {
    return this.#inOwnContext(() => setTimeout(run, delayMs));
  }

  clearTimer(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
  }

  #alarm(monotonicMs: number, wallLead: number): void {
    const gainedMs = wallLead - this.#wallLead;
    this.#wallLead = wallLead;
    const bootLead = this.#leadOfBoot(monotonicMs);
    if (bootLead === undefined || this.#bootLead === undefined) this.#suspendedMs += gainedMs;
    else this.#suspendedMs = Math.max(this.#suspendedMs, bootLead - this.#bootLead);
  }

  #leadOfBoot(monotonicMs: number): number | undefined {
    const bootMs = this.#bootMs();
    return bootMs === undefined ? undefined : bootMs - monotonicMs;
  }
}
