import { passOn, unserved } from './grant.js';
import { foundGone } from './inherited.js';
import { integer, questionOf } from './lua.js';
import { type OwningScript, owning } from './own.js';

/** serve.lua */
export const serve: OwningScript = (redis, keys, args, begin = owning) => {
  const [lock = '', queue = '', fresh = ''] = keys;
  const question = questionOf(args);
  const claimMs = integer(args, 1, 1);
  if (redis.pttl(lock) !== -2) return ['served', 0, question];
  const nowMs = redis.timeMs();
  const inherited = foundGone(redis, fresh, nowMs);
  redis.del(lock);
  const passed = passOn(redis, keys, {
    owners: begin(redis, keys, args),
    claimMs,
    trust: args[1] === '1',
    nowMs,
    inherited,
  });
  return ['served', unserved(redis, queue, passed), question];
};
