import { passOn, unserved } from './grant.js';
import { foundGone } from './inherited.js';
import { integer, questionOf, type ScriptBody } from './lua.js';

/** serve.lua */
export const serve: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = '', fresh = ''] = keys;
  const question = questionOf(args);
  const claimMs = integer(args, 1, 1);
  if (redis.pttl(lock) !== -2) return ['served', 0, question];
  const nowMs = redis.timeMs();
  const inherited = foundGone(redis, fresh, nowMs);
  redis.del(lock);
  const passed = passOn(redis, keys, { claimMs, trust: args[1] === '1', nowMs, inherited });
  return ['served', unserved(redis, queue, passed), question];
};
