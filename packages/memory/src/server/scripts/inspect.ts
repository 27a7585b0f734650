import { held } from './glance.js';
import { questionOf, type ScriptBody } from './lua.js';
import { owner } from './owner.js';

/** inspect.lua */
export const inspect: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = '', fresh = ''] = keys;
  const { holder, fields } = owner(redis, lock, '');
  return [
    redis.timeMs(),
    redis.pttl(lock),
    held(holder, fields),
    redis.zrangeWithScores(queue, 0, -1).flatMap(({ member, score }) => [member, `${score}`]),
    [...(redis.hgetall(fresh) ?? [])].flat(),
    questionOf(args),
  ];
};
