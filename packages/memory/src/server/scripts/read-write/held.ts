import { attempt, type Commands } from '../../commands.js';
import { refusalOf, type Reply } from '../../reply.js';
import { given, integer, LONGEST_MS, numberOf, questionOf, type ScriptBody } from '../lua.js';
import { fieldsOf } from '../standing.js';
import { announce } from './announce.js';
import { GrantStep, grantingOf, othersOf } from './grant.js';
import { Holders } from './holders.js';

/** read-write/downgrade.lua */
export const downgrade: ScriptBody = (redis, keys, args) => {
  const tenure = given(args, 0);
  const question = questionOf(args);
  const granting = grantingOf(args, 2);
  const holders = new Holders(redis, keys, redis.timeMs());
  const { lock, nowMs } = holders;
  holders.look();
  const step = new GrantStep(redis, holders, granting);
  const untilMs = holders.side && numberOf(redis.hget(lock, tenure));
  if (untilMs === undefined) {
    step.passOn();
    return ['lost', question];
  }
  if (holders.side === 'w') {
    redis.hdel(lock, '');
    redis.hset(lock, 'side', 'r');
    holders.side = 'r';
    step.letReadersIn();
    step.passOn();
    step.remember('r');
    announce(redis, given(args, 4), granting.trust);
  }
  return ['passed', untilMs - nowMs, othersOf(redis, holders, 'r'), nowMs, question];
};

/** read-write/raise.lua */
export const raise: ScriptBody = (redis, keys, args) => {
  const [lock = '', writers = '', readers = ''] = keys;
  const tenure = given(args, 0);
  const question = questionOf(args);
  const leaseMs = integer(args, 2, 0);
  const nowMs = redis.timeMs();
  const fields = fieldsOf(redis, lock);
  const side = fields?.get('side');
  const untilMs = numberOf(fields?.get(tenure));
  if (side === undefined || untilMs === undefined || untilMs <= nowMs) return ['lost', question];
  const others = redis.zcard(writers) + (side === 'w' ? redis.zcard(readers) : 0);
  if (untilMs >= nowMs + leaseMs) return ['passed', untilMs - nowMs, others, nowMs, question];
  if (redis.pttl(lock) < leaseMs) redis.pexpire(lock, leaseMs);
  redis.hdel(lock, '');
  redis.hset(lock, tenure, `${nowMs + leaseMs}`);
  return ['passed', leaseMs, others, nowMs, question];
};

/** read-write/renew.lua */
export const renew: ScriptBody = (redis, keys, args) => {
  const nowMs = redis.timeMs();
  const replies: Reply[] = [nowMs];
  for (const [index, lock] of keys.entries()) {
    replies.push(renewed(redis, lock, given(args, 2 * index), numberOf(args[2 * index + 1]), nowMs));
  }
  replies.push(questionOf(args));
  return replies;
};

function renewed(redis: Commands, lock: string, tenure: string, leaseMs: number | undefined, nowMs: number): Reply {
  if (leaseMs === undefined || leaseMs % 1 !== 0 || leaseMs < 0 || leaseMs > LONGEST_MS) {
    return ['refused', 'ERR holdfast: leaseMs must be a whole number from 0 to 2147483648'];
  }
  try {
    const fields = redis.hmget(lock);
    const untilMs = fields?.has('side') ? numberOf(fields.get(tenure)) : undefined;
    if (untilMs === undefined || untilMs <= nowMs) {
      const there = redis.exists(lock);
      return ['lost', untilMs !== undefined || !there ? 'deleted' : 'taken'];
    }
    if (leaseMs === 0 || leaseMs <= untilMs - nowMs) return ['held', untilMs - nowMs];
    if (redis.pttl(lock) < leaseMs) redis.pexpire(lock, leaseMs);
    attempt(() => redis.hdel(lock, ''));
    redis.hset(lock, tenure, `${nowMs + leaseMs}`);
    return ['renewed', leaseMs];
  } catch (error) {
    const { message } = refusalOf(error);
    return message.startsWith('WRONGTYPE') ? ['lost', 'taken'] : ['refused', message];
  }
}
