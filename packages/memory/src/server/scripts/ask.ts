import { attempt, type Commands } from '../commands.js';
import { ErrorReply, refusalOf, type Reply } from '../reply.js';
import { passOn, unserved, waiting } from './grant.js';
import { tell } from './inbox.js';
import { foundGone, inheritedOf, leave, wordsOf } from './inherited.js';
import { given, integer, numberOf, questionOf, type ScriptBody } from './lua.js';
import { type OwningScript, owning } from './own.js';
import { owner } from './owner.js';
import { amongFresh } from './stale.js';

const HOLDFAST = 0;
const FOREIGN = 1;
const RESTING = 2;

/** `noteOwner` of ask.lua */
function noteOf(owned: number, remainingMs: number, nowMs: number): string | undefined {
  if (owned === RESTING || (owned === FOREIGN && remainingMs === -1)) return 'always';
  return owned === FOREIGN ? `${nowMs + remainingMs}` : undefined;
}

/** ask.lua */
export const ask: OwningScript = (redis, keys, args, begin = owning) => {
  const [lock = '', queue = '', fresh = '', dead = ''] = keys;
  const question = questionOf(args);
  const tenure = given(args, 0);
  const leaseMs = integer(args, 2, 1);
  const owners = begin(redis, keys, args);
  const there = redis.existing(lock, dead, queue);
  if (there.size === 0) return owners.own(tenure, given(args, 1)) ?? owners.acquired(question);

  const freshMs = integer(args, 3, 0);
  const ticket = integer(args, 4, 0, Number.MAX_SAFE_INTEGER);
  const freshTtlMs = integer(args, 5, 1);
  const claimMs = integer(args, 6, 1);
  const trust = args[6] === '1';
  const standing = attempt(() => owner(redis, lock, tenure));
  const isFound = standing instanceof ErrorReply || standing.holder !== undefined;
  const besides = isFound ? there.size - 1 : there.size;
  if (besides > 0 && there.has(dead)) return ['dead', question];
  if (standing instanceof ErrorReply) return standing;
  const { holder, fields } = standing;
  const free = holder === undefined;
  let remainingMs = redis.pttl(lock);
  const count = fields.get(tenure);
  const owned = free ? HOLDFAST : fields.has('rest') ? RESTING : fields.has('seq') ? HOLDFAST : FOREIGN;
  if (!free && freshMs === 0 && count === undefined) return `busy ${remainingMs} ${owned} 0 ${question}`;

  const nowMicros = redis.timeMicros();
  const nowMs = Math.floor(nowMicros / 1_000);
  if (count !== undefined) {
    remainingMs = Math.max(remainingMs, leaseMs);
    redis.pexpire(lock, remainingMs);
    const seq = numberOf(fields.get('seq')) ?? 0;
    const told = wordsOf(inheritedOf(fields.get('expired'), fields.get('forced')));
    const reply = ['mine', numberOf(count) ?? null, seq, remainingMs, waiting(redis, queue), nowMs, told];
    return owners.mine(fields, reply, question);
  }
  const inherited = free && there.has(queue) ? foundGone(redis, fresh, nowMs) : undefined;
  if (free) redis.del(lock);
  let place: Place | undefined;
  if (freshMs > 0) {
    const entry = `${nowMs + freshMs} ${leaseMs}`;
    const note = noteOf(owned, remainingMs, nowMs);
    const placed = enqueue(redis, { queue, fresh, there, tenure, ticket, entry, note, freshTtlMs, nowMicros });
    if (placed instanceof ErrorReply) return placed;
    place = placed;
  }

  let left = 0;
  if (free) {
    const passed = passOn(redis, keys, { owners, self: { tenure, leaseMs }, claimMs, trust, nowMs, inherited });
    const { granted, refused } = passed;
    if (refused !== undefined) {
      withdraw(redis, queue, fresh, tenure);
      return refused;
    }
    if (granted === tenure) {
      return ['acquired', 1, 1, leaseMs, waiting(redis, queue), wordsOf(inherited), owners.token, question];
    }
    left = unserved(redis, queue, passed);
    if (granted === undefined && left === 0) {
      const refusal = owners.own(tenure, leaseMs);
      if (refusal !== undefined) {
        withdraw(redis, queue, fresh, tenure);
        return refusal;
      }
      if (inherited !== undefined) leave(redis, lock, inherited);
      return ['acquired', 1, 1, leaseMs, 0, wordsOf(inherited), owners.token, question];
    }
    if (place !== undefined) place.position = redis.zrank(queue, tenure);
    remainingMs = granted === undefined ? 0 : claimMs;
  }

  if (place === undefined) return ['busy', remainingMs, owned, left, question];
  let { position } = place;
  if (!free && position !== undefined) position = amongFresh(redis, { queue, fresh }, position, nowMs);
  if (position === 0 && holder !== undefined && owned === HOLDFAST) tell(redis, holder, `1 contended ${holder}`);
  return ['wait', remainingMs, position ?? null, place.ticket, nowMs, owned, question];
};

const KEYS_EACH = 4;
const ARGS_EACH = 7;

/** asks.lua */
export const asks: ScriptBody = (redis, keys, args) => {
  const replies: Reply[] = [];
  let had = true;
  for (let index = 0; index < Math.floor(keys.length / KEYS_EACH); index++) {
    const own = keys.slice(KEYS_EACH * index, KEYS_EACH * (index + 1));
    const theirs = [...args.slice(ARGS_EACH * index, ARGS_EACH * (index + 1)), ''];
    const [lock = '', queue = ''] = own;
    const isTurn: boolean = index === 0 || (had && !redis.exists(lock) && !redis.exists(queue));
    const reply: Reply = isTurn || owns(redis, lock, given(theirs, 0)) ? ask(redis, own, theirs) : ['dead', ''];
    if (reply instanceof ErrorReply) return reply;
    const status: Reply | undefined =
      typeof reply === 'string' ? reply.split(' ')[0] : Array.isArray(reply) ? reply[0] : undefined;
    had = had && (status === 'acquired' || status === 'mine');
    replies.push(reply);
  }
  return [...replies, questionOf(args)];
};

/** reasks.lua */
export const reasks: (widths: Widths) => OwningScript =
  ({ keysEach, argsEach }) =>
  (redis, keys, args, begin) => {
    const replies: Reply[] = [];
    for (let index = 0; index < Math.floor(keys.length / keysEach); index++) {
      const own = keys.slice(keysEach * index, keysEach * (index + 1));
      const reply = ask(redis, own, [...args.slice(argsEach * index, argsEach * (index + 1)), ''], begin);
      if (reply instanceof ErrorReply) return reply;
      replies.push(reply);
    }
    return [...replies, questionOf(args)];
  };

/** widths.lua: how many keys and arguments each of several locks has. */
export interface Widths {
  readonly keysEach: number;
  readonly argsEach: number;
}

/** Those of the re-entrant lock. */
export const plainWidths: Widths = { keysEach: KEYS_EACH, argsEach: ARGS_EACH };

function owns(redis: Commands, lock: string, tenure: string): boolean {
  const fields = attempt(() => redis.hmget(lock));
  return !(fields instanceof ErrorReply) && fields?.has(tenure) === true;
}

interface Place {
  position: number | undefined;
  readonly ticket: number;
}

interface Newcomer {
  readonly queue: string;
  readonly fresh: string;
  /** Which of the two are there. */
  readonly there: ReadonlySet<string>;
  readonly tenure: string;
  readonly ticket: number;
  readonly entry: string;
  readonly note: string | undefined;
  readonly freshTtlMs: number;
  readonly nowMicros: number;
}

function enqueue(redis: Commands, newcomer: Newcomer): Place | ErrorReply {
  const { queue, fresh, there, tenure, entry, freshTtlMs } = newcomer;
  const isQueueThere = there.has(queue);
  const isRaised = (isQueueThere ? redis.pttl(fresh) : -2) <= freshTtlMs;
  const ttlMs = isRaised ? Math.max(2 * freshTtlMs, isQueueThere ? redis.pttl(queue) : 0) : 0;
  const placed = takePlace(redis, newcomer);
  if (placed instanceof ErrorReply) return placed;
  const { isNew } = placed;
  let { ticket } = placed;
  try {
    if (isRaised) redis.pexpire(queue, ttlMs);
    if (!isNew) redis.hdel(fresh, '');
    if (!isQueueThere) redis.hdel(fresh, 'returned');
    redis.hset(fresh, tenure, entry);
    if (newcomer.note !== undefined) redis.hset(fresh, 'returned', newcomer.note);
    if (isRaised) redis.pexpire(fresh, ttlMs);
    if (!isQueueThere) return { position: 0, ticket };
    let position = redis.zrank(queue, tenure);
    if (isNew && newcomer.ticket === 0) {
      const behind = redis.zcard(queue) - 1;
      if (position !== undefined && position < behind) {
        ticket = (redis.zrangeWithScores(queue, -1, -1)[0]?.score ?? 0) + 1;
        position = behind;
        redis.zadd(queue, ticket, tenure);
      }
    }
    return { position, ticket };
  } catch (error) {
    withdraw(redis, queue, fresh, tenure);
    return refusalOf(error);
  }
}

/** Sees to it that the tenure has a place: that which it had, or one at the end. */
function takePlace(
  redis: Commands,
  { queue, there, tenure, nowMicros, ticket: wanted }: Newcomer,
): { ticket: number; isNew: boolean } | ErrorReply {
  const isQueueThere = there.has(queue);
  let known = wanted !== 0 && isQueueThere ? redis.zscore(queue, tenure) : undefined;
  if (known !== undefined) return { ticket: known, isNew: false };
  const ticket = wanted === 0 ? nowMicros : wanted;
  const added = attempt(() => redis.zaddNew(queue, ticket, tenure));
  if (added === true) return { ticket, isNew: true };
  known = isQueueThere ? redis.zscore(queue, tenure) : undefined;
  if (known === undefined && added instanceof ErrorReply) return added;
  return { ticket: known ?? ticket, isNew: false };
}

function withdraw(redis: Commands, queue: string, fresh: string, tenure: string): void {
  attempt(() => redis.hdel(fresh, tenure, 'returned'));
  attempt(() => redis.zrem(queue, tenure));
}
