import { announce } from './announce.js';
import { passOn, unserved } from './grant.js';
import { tell } from './inbox.js';
import { foundGone } from './inherited.js';
import { given, integer, questionOf } from './lua.js';
import { type OwningScript, owning } from './own.js';
import { owner } from './owner.js';

/** force.lua */
export const force: OwningScript = (redis, keys, args, begin = owning) => {
  const [lock = '', queue = '', fresh = '', dead = ''] = keys;
  const question = questionOf(args);
  const tombstoneMs = integer(args, 1, 1);
  const claimMs = integer(args, 2, 1);
  const trust = args[2] === '1';

  const known = redis.get(dead);
  if (known !== undefined) return ['forced', known, 0, question];

  const { holder, fields } = owner(redis, lock, '');
  const isReadWrite = fields.has('side');
  const isOurs = fields.has('seq') || isReadWrite;
  const single = holder === undefined ? [] : [holder];
  const old = isReadWrite ? redis.hkeys(lock).filter((field) => field.includes(':')) : single;
  const before = old.join(' ');
  redis.del(dead);
  redis.set(dead, before, tombstoneMs);
  const removed = redis.del(lock);
  const isResting = fields.has('rest');
  const forced = isResting ? undefined : ({ reason: 'forced' } as const);
  const inherited = holder === undefined ? foundGone(redis, fresh, redis.timeMs()) : forced;
  const passed = passOn(redis, keys, { owners: begin(redis, keys, args), claimMs, trust, inherited });
  if (removed && passed.granted === undefined) announce(redis, given(args, 3), trust);
  if (isOurs && !isResting) for (const one of old) tell(redis, one, `1 lost ${one} force-unlocked`);
  return ['forced', before, unserved(redis, queue, passed), question];
};
