import { attempt, type Commands } from '../commands.js';
import { ErrorReply, refusalOf } from '../reply.js';

/** Who wants a place in the queue of a read-write lock or a semaphore. */
export interface Newcomer {
  readonly queue: string;
  readonly fresh: string;
  readonly tenure: string;
  /** 0: it has none yet. */
  readonly ticket: number;
  /** Fields and values of `fresh`, the entry of the tenure first. */
  readonly entries: readonly string[];
  readonly freshTtlMs: number;
  readonly nowMicros: number;
}

/** `enqueue` of read-write/ask.lua and permits/ask.lua. Returns the ticket, or the refusal. */
export function enqueue(redis: Commands, newcomer: Newcomer): number | ErrorReply {
  const { queue, fresh, tenure, freshTtlMs } = newcomer;
  const known = redis.zscore(queue, tenure);
  const ticket = known ?? (newcomer.ticket === 0 ? nextTicket(redis, newcomer) : newcomer.ticket);
  if (known === undefined) redis.zadd(queue, ticket, tenure);
  else {
    const refused = attempt(() => redis.hdel(fresh, ''));
    if (refused instanceof ErrorReply) {
      redis.pttl(queue);
      return withdrawn(redis, newcomer, refused);
    }
  }
  const isShort = redis.pttl(queue) <= freshTtlMs;
  try {
    if (isShort) redis.pexpire(queue, 2 * freshTtlMs);
    redis.hset(fresh, ...newcomer.entries);
    if (redis.pttl(fresh) <= freshTtlMs) redis.pexpire(fresh, 2 * freshTtlMs);
    return ticket;
  } catch (error) {
    return withdrawn(redis, newcomer, refusalOf(error));
  }
}

function withdrawn(redis: Commands, { queue, fresh, tenure }: Newcomer, refused: ErrorReply): ErrorReply {
  attempt(() => redis.hdel(fresh, tenure));
  attempt(() => redis.zrem(queue, tenure));
  return refused;
}

function nextTicket(redis: Commands, { queue, nowMicros }: Newcomer): number {
  const last = redis.zrangeWithScores(queue, -1, -1)[0]?.score;
  return last === undefined ? nowMicros : Math.max(nowMicros, last + 1);
}
