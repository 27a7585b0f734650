import { announce } from './announce.js';
import { passOn, unserved } from './grant.js';
import { given, integer, questionOf, type ScriptBody } from './lua.js';
import { type OwningScript, owning } from './own.js';
import type { Reply } from '../reply.js';
import { retire } from './retire.js';
import { standing } from './standing.js';

/** release.lua */
export const release: OwningScript = (redis, keys, args, begin = owning) => {
  const [lock = '', queue = '', , dead = ''] = keys;
  const tenure = given(args, 0);
  const question = questionOf(args);
  const seq = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  const tombstoneMs = integer(args, 3, 0);
  const claimMs = integer(args, 4, 1);
  const trust = args[4] === '1';
  const channel = given(args, 5);

  const { count, last } = standing(redis, lock, tenure);
  const isNew = seq > last;
  if (count === 1 && isNew && tombstoneMs === 0 && !redis.exists(queue)) {
    redis.del(lock);
    announce(redis, channel, trust);
    return `released ${question}`;
  }

  const turn = args[6] === '-' ? undefined : integer(args, 7, 1);
  if (count === undefined) {
    const known = redis.exists(dead);
    retire(redis, keys, tenure, tombstoneMs);
    return [known ? 'released' : 'notHeld', question];
  }
  if (!isNew) return ['held', count, question];
  if (count > 1) {
    redis.zrem(queue, tenure);
    redis.hset(lock, tenure, `${count - 1}`, 'seq', given(args, 1));
    return ['held', count - 1, question];
  }

  if (tombstoneMs > 0) retire(redis, keys, tenure, tombstoneMs);
  redis.del(lock);
  const passed = passOn(redis, keys, { owners: begin(redis, keys, args), claimMs, trust, turn });
  if (passed.granted !== undefined) return ['granted', passed.granted, question];
  announce(redis, channel, trust);
  const left = unserved(redis, queue, passed);
  return left > 0 ? ['unserved', left, question] : ['released', question];
};

const KEYS_EACH = 4;
const ARGS_EACH = 7;

/** releases.lua */
export const releases: ScriptBody = (redis, keys, args) => {
  const replies: Reply[] = [];
  for (let index = 0; index < Math.floor(keys.length / KEYS_EACH); index++) {
    const own = keys.slice(KEYS_EACH * index, KEYS_EACH * (index + 1));
    replies.push(release(redis, own, [...args.slice(ARGS_EACH * index, ARGS_EACH * (index + 1)), '']));
  }
  return [...replies, questionOf(args)];
};
