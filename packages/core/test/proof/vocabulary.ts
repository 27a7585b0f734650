/** The words in which the rule table and the real scripts are compared. */

interface Granting {
  readonly claimMs: number;
  readonly trust: boolean;
}

/** One command as it is sent; a late copy is the same object again. */
export type Command =
  | (Granting & {
      op: 'ask';
      tenure: string;
      leaseMs: number;
      freshMs: number;
      ticket: number;
      freshTtlMs: number;
    })
  | { op: 'again'; tenure: string; seq: number; leaseMs: number }
  | { op: 'handoff'; tenure: string; seq: number; leaseMs: number }
  | (Granting & { op: 'release'; tenure: string; seq: number; tombstoneMs: number })
  | (Granting & { op: 'cancel'; tenure: string; tombstoneMs: number; end: 'lost' | 'released' | 'unused' })
  | (Granting & { op: 'force'; request: string; tombstoneMs: number })
  | { op: 'renew'; items: RenewItem[] };

/** One hold of a batch: of the lock under test, of one that is free, or of a key that is no lock. */
export interface RenewItem {
  readonly of: 'this lock' | 'no lock' | 'a text';
  readonly tenure: string;
  readonly leaseMs: number;
}

/** A reply by position, without server times. */
export type Reply = readonly unknown[];

/** {@link World} TTL of a key that has none, as PTTL gives it. */
export const LASTING = -1;

/** The hash of a lock. Without `seq`: of a foreign owner. */
export interface Lock {
  /** Hold counts by owner, first come first: more than one where Java's readers are. */
  owners: Record<string, number>;
  seq?: number;
  /** Of Redisson's read-write lock. */
  mode?: string;
  /** Why its owner got it although the one before had not given it back. */
  inherited?: 'expired' | 'forced';
  ttlMs: number;
}

/** What is no lock: a key of another type, and a hash that is an application's data. */
export type Other = 'text' | 'record';

/** Everything that Redis knows of one lock. TTLs are those last set. */
export interface World {
  lock: Lock | Other | undefined;
  queue: { tenure: string; ticket: number }[];
  queueTtlMs: number;
  /** `more`: words behind the two numbers, which only a later version understands. */
  fresh: Record<string, { wantedMs: number; until: 'ahead' | 'past'; more: string }>;
  freshTtlMs: number;
  /** Beside the entries: who finds the lock gone, at any time or before an instant that is ahead, knows that it was given back. */
  returned?: 'always' | 'ahead';
  dead: Record<string, { value: string; ttlMs: number }>;
}

/** Every time of the test is a multiple of this, and no run lasts as long: a TTL rounded up is the one that was set. */
export const GRAIN_MS = 10_000;

/** The TTL that was set, from what is left of it. */
export function setTtl(remainingMs: number): number {
  return remainingMs <= 0 ? remainingMs : Math.ceil(remainingMs / GRAIN_MS) * GRAIN_MS;
}
