import { attempt, type Commands } from '../../commands.js';
import { refusalOf, type Reply } from '../../reply.js';
import { given, integer, LONGEST_MS, numberOf, questionOf, type ScriptBody } from '../lua.js';
import { retire } from '../retire.js';
import { announce, GrantStep, grantingOf } from './grant.js';
import { Holders, parse } from './holders.js';

/** permits/release.lua */
export const release: ScriptBody = (redis, keys, args) => {
  const dead = given(keys, 3);
  const question = questionOf(args);
  const tenure = given(args, 0);
  const left = integer(args, 2, 0);
  const tombstoneMs = integer(args, 3, 0);
  const granting = grantingOf(args, 4);
  const channel = given(args, 5);
  const holders = new Holders(redis, keys);

  if (left === 0 && tombstoneMs === 0 && !redis.exists(holders.queue)) {
    const own = holders.recordOf(tenure);
    if (own !== undefined && holders.look() === undefined) {
      holders.shrink(tenure, own, 0);
      const { free } = holders;
      if (free !== undefined && free > 0) announce(redis, channel, free, granting.trust);
      return `released ${question}`;
    }
  }

  const nowMs = redis.timeMs();
  holders.nowMs = nowMs;
  const known = redis.exists(dead);
  const notASemaphore = holders.look();
  if (left === 0) retire(redis, keys, tenure, tombstoneMs);
  if (notASemaphore !== undefined) return notASemaphore;
  holders.sweep();
  const own = holders.recordOf(tenure);
  if (own !== undefined && own.n > left) holders.shrink(tenure, own, left);
  const step = new GrantStep(redis, holders, granting);
  step.passOn();
  step.announce(channel);
  if (left > 0) {
    if (own === undefined) return ['lost', question];
    return ['passed', own.untilMs > 0 ? own.untilMs - nowMs : -1, step.waiting, nowMs, question];
  }
  if (own === undefined && !known) return ['notHeld', step.unserved, question];
  return step.limited ? ['unserved', step.unserved, question] : ['released', question];
};

/** permits/renew.lua */
export const renew: ScriptBody = (redis, keys, args) => {
  const nowMs = redis.timeMs();
  const replies: Reply[] = [nowMs];
  for (const [index, permits] of keys.entries())
    replies.push(renewed(redis, permits, given(args, 2 * index), given(args, 2 * index + 1), nowMs));
  replies.push(questionOf(args));
  return replies;
};

function renewed(redis: Commands, permits: string, tenure: string, wanted: string, nowMs: number): Reply {
  const isForever = wanted === 'never';
  const leaseMs = isForever ? LONGEST_MS : numberOf(wanted);
  if (leaseMs === undefined || leaseMs % 1 !== 0 || leaseMs < 0 || leaseMs > LONGEST_MS)
    return ['refused', 'ERR holdfast: leaseMs must be never, or a whole number from 0 to 2147483648'];
  try {
    const own = parse(redis.hget(permits, tenure));
    if (own === undefined || (own.untilMs > 0 && own.untilMs <= nowMs)) return ['lost', 'deleted'];
    const ttlMs = redis.pttl(permits);
    const isCut = ttlMs >= 0 && (isForever || leaseMs > ttlMs);
    let lastsMs = own.untilMs > 0 ? own.untilMs - nowMs : -1;
    if (ttlMs >= 0 && (lastsMs < 0 || lastsMs > ttlMs)) lastsMs = ttlMs;
    if (own.untilMs === 0 || (!isCut && !isForever && leaseMs <= lastsMs)) return ['held', lastsMs];
    attempt(() => redis.hdel(permits, ''));
    const newMs = isCut ? Math.max(ttlMs, 1) : leaseMs;
    const isEndless = isForever && !isCut;
    redis.hset(permits, tenure, `${own.n} ${isEndless ? 0 : nowMs + newMs}`);
    return isEndless ? ['held', -1] : ['renewed', newMs];
  } catch (error) {
    const { message } = refusalOf(error);
    return message.startsWith('WRONGTYPE') ? ['lost', 'taken'] : ['refused', message];
  }
}
