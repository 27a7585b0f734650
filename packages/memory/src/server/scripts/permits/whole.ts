import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { given, integer, questionOf, type ScriptBody } from '../lua.js';
import { GrantStep, grantingOf } from './grant.js';
import { countIn, Holders, NOT_A_SEMAPHORE, parse } from './holders.js';

const FEWEST = -2_147_483_648;

/** javas.lua */
function javasIn(
  redis: Commands,
  timeouts: string,
  nowMs: number,
): { readonly lasting: number; readonly ended: number } {
  const all = javas(attempt(() => redis.zcard(timeouts)));
  const lasting = all === 0 ? 0 : redis.zcount(timeouts, nowMs + 1);
  return { lasting, ended: all - lasting };
}

/** A lock, or another semaphore, may have the name of Redisson's holders: then there are none. */
function javas(counted: ErrorReply | number): number {
  if (typeof counted === 'number') return counted;
  if (!counted.message.includes('WRONGTYPE')) throw counted;
  return 0;
}

/** permits/serve.lua */
export const serve: ScriptBody = (redis, keys, args) => {
  const granting = grantingOf(args, 1);
  const holders = new Holders(redis, keys);
  holders.nowMs = redis.timeMs();
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  holders.sweep();
  const step = new GrantStep(redis, holders, granting);
  step.passOn();
  if (holders.untold) step.announce(given(args, 2));
  return ['served', step.unserved, questionOf(args)];
};

/** permits/count.lua */
export const count: ScriptBody = (redis, keys, args) => {
  const [, , , dead = '', timeouts = ''] = keys;
  const question = questionOf(args);
  const how = given(args, 0);
  const n = integer(args, 2, how === 'add' ? FEWEST : 0);
  const ttlMs = integer(args, 3, 0);
  const tombstoneMs = integer(args, 4, 1);
  const granting = grantingOf(args, 5);
  const known = redis.get(dead);
  if (known !== undefined) return ['counted', Number(known), 0, question];

  const holders = new Holders(redis, keys);
  holders.nowMs = redis.timeMs();
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  let more = n;
  if (how === 'total' && holders.free !== undefined)
    more = n - javas(attempt(() => redis.zcard(timeouts))) - holders.used() - holders.free;
  if (how === 'add' && Math.abs((holders.free ?? 0) + n) > 2 ** 52) return new ErrorReply('TOOMANYPERMITS beyond 2^52');
  const changed = how !== 'begin' || holders.free === undefined;
  if (holders.free === undefined) redis.hexists(holders.permits, '');
  else redis.hdel(holders.permits, '');
  redis.set(dead, changed ? '1' : '0', tombstoneMs);
  const step = new GrantStep(redis, holders, granting);
  if (changed) {
    if (holders.free === undefined) holders.begin(n, ttlMs);
    else {
      holders.sweep();
      holders.put(more);
    }
    step.passOn();
    step.announce(given(args, 6));
  }
  return ['counted', changed ? 1 : 0, step.unserved, question];
};

/** permits/inspect.lua */
export const inspect: ScriptBody = (redis, keys, args) => {
  const holders = new Holders(redis, keys);
  const nowMs = redis.timeMs();
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  const { lasting, ended } = javasIn(redis, given(keys, 3), nowMs);
  return [
    nowMs,
    holders.free === undefined ? [] : [String(holders.free + ended)],
    lasting,
    [...(redis.hgetall(holders.permits) ?? [])].flat(),
    redis.zrangeWithScores(holders.queue, 0, -1).flatMap(({ member, score }) => [member, `${score}`]),
    [...(redis.hgetall(holders.fresh) ?? [])].flat(),
    questionOf(args),
  ];
};

/** permits/peek.lua */
export const peek: ScriptBody = (redis, keys, args) => {
  const [counter = '', queue = '', timeouts = '', permits = ''] = keys;
  const question = questionOf(args);
  const value = attempt(() => redis.get(counter));
  if (value instanceof ErrorReply) return value.message.includes('WRONGTYPE') ? new ErrorReply(NOT_A_SEMAPHORE) : value;
  let free = countIn(value);
  if (value !== undefined && free === undefined) return new ErrorReply(NOT_A_SEMAPHORE);
  if (free === undefined) return ['none', question];
  const nowMs = redis.timeMs();
  let used = 0;
  for (const text of (redis.hgetall(permits) ?? new Map<string, string>()).values()) {
    const record = parse(text);
    if (record === undefined) continue;
    if (record.untilMs !== 0 && record.untilMs <= nowMs) free += record.n;
    else used += record.n;
  }
  const { lasting, ended } = javasIn(redis, timeouts, nowMs);
  return ['counts', String(free + ended), used, lasting, redis.zcard(queue), question];
};
