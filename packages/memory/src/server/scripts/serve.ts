import { passOn, unserved } from './grant.js';
import { integer, questionOf, type ScriptBody } from './lua.js';

/** serve.lua */
export const serve: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = ''] = keys;
  const question = questionOf(args);
  const claimMs = integer(args, 1, 1);
  if (redis.pttl(lock) !== -2) return ['served', 0, question];
  redis.del(lock);
  const passed = passOn(redis, keys, undefined, claimMs, args[1] === '1');
  return ['served', unserved(redis, queue, passed), question];
};
