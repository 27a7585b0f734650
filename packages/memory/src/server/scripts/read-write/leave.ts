import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { given, integer, questionOf, type ScriptBody } from '../lua.js';
import { announce } from './announce.js';
import { GrantStep, grantingOf, unserved } from './grant.js';
import { Holders } from './holders.js';

/** Bookkeeping fields of a lock. */
const FIELDS = 3;

/** read-write/release.lua */
export const release: ScriptBody = (redis, keys, args) => {
  const [lock = '', writers = '', readers = '', , dead = ''] = keys;
  const question = questionOf(args);
  const tenure = given(args, 0);
  const tombstoneMs = integer(args, 2, 0);
  const granting = grantingOf(args, 3);
  const channel = given(args, 5);

  if (tombstoneMs === 0 && redis.existing(writers, readers).size === 0) {
    const fields = attempt(() => redis.hmget(lock));
    if (!(fields instanceof ErrorReply) && fields?.has('side') && fields.has(tenure)) {
      if (fields.get('side') === 'r' && redis.hlen(lock) > FIELDS + 1) redis.hdel(lock, tenure);
      else {
        redis.del(lock);
        announce(redis, channel, granting.trust);
      }
      return `released ${question}`;
    }
  }

  const holders = new Holders(redis, keys, redis.timeMs());
  const known = redis.exists(dead);
  holders.look();
  const held = leave(redis, holders, tenure, dead, tombstoneMs);
  new GrantStep(redis, holders, granting).passOn();
  if (holders.before !== undefined && holders.side === undefined) announce(redis, channel, granting.trust);
  if (!held && !known) return ['notHeld', question];
  const left = unserved(redis, holders);
  return left > 0 ? ['unserved', left, question] : ['released', question];
};

/** read-write/cancel.lua */
export const cancel: ScriptBody = (redis, keys, args) => {
  const tombstoneMs = integer(args, 2, 0);
  const granting = grantingOf(args, 3);
  const holders = new Holders(redis, keys, redis.timeMs());
  holders.look();
  const held = leave(redis, holders, given(args, 0), given(keys, 4), tombstoneMs);
  new GrantStep(redis, holders, granting).passOn();
  if (holders.before !== undefined && holders.side === undefined) announce(redis, given(args, 5), granting.trust);
  return ['cancelled', held ? 1 : 0, unserved(redis, holders), questionOf(args)];
};

/** leave.lua */
function leave(redis: Commands, holders: Holders, tenure: string, dead: string, barMs: number): boolean {
  const { lock, writers, readers, fresh, side } = holders;
  redis.zrem(writers, tenure);
  redis.zrem(readers, tenure);
  redis.hdel(fresh, tenure);
  if (barMs > 0) redis.set(dead, '1', barMs);
  const held = side !== undefined && redis.hdel(lock, tenure) === 1;
  if (held && (side === 'w' || redis.hlen(lock) <= FIELDS)) {
    redis.del(lock);
    holders.side = undefined;
  }
  return held;
}
