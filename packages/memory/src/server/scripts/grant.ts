/** The grant step: grant.lua, which says why each of its steps is there. */

import { attempt, type Commands } from '../commands.js';
import { ErrorReply, refusalOf } from '../reply.js';
import { isGone, tell } from './inbox.js';
import { type Inheritance, leave, noteReturned, wordsOf } from './inherited.js';
import { numberOf } from './lua.js';
import type { Owning } from './own.js';

/** How many waiters one script looks at. */
const MOST_TRIED = 64;

/** What a grant step came to: a new owner, nobody, or a refusal. */
export interface Passed {
  readonly granted: string | undefined;
  readonly refused: ErrorReply | undefined;
}

/** Until when a waiter may be granted, and the lease that it wants. */
export interface Freshness {
  readonly untilMs: number;
  readonly wantedMs: number;
}

/** The asking tenure, which takes its whole lease when its turn comes. */
export interface Asker {
  readonly tenure: string;
  readonly leaseMs: number;
}

const nobody: Passed = { granted: undefined, refused: undefined };

export function waiting(redis: Commands, queue: string): number {
  const waiters = attempt(() => redis.zcard(queue));
  return typeof waiters === 'number' ? waiters : 0;
}

export function freshnessOf(entry: string | undefined): Freshness | undefined {
  const found = entry === undefined ? null : /^(\d+) (\d+)(?: |$)/.exec(entry);
  const untilMs = numberOf(found?.[1]);
  const wantedMs = numberOf(found?.[2]);
  return untilMs === undefined || wantedMs === undefined ? undefined : { untilMs, wantedMs };
}

/** What a script tells its grant step. */
export interface GrantTerms {
  readonly owners: Owning;
  readonly self?: Asker;
  readonly claimMs: number;
  readonly trust: boolean;
  /** Server time, if the script has asked for it. */
  readonly nowMs?: number;
  readonly inherited?: Inheritance | undefined;
  /** Critical sections in a turn of the lock, if that is known. */
  readonly turn?: number | undefined;
}

/** Gives the lock, which must be absent, to the first waiter that is still there. */
export function passOn(redis: Commands, keys: readonly string[], terms: GrantTerms): Passed {
  const passed = giveToFirst(redis, keys, terms);
  const [, queue = '', fresh = ''] = keys;
  if (passed.granted === undefined && terms.inherited === undefined && waiting(redis, queue) > 0)
    noteReturned(redis, fresh, 'always');
  return passed;
}

function giveToFirst(redis: Commands, keys: readonly string[], terms: GrantTerms): Passed {
  const { owners, self, claimMs, trust, inherited, turn } = terms;
  const [lock = '', queue = '', fresh = ''] = keys;
  try {
    const nowMs = terms.nowMs ?? redis.timeMs();
    if (inherited !== undefined) inherited.sinceMs ??= nowMs;
    for (let tried = 0; tried < MOST_TRIED; tried++) {
      const popped = redis.zpopmin(queue);
      if (popped === undefined) return nobody;
      const head = popped.member;
      if (head === self?.tenure) {
        const refused = owners.own(head, self.leaseMs);
        attempt(() => redis.hdel(fresh, head, 'returned'));
        if (inherited !== undefined && refused === undefined) leave(redis, lock, inherited);
        return { granted: refused === undefined ? head : undefined, refused };
      }
      const entry = attempt(() => redis.hget(fresh, head));
      const freshness = entry instanceof ErrorReply ? undefined : freshnessOf(entry);
      const isFresh = freshness !== undefined && freshness.untilMs >= nowMs && !isGone(redis, head, trust);
      const grantedMs = isFresh ? Math.min(claimMs, freshness.wantedMs) : 0;
      const refused = isFresh ? owners.own(head, grantedMs) : undefined;
      if (refused !== undefined && isFresh) {
        putBack(redis, keys, popped, freshness.untilMs - nowMs + 1);
        return { granted: undefined, refused };
      }
      attempt(() => redis.hdel(fresh, head, 'returned'));
      if (!isFresh) continue;
      if (inherited !== undefined) leave(redis, lock, inherited);
      const words = [`1 grant ${head} ${nowMs + grantedMs} ${nowMs} ${waiting(redis, queue)} ${owners.token}`];
      if (turn !== undefined) words.push(`turn ${turn}`);
      if (inherited !== undefined) words.push(wordsOf(inherited));
      tell(redis, head, words.join(' '));
      return { granted: head, refused: undefined };
    }
    return nobody;
  } catch (error) {
    return { granted: undefined, refused: refusalOf(error) };
  }
}

/** How many waiters of a lock that is still free the grant step has not come to. */
export function unserved(redis: Commands, queue: string, { granted, refused }: Passed): number {
  return granted !== undefined || refused !== undefined ? 0 : waiting(redis, queue);
}

function putBack(
  redis: Commands,
  [, queue = '', fresh = '']: readonly string[],
  { member, score }: { member: string; score: number },
  ttlMs: number,
) {
  attempt(() => redis.zadd(queue, score, member));
  if (attempt(() => redis.pttl(queue)) !== -1) return;
  const freshTtlMs = attempt(() => redis.pttl(fresh));
  const lasting = Math.max(ttlMs, freshTtlMs instanceof ErrorReply ? 0 : freshTtlMs);
  if (attempt(() => redis.pexpire(queue, lasting)) instanceof ErrorReply) attempt(() => redis.zrem(queue, member));
}
