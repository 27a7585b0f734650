import type { Commands } from '../commands.js';
import { announce } from './announce.js';
import { passOn, unserved } from './grant.js';
import { inheritedOf, type Inheritance } from './inherited.js';
import { given, integer, questionOf } from './lua.js';
import { type OwningScript, owning } from './own.js';
import { retire } from './retire.js';
import { standing } from './standing.js';

/** cancel.lua */
export const cancel: OwningScript = (redis, keys, args, begin = owning) => {
  const [lock = '', queue = ''] = keys;
  const tenure = given(args, 0);
  const question = questionOf(args);
  const tombstoneMs = integer(args, 2, 0);
  const claimMs = integer(args, 3, 1);
  const trust = args[3] === '1';

  const wasGranted = standing(redis, lock, tenure).count !== undefined;
  const inherited = inheritance(redis, lock, wasGranted, given(args, 5));
  retire(redis, keys, tenure, tombstoneMs);
  if (!wasGranted) return ['cancelled', 0, 0, question];
  redis.del(lock);
  const passed = passOn(redis, keys, { owners: begin(redis, keys, args), claimMs, trust, inherited });
  const left = unserved(redis, queue, passed);
  if (passed.granted === undefined) announce(redis, given(args, 4), trust);
  return ['cancelled', 1, left, question];
};

function inheritance(redis: Commands, lock: string, wasGranted: boolean, end: string): Inheritance | undefined {
  if (wasGranted && end === 'unused') {
    const fields = redis.hmget(lock);
    return inheritedOf(fields?.get('expired'), fields?.get('forced'));
  }
  return end === 'lost' ? { reason: 'expired' } : undefined;
}
