import { announce } from './announce.js';
import { tell } from './inbox.js';
import { noteReturned } from './inherited.js';
import { given, integer, questionOf, type ScriptBody } from './lua.js';
import { attempt } from '../commands.js';
import { ErrorReply } from '../reply.js';
import { retire } from './retire.js';
import { standing } from './standing.js';

/** rest.lua */
export const rest: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = '', fresh = ''] = keys;
  const tenure = given(args, 0);
  const question = questionOf(args);
  const seq = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  const tombstoneMs = integer(args, 3, 0);
  const restMs = integer(args, 4, 1);
  const trust = args[4] === '1';

  const { count, last } = standing(redis, lock, tenure);
  if (count === undefined) {
    const rests = attempt(() => redis.hexists(lock, `rest:${tenure}`)) === true;
    retire(redis, keys, tenure, tombstoneMs);
    return [rests ? 'resting' : 'notHeld', question];
  }
  if (seq <= last) return ['held', count, question];

  const nowMs = redis.timeMs();
  if (tombstoneMs > 0) retire(redis, keys, tenure, tombstoneMs);
  redis.hdel(lock, '');
  redis.pexpire(lock, restMs);
  redis.hset(lock, 'rest', `${nowMs + restMs}`);
  redis.hdel(lock, tenure, 'token', 'expired', 'forced');
  redis.hset(lock, `rest:${tenure}`, '1', 'seq', '1');
  noteReturned(redis, fresh, 'always');
  const first = attempt(() => redis.zrange(queue, 0, 0));
  const head = first instanceof ErrorReply ? undefined : first[0];
  if (head !== undefined) tell(redis, head, `1 look ${head}`);
  announce(redis, given(args, 5), trust);
  return ['resting', question];
};
