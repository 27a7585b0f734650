import { questionOf, type ScriptBody } from './lua.js';
import { owner } from './owner.js';
import type { Reply } from '../reply.js';

/** inspect.lua */
export const inspect: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = '', fresh = ''] = keys;
  const { holder, fields } = owner(redis, lock, '');
  const held: Reply[] = holder === undefined ? [] : [holder, fields.has('side') ? '1' : (fields.get(holder) ?? '')];
  const seq = fields.get('seq');
  if (holder !== undefined && seq !== undefined) held.push(seq);
  const rest = fields.get('rest');
  if (held.length === 3 && rest !== undefined) held.push(rest);
  return [
    redis.timeMs(),
    redis.pttl(lock),
    held,
    redis.zrangeWithScores(queue, 0, -1).flatMap(({ member, score }) => [member, `${score}`]),
    [...(redis.hgetall(fresh) ?? [])].flat(),
    questionOf(args),
  ];
};
