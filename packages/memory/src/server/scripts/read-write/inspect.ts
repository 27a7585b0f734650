import { integer, numberOf, questionOf, type ScriptBody } from '../lua.js';
import type { Reply } from '../../reply.js';

/** read-write/inspect.lua */
export const inspect: ScriptBody = (redis, keys, args) => {
  const [lock = '', writers = '', readers = '', fresh = ''] = keys;
  const most = integer(args, 1, 1);
  const nowMs = redis.timeMs();
  const field = redis.hget(lock, 'side');
  const side = field === 'r' || field === 'w' ? field : '';
  const holders: Reply[] = [];
  if (side !== '') {
    for (const [name, value] of redis.hscan(lock, most)) {
      if (name.includes(':') && (numberOf(value) ?? 0) > nowMs) holders.push(name, value);
    }
  }
  const waitingIn = (queue: string) =>
    redis
      .zrangeWithScores(queue, 0, most - 1)
      .flatMap(({ member, score }) => [member, `${score}`, redis.hget(fresh, member) ?? '']);
  return [nowMs, redis.pttl(lock), side, holders, waitingIn(writers), waitingIn(readers), questionOf(args)];
};
