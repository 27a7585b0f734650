/** A run of a world as data: everything that is not decided by what the client does. It can be made smaller, printed, and run again. */

import type { Delays } from '../world/network.js';
import type { FaultPlan } from './faults.js';
import type { Habits } from './habits.js';
import type { StrangeData } from './strange-data.js';

/**
 * What may break, and with it what is promised.
 *
 * | class | breaks | excused |
 * |---|---|---|
 * | `calm` | nothing; leases may run out under slow work | nothing, and a free lock is with its next owner as fast as messages are |
 * | `broken` | network, processes, the server without its data | nothing |
 * | `taken` | locks, queues and data are taken away as well | two may believe until the victim is told |
 */
export type ScenarioClass = 'calm' | 'broken' | 'taken';

/** What servers execute: the rules that are written beside the scripts, or the scripts themselves, in Lua. */
export type Scripts = 'rules' | 'lua';

/** As what all ask for the locks that exclude everybody else. */
export type LockKind = 'plain' | 'fenced' | 'fair';

/** Something else than a lock, which a world may have besides. */
export type OtherPlan =
  | { readonly kind: 'semaphore' | 'ids'; readonly name: string; readonly permits: number }
  | { readonly kind: 'share'; readonly name: string; readonly ttlMs: number }
  | { readonly kind: 'latch' | 'election' | 'spin' | 'rest' | 'owners' | 'circle' | 'guard'; readonly name: string }
  | { readonly kind: 'multi'; readonly name: string; readonly members: readonly string[] }
  | LeftPlan
  | MajorityPlan
  | StrangerPlan
  | LaterPlan;

/** A lock that runs leave open when they end, and what all clients do then. */
export interface LeftPlan {
  readonly kind: 'left';
  readonly name: string;
  readonly leftovers: 'abandon' | 'release';
}

/** A lock under whose name somebody else keeps data of its own, now and then. */
export interface StrangerPlan {
  readonly kind: 'stranger';
  readonly name: string;
  readonly visits: readonly VisitPlan[];
}

/** The stranger comes at world time `at`, and takes its data away so long after it has put it there. */
export interface VisitPlan {
  readonly at: number;
  readonly forMs: number;
  readonly data: StrangeData;
}

/** A lock that processes of a later version use as well, whose entries and messages say more, and for which somebody forges messages. */
export interface LaterPlan {
  readonly kind: 'later';
  readonly name: string;
  /** The numbers of the processes that are newer. */
  readonly newer: readonly number[];
  /** None: nobody forges any. */
  readonly forgeries: readonly ForgeryPlan[];
}

/** What is forged: see `world/forger.ts`. */
export type ForgeryKind =
  | 'long grant'
  | 'second grant'
  | 'guessed grant'
  | 'loss'
  | 'higher number'
  | 'gibberish'
  | 'flood';

/** At world time `at`. `which`: of those who wait or hold then. */
export interface ForgeryPlan {
  readonly at: number;
  readonly kind: ForgeryKind;
  readonly which: number;
}

/** Locks that are held by a majority of servers of their own, and the settings that all clients of them share. */
export interface MajorityPlan {
  readonly kind: 'majority';
  readonly name: string;
  readonly nodes: readonly NodePlan[];
  readonly watchdogTimeoutMs: number;
  readonly nodeTimeoutMs: number;
}

/** One of those servers. */
export interface NodePlan {
  /** How fast its clock runs: within 1 % of that of each process. */
  readonly rate: number;
  readonly aheadMs: number;
  readonly ageMs: number;
}

export type OtherKind = OtherPlan['kind'];

/** Settings of one client. */
export interface ClientPlan {
  readonly watchdogTimeoutMs: number;
  readonly claimLeaseMs: number;
  readonly reaskMs: number;
  readonly attemptTimeoutMs: number;
  readonly responseTimeoutMs: number;
  /** Undefined: those that a client has by itself. */
  readonly limits?: Limits;
}

/** How much a client may have at once. */
export interface Limits {
  readonly waiters: number;
  readonly locks: number;
  readonly depth: number;
  readonly leaseMs: number;
}

/** One flow of calls. */
export interface TaskPlan {
  readonly name: string;
  /** It does so many things at most. */
  readonly steps: number;
  /** Between two of them, on average. */
  readonly pauseMs: number;
}

export interface ProcessPlan {
  readonly name: string;
  readonly number: number;
  /** How fast its clock runs: within 1 % of the server's. */
  readonly rate: number;
  readonly startsAt: number;
  /** Whose connection sends its commands: the client's own, or one of the user's. */
  readonly connection: 'ours' | 'yours';
  readonly client: ClientPlan;
  readonly tasks: readonly TaskPlan[];
}

/** See the module comment. */
export interface Scenario {
  readonly seed: number;
  readonly scripts: Scripts;
  readonly class: ScenarioClass;
  readonly wakeup: 'queue' | 'redisson';
  readonly locks: readonly string[];
  readonly habits: Habits;
  readonly kind: LockKind;
  /** Names of read-write locks; most worlds have none. */
  readonly shared: readonly string[];
  /** Half of all worlds have none. */
  readonly others: readonly OtherPlan[];
  readonly delays: Delays;
  /** How far behind a replica is; undefined: there is none. */
  readonly lag: Delays | undefined;
  /** Work and faults end at this world time; then everything has to come right. */
  readonly workMs: number;
  readonly processes: readonly ProcessPlan[];
  readonly faults: readonly FaultPlan[];
}
