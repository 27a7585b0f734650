/**
 * What a run leaves behind: JSON lines, one file per process, one event each.
 *
 * One operation is an `invoke` and at most one of three ends, which repeat its `op`:
 * - `ok`: it did what it says.
 * - `fail`: it certainly had no effect. An acquisition that answered false, timed out or was aborted while the lock was
 *   known to be busy is one: holdfast promises that nobody holds on its behalf, and the checkers hold it to that.
 * - `info`: nobody knows whether it had an effect, or it may still have one.
 * An operation without an end was cut off by the end of its process: to a checker that is `info`.
 *
 * Times are whole microseconds of the machine's monotonic clock (`process.hrtime`), comparable across the processes of one host.
 * Whoever records reads the clock *before* an `invoke` is acted upon and *after* an end is known. What a hold says of itself is
 * read after its time stamp, never before.
 */
export type HistoryEvent = Invoke | End | Note;

export type Invoke = AcquireInvoke | ReleaseInvoke | ForceInvoke | LatchInvoke;
export type End = AcquireOk | AcquireMiss | ReleaseEnd | ForceEnd | LatchEnd;
export type Note = Lost | Work | Store | Guarded | Value | Fault | ServerNote;

export interface Stamp {
  /** Microseconds, monotonic. */
  readonly at: number;
  /** The process that says so; a name for one life of it: whoever is started again gets a new one. */
  readonly worker: string;
}

/** One open acquisition: what `acquire()` returns, or one `withLock`. Numbers are unique within a worker. */
export interface LevelName {
  readonly lock: string;
  /** The number of this level. */
  readonly hold: number;
  /**
   * The thread of work that this level belongs to: levels of one scope may be open together (re-entry), levels of two scopes
   * must not, unless one is {@link AcquireInvoke.inside} the other. Outside all holdfast scopes each acquisition has a new one.
   */
  readonly scope: number;
}

/** What a hold says of itself at `at`. */
export interface Truth {
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /** Its local deadline: `at` + `remainingMs()`, in microseconds. Absent when that was 0. */
  readonly until?: number;
  /** `signal.aborted`; absent where nobody looked at the signal. */
  readonly aborted?: boolean;
}

export interface AcquireInvoke extends Stamp, LevelName {
  readonly type: 'invoke';
  readonly f: 'acquire';
  /** Unique within a worker. */
  readonly op: number;
  /** 1 for an acquisition from outside, 2 and more for a re-entry. */
  readonly depth: number;
  /** The level around this one, when it runs in a scope of its own (a branch below a parent that holds the lock). */
  readonly inside?: number;
  /** A fixed lease. Absent: the watchdog renews. */
  readonly leaseMs?: number;
  /** Absent: without limit. */
  readonly waitMs?: number;
  /** The reading side of a read-write lock. Levels that read may be open together. Absent: nobody else may have the lock. */
  readonly side?: 'read';
  /** Of a semaphore: how many permits are wanted. Levels may be open together as long as there are enough of them. */
  readonly permits?: number;
  /** Of a semaphore: how many permits it has in all. */
  readonly permitsInAll?: number;
  /** The lock stays taken for so long, also when it is given back before. */
  readonly minHoldMs?: number;
  /** What kind of workload made it; for people. */
  readonly mode?: string;
}

export interface AcquireOk extends Stamp, LevelName, Truth {
  readonly type: 'ok';
  readonly f: 'acquire';
  readonly op: number;
  /** Owner field in Redis, where known. */
  readonly tenure?: string;
  /** Client id, where the tenure is not known: its tenures are `<client>:<n>` or `<owner>:<client>:<n>`. */
  readonly client?: string;
  /** Fencing token, of a fenced lock. */
  readonly token?: number;
  /** Of permits with ids: these. */
  readonly ids?: readonly string[];
}

export interface AcquireMiss extends Stamp, LevelName {
  readonly type: 'fail' | 'info';
  readonly f: 'acquire';
  readonly op: number;
  /** Why: `busy`, `timeout`, `aborted`, the name of an error. */
  readonly code: string;
  /** What the error says was its cause, for people. */
  readonly cause?: string;
}

/** The last moment of a level. Its truth is read before the release begins. */
export interface ReleaseInvoke extends Stamp, LevelName, Truth {
  readonly type: 'invoke';
  readonly f: 'release';
  readonly op: number;
}

export interface ReleaseEnd extends Stamp, LevelName {
  readonly type: 'ok' | 'fail' | 'info';
  readonly f: 'release';
  readonly op: number;
  readonly code?: string;
}

/** `forceUnlock()`, or a DEL of the lock's key from outside (`code: 'del'`). */
export interface ForceInvoke extends Stamp {
  readonly type: 'invoke';
  readonly f: 'force';
  readonly op: number;
  readonly lock: string;
  readonly code?: string;
}

export interface ForceEnd extends Stamp {
  readonly type: 'ok' | 'fail' | 'info';
  readonly f: 'force';
  readonly op: number;
  readonly lock: string;
  /** `free` when there was nothing to take away. */
  readonly code?: string;
}

/** A call on a countdown latch. */
export interface LatchInvoke extends Stamp {
  readonly type: 'invoke';
  readonly f: 'latch';
  readonly op: number;
  readonly lock: string;
  readonly call: 'set' | 'count' | 'await';
  /** Of `set`: to be counted. */
  readonly count?: number;
  /** Of `count`: who counts, once in a round. */
  readonly by?: string;
}

export interface LatchEnd extends Stamp {
  readonly type: 'ok' | 'info';
  readonly f: 'latch';
  readonly op: number;
  readonly lock: string;
  /** Of `count`: what it was told is left. */
  readonly left?: number;
  /** Of `set`: a round has begun; of `await`: it may go on. */
  readonly done?: boolean;
  /** Of `info`: why. */
  readonly code?: string;
}

/** The holder was told: its signal aborted. */
export interface Lost extends Stamp, LevelName {
  readonly type: 'event';
  readonly f: 'lost';
  /** Reason, as in LockLostError. */
  readonly code: string;
}

/** A sample inside a critical section. */
export interface Work extends Stamp, LevelName, Truth {
  readonly type: 'event';
  readonly f: 'work';
}

/** A write of a level to what the lock guards, with the value written: a counter that each writer raises by one. */
export interface Store extends Stamp, LevelName {
  readonly type: 'event';
  readonly f: 'store';
  readonly value: number;
  /** What had been read for it: a value that was written once. Two holders who read the same have lost an update. */
  readonly after?: string;
}

/** A write through the guard of a fenced hold: where what the lock protects keeps the largest token that has written. */
export interface Guarded extends Stamp, LevelName {
  readonly type: 'event';
  readonly f: 'guarded';
  readonly token: number;
  /** When it began, in microseconds. */
  readonly from: number;
  /** `stale`: refused, because a later token had written. */
  readonly outcome: 'written' | 'stale';
}

/** A shared value: somebody has computed it, or was given it. */
export interface Value extends Stamp {
  readonly type: 'event';
  readonly f: 'value';
  readonly lock: string;
  /** No two computations come to the same. */
  readonly value: string;
  readonly how: 'computed' | 'given';
}

/** Something was broken on purpose, or healed again. */
export interface Fault extends Stamp {
  readonly type: 'event';
  readonly f: 'fault';
  /** Kind of fault: `client-kill`, `partition`, `sigkill`, … */
  readonly code: string;
  /** `once`: it has no length. */
  readonly state: 'on' | 'off' | 'once';
  /** The worker or the server that was hit. For `sigkill` of a worker its name, as in {@link Stamp.worker}. */
  readonly target?: string;
  readonly lock?: string;
}

/** A server says something of itself: `started`, `ended`, `promoted`, … */
export interface ServerNote extends Stamp {
  readonly type: 'event';
  readonly f: 'server';
  readonly code: string;
  readonly target: string;
  /** The wall clock at `at`, in microseconds: ties the times of histories to those of append-only files. */
  readonly wall?: number;
}
