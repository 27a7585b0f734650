import { given, integer, questionOf, type ScriptBody } from './lua.js';
import { standing } from './standing.js';

/** again.lua */
export const again: ScriptBody = (redis, keys, args) => {
  const lock = given(keys, 0);
  const tenure = given(args, 0);
  const question = questionOf(args);
  const seq = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  const leaseMs = integer(args, 3, 0);

  const { count, last } = standing(redis, lock, tenure);
  if (count === undefined) return ['lost', question];
  const remainingMs = redis.pttl(lock);
  if (seq <= last) return ['held', count, remainingMs, question];
  const longer = leaseMs > 0 && leaseMs > remainingMs;
  if (longer) redis.pexpire(lock, leaseMs);
  redis.hset(lock, tenure, `${count + 1}`, 'seq', given(args, 1));
  return ['held', count + 1, longer ? leaseMs : remainingMs, question];
};
