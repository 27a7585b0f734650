import type { LockClientOptions } from 'holdfast';
import type { Address, Reach } from '../site/reach.js';

/** Whose connection a lock client works on: one that holdfast makes from options, or an ioredis client of the user's with its defaults. */
export type Ownership = 'ours' | 'yours';

export interface ClientPlan {
  readonly ownership: Ownership;
  readonly reach: Reach;
  /** How many tasks work with it at once. */
  readonly tasks: number;
}

/** The locks of an epoch, by how they are used. */
export interface LockNames {
  /** Everybody wants them, for a moment. */
  readonly hot: readonly string[];
  /** So many that calls seldom meet. */
  readonly calm: readonly string[];
  /** Held for long: across renewals, or beyond a fixed lease. */
  readonly slow: readonly string[];
  /** Read-write locks. */
  readonly shared: readonly string[];
  /** Locks that everybody asks for as fair ones. */
  readonly fair: readonly string[];
  /** Elections. */
  readonly elections: readonly string[];
  /** Shared values. */
  readonly shares: readonly string[];
  /** Semaphores, of as many permits as {@link permitsIn} says. */
  readonly pools: readonly string[];
  /** Countdown latches. */
  readonly latches: readonly string[];
}

const SMALLEST_POOL = 1;
const POOL_SIZES = 4;

/** How many permits a semaphore of an epoch has in all. */
export const permitsIn = ({ pools }: LockNames, pool: string): number =>
  SMALLEST_POOL + (pools.indexOf(pool) % POOL_SIZES);

/** `all`: mostly plain locks, all others among them. `family`: the others only. `permits`: what counts, semaphores and latches. */
export type Workload = 'all' | 'family' | 'permits';

/** What one life of a worker does. Crosses as JSON. */
export interface WorkerPlan {
  /** Name of this life. */
  readonly worker: string;
  /** Which of how many workers it is, from 0 on. */
  readonly seat: { readonly index: number; readonly of: number };
  readonly seed: number;
  readonly historyFile: string;
  readonly clients: readonly ClientPlan[];
  readonly locks: LockNames;
  /** A server that no nemesis touches; it keeps the values that the locks guard. */
  readonly guard: Address;
  readonly times: Times;
  readonly workload: Workload;
}

/** The times of all clients, in milliseconds. */
export type Times = Required<
  Pick<LockClientOptions, 'watchdogTimeoutMs' | 'claimLeaseMs' | 'reaskMs' | 'attemptTimeoutMs' | 'responseTimeoutMs'>
>;

/** Counters of one life, since it began. */
export interface Tally {
  /** Acquisitions that a caller got, re-entries not counted. */
  holds: number;
  /** Those among them that came from another task of the same client, in memory or by one script. */
  local: number;
  reentries: number;
  /** Acquisitions that were refused, given up or failed. */
  misses: number;
  /** Holds whose holder was told that they were lost. */
  losses: number;
  /** Errors that nothing explains, and rejections that nobody handled. */
  strange: string[];
}

/** How everybody's last turn went, when all faults were over. */
export interface Settled {
  readonly longestTurnMs: number;
  /** Turns that were not had. */
  readonly refused: readonly string[];
}
