import { tell } from '../inbox.js';
import { given, integer, numberOf, questionOf, type ScriptBody } from '../lua.js';
import { owner } from '../owner.js';
import { announce } from './announce.js';
import { GrantStep, grantingOf, unserved } from './grant.js';
import { Holders } from './holders.js';

/** read-write/force.lua */
export const force: ScriptBody = (redis, keys, args) => {
  const [lock = '', , , , dead = ''] = keys;
  const side = given(args, 0);
  const question = questionOf(args);
  const tombstoneMs = integer(args, 2, 1);
  const granting = grantingOf(args, 3);
  const known = redis.get(dead);
  if (known !== undefined) return ['forced', known, 0, question];

  const holders = new Holders(redis, keys, redis.timeMs());
  holders.look();
  let old: string[] = [];
  let isTold = !holders.foreign;
  if (holders.foreign) {
    const { holder, fields } = owner(redis, lock, '');
    if (side === 'w' && holder !== undefined) old = [holder];
    isTold = fields.has('seq') && !fields.has('rest');
  } else if (holders.side === side) {
    old = redis.hkeys(lock).filter((field) => field.includes(':'));
  }
  redis.del(dead);
  redis.set(dead, old.join(' '), tombstoneMs);
  if (old.length > 0) {
    redis.del(lock);
    holders.side = undefined;
    holders.foreign = false;
  }
  new GrantStep(redis, holders, granting).passOn();
  if (old.length > 0 && holders.side === undefined) announce(redis, given(args, 5), granting.trust);
  if (isTold) for (const holder of old) tell(redis, holder, `1 lost ${holder} force-unlocked`);
  return ['forced', old.join(' '), unserved(redis, holders), question];
};

/** read-write/serve.lua */
export const serve: ScriptBody = (redis, keys, args) => {
  const granting = grantingOf(args, 1);
  const holders = new Holders(redis, keys, redis.timeMs());
  holders.look();
  new GrantStep(redis, holders, granting).passOn();
  return ['served', unserved(redis, holders), questionOf(args)];
};

/** read-write/peek.lua */
export const peek: ScriptBody = (redis, keys, args) => {
  const lock = given(keys, 0);
  const tenure = given(args, 0);
  const question = questionOf(args);
  const { holder, fields } = owner(redis, lock, '');
  if (holder === undefined) return ['free', 0, 0, question];
  const side = fields.get('side');
  if (side === undefined) return ['foreign', redis.pttl(lock), 0, question];
  const nowMs = redis.timeMs();
  let longestMs = 0;
  let mine = 0;
  for (const [field, value] of redis.hgetall(lock) ?? []) {
    const leftMs = field.includes(':') ? (numberOf(value) ?? 0) - nowMs : 0;
    if (leftMs <= 0) continue;
    longestMs = Math.max(longestMs, leftMs);
    if (field === tenure) mine = 1;
  }
  return longestMs === 0 ? ['free', 0, 0, question] : [side, longestMs, mine, question];
};
