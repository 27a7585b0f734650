import type { Share } from '../population.js';

/** What a worker is told before it begins. */
export interface Order {
  readonly url: string;
  /** Name of its connections on the server. */
  readonly connectionName: string;
  readonly seed: number;
  readonly processes: number;
  readonly turnMs: number;
  readonly share: Share;
}

/**
 * Turns that have ended, five numbers each: the lock, when it was asked for, held and about to be given back, in microseconds of the
 * machine's monotonic clock, and its fencing token, or 0. Flat, because a run has hundreds of thousands.
 */
export type TurnRecords = readonly number[];

/** A hold that ended before it was given back. */
export interface Loss {
  readonly lock: string;
  readonly reason: string;
  /** On the machine's monotonic clock, in microseconds. */
  readonly atUs: number;
  /** For how long it had been held. */
  readonly heldMs: number;
  /** The longest time for which the event loop stood still within the seconds before. */
  readonly stalledMs: number;
}

/** What is seen without disturbing the process. */
export interface Glance {
  readonly held: number;
  readonly waiting: number;
  /** Being given back now. */
  readonly leaving: number;
  readonly turns: TurnRecords;
  readonly losses: readonly Loss[];
  /** Calls that rejected although nobody had aborted them. */
  readonly failures: readonly string[];
  readonly rssBytes: number;
  readonly cpuUs: number;
  /** The longest time by which the event loop was late since the last glance. */
  readonly stalledMs: number;
}

/** What is in hand after a full collection. */
export interface Sample {
  /** Only of a look of depth `objects`. */
  readonly objects?: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly timers: number;
  /** What keeps the event loop alive, timers apart, by kind. */
  readonly handles: Readonly<Record<string, number>>;
  readonly renewals: Readonly<Record<'renewed' | 'held' | 'lost' | 'unknown', number>>;
  readonly grantedByMessage: number;
  readonly suspicions: number;
  /** Errors that were reported as events: how often each text came. */
  readonly errors: Readonly<Record<string, number>>;
}

/** What a close look can be: `objects` counts them, which stops the process for a second and more. */
export type Depth = 'bytes' | 'objects';

/** When a process has let go of everything. */
export interface Farewell {
  readonly turns: TurnRecords;
  readonly failures: readonly string[];
  readonly losses: readonly Loss[];
  readonly timers: number;
}
