import type { Buckets } from '../measure/histogram.js';
import type { ConnectOptions } from '../peers/peer.js';

/** Whom a worker is to use, and how it is to connect. A worker connects once for each. */
export interface Use extends ConnectOptions {
  readonly peer: string;
}

/** How a process is to get warm. */
export interface WarmUpOrder {
  /** Of the locks it uses for that. */
  readonly name: string;
  readonly limitMs: number;
  /** Whether it will have to wait for other processes. */
  readonly competes: boolean;
}

/** A closed loop: each task takes its lock, stays inside, gives it back, again and again. */
export interface LoopOrder {
  /** Of the lock; with `locks: 'own'` the beginning of each task's. */
  readonly name: string;
  readonly locks: 'one' | 'own';
  readonly tasks: number;
  /** What a section lasts; 0: it ends where it begins. */
  readonly holdMs: number;
  /** That it makes to the server, one after the other. Absent: none. */
  readonly roundTrips?: number;
  /** How often the task takes the lock that it has, 1: not again. */
  readonly depth: number;
  /** On the clock of the machine. */
  readonly startAt: number;
  readonly durationMs: number;
  /** Whether each section is to be reported, or only what they add up to. */
  readonly report: 'sums' | 'sections';
}

/** What a loop came to. */
export interface LoopReport {
  /** Sections entered within the time, by task. */
  readonly served: readonly number[];
  /** All sections, the ones that were still waiting at the end included. */
  readonly sections: number;
  /** Calls that rejected. */
  readonly failures: readonly string[];
  /** From asking to being inside. */
  readonly acquire: Buckets;
  /** askedAt, enteredAt, leftAt of each section, in this order; empty for sums. */
  readonly timeline: readonly number[];
  /** Tasks inside at the same time, at most. */
  readonly mostInside: number;
  /** Of other languages' processes only the processor time. */
  readonly resources: Pick<Resources, 'cpuUs'> & Partial<Resources>;
}

/** Many calls for one value at once. */
export interface StampedeOrder {
  readonly name: string;
  /** Calls of this process. */
  readonly count: number;
  /** On the clock of the machine. */
  readonly startAt: number;
  readonly computeMs: number;
}

/** What they came to. */
export interface StampedeReport {
  /** How often this process computed it. */
  readonly computed: number;
  /** When its last caller had it, from the beginning. */
  readonly lastAfterMs: number;
  readonly wait: Buckets;
  readonly failures: readonly string[];
  readonly resources: Resources;
}

/** What a process used meanwhile. */
export interface Resources {
  readonly commands: number;
  readonly cpuUs: number;
  /** How late a timer of 10 ms fired. */
  readonly timerLateP99Ms: number;
  readonly timerLateMaxMs: number;
  /** By how much the process was larger at its largest than when it had started. */
  readonly peakMiB: number;
}

/** What many locks held at once cost. */
export interface HeldReport {
  readonly bytesEach: number;
  readonly acquiredInMs: number;
}

/** What many calls that wait for one lock cost. */
export interface CrowdReport {
  readonly bytesEach: number;
}

/** How a crowd was served. */
export interface ServedReport {
  readonly served: number;
  readonly lastAfterMs: number;
  readonly wait: Buckets;
  readonly failures: readonly string[];
  readonly peakMiB: number;
}
