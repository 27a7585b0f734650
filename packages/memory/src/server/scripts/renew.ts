import type { Commands } from '../commands.js';
import { refusalOf, type Reply } from '../reply.js';
import { given, LONGEST_MS, numberOf, questionOf, type ScriptBody } from './lua.js';

/** renew.lua */
export const renew: ScriptBody = (redis, keys, args) => {
  const replies: Reply[] = [redis.timeMs()];
  for (const [index, lock] of keys.entries()) {
    replies.push(renewed(redis, lock, given(args, 2 * index), numberOf(args[2 * index + 1])));
  }
  replies.push(questionOf(args));
  return replies;
};

function renewed(redis: Commands, lock: string, tenure: string, leaseMs: number | undefined): Reply {
  if (leaseMs === undefined || leaseMs % 1 !== 0 || leaseMs < 0 || leaseMs > LONGEST_MS) {
    return ['refused', 'ERR holdfast: leaseMs must be a whole number from 0 to 2147483648'];
  }
  try {
    const owns = redis.hexists(lock, tenure);
    const remainingMs = redis.pttl(lock);
    if (!owns) return ['lost', remainingMs === -2 ? 'deleted' : 'taken'];
    if (leaseMs === 0 || leaseMs <= remainingMs) return ['held', remainingMs];
    redis.pexpire(lock, leaseMs);
    return ['renewed', leaseMs];
  } catch (error) {
    const { message } = refusalOf(error);
    return message.startsWith('WRONGTYPE') ? ['lost', 'taken'] : ['refused', message];
  }
}
