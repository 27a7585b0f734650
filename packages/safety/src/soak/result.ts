import type { FaultEvent } from './faults/schedule.js';
import type { Check } from './judge/check.js';
import type { Tendency, Trend } from './judge/trend.js';
import type { CommandTotals, ServerSample } from './run/server-state.js';
import type { Loss, Sample } from './worker/messages.js';

/** A loss, and of which process. */
export interface LossOf extends Loss {
  readonly process: number;
}

/** What all processes and the server had in hand at one time. */
export interface Moment {
  readonly minute: number;
  readonly processes: readonly Sample[];
  readonly server: ServerSample;
  readonly totals: CommandTotals;
}

/** A quantity over the run, and what is made of it. */
export interface JudgedTrend extends Trend {
  readonly what: string;
  readonly unit: 'MiB' | 'keys' | 'commands a second';
  readonly tolerated: number;
  readonly tendency: Tendency;
}

/** From the last moment of one turn to the first of the next, and the like. */
export interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

/** One run, as it is stored. */
export interface SoakResult {
  readonly command: string;
  readonly commit: string;
  readonly startedAt: string;
  readonly circumstances: string;
  readonly seed: number;
  readonly minutes: number;
  readonly processes: number;
  readonly locks: number;
  readonly waiters: number;
  readonly turnMs: number;
  readonly setUpSeconds: { readonly holds: number; readonly waiters: number };
  /** Before the first fault, and after the last. */
  readonly quiet: { readonly before: Moment; readonly after: Moment };
  readonly moments: readonly Moment[];
  readonly trends: readonly JudgedTrend[];
  readonly turns: {
    readonly handovers: number;
    readonly inTurn: number;
    readonly idleMs: Spread;
    readonly waitMs: Spread;
    readonly leastOfALock: number;
    readonly mostOfALock: number;
  };
  readonly faults: Readonly<Record<string, number>>;
  readonly faultEvents: readonly FaultEvent[];
  readonly losses: readonly LossOf[];
  readonly failures: readonly string[];
  readonly errors: Readonly<Record<string, number>>;
  readonly suspicions: number;
  readonly renewals: Sample['renewals'];
  /** Of the event loop of any process, in milliseconds. */
  readonly longestStallMs: number;
  /** Of one core, in percent, while it was quiet before the faults, and over the faults. */
  readonly load: { readonly quiet: Load; readonly faults: Load };
  readonly checks: readonly Check[];
  readonly passed: boolean;
}

export interface Load {
  readonly scriptsPerSecond: number;
  readonly redisCpuPercent: number;
  readonly processesCpuPercent: number;
  /** Proxies and whoever looks. */
  readonly proxiesCpuPercent: number;
}
