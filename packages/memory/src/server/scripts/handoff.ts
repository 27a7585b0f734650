import { given, integer, questionOf, type ScriptBody } from './lua.js';
import { standing } from './standing.js';

/** handoff.lua */
export const handoff: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = ''] = keys;
  const question = questionOf(args);
  const seq = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  const leaseMs = integer(args, 3, 1);

  const { count, last } = standing(redis, lock, given(args, 0));
  if (count === undefined) return ['lost', question];
  const remainingMs = redis.pttl(lock);
  const others = redis.zcard(queue);
  const nowMs = redis.timeMs();
  if (seq <= last) return ['passed', remainingMs, others, nowMs, question];
  if (count !== 1) return ['lost', question];
  redis.pexpire(lock, given(args, 2));
  redis.hset(lock, 'seq', given(args, 1));
  return ['passed', leaseMs, others, nowMs, question];
};
