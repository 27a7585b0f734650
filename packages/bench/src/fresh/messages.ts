import type { Use } from '../worker/messages.js';

/** What a program that is started for one measurement is told, and what it answers. Both cross as JSON, as its argument and what it prints. */

/** So many calls, so many of them at once. */
export interface Calls {
  readonly count: number;
  readonly atOnce: number;
}

/** Calls of a process that has just connected. */
export interface WindowOrder {
  readonly use: Use;
  /** `attempts`: single ones, at locks that somebody else holds. */
  readonly what: 'sections' | 'attempts';
  /** The beginning of the name that each task's lock has: `name:0`, `name:1`… */
  readonly name: string;
  /** Not measured; `count: 0`: the first call is. */
  readonly before: Calls;
  readonly measured: Calls;
}

export interface WindowReport {
  readonly calls: number;
  readonly tookMs: number;
  readonly cpuUs: number;
  readonly commands: number;
  /** What calls rejected with, some of them. */
  readonly failures: readonly string[];
}

/** The first lock of a process. */
export interface StartOrder {
  readonly peer: string;
  readonly url: string;
  readonly name: string;
}

/** Times of a process that has just been started, in ms. */
export interface StartReport {
  readonly ioredisMs: number;
  /** Beyond ioredis, which was there already. */
  readonly ownMs: number;
  /** From then until the lock was held. */
  readonly firstLockMs: number;
}
