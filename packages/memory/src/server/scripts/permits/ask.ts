import { ErrorReply } from '../../reply.js';
import { enqueue } from '../enqueue.js';
import { given, integer, numberOf, questionOf, type ScriptBody } from '../lua.js';
import { amongFresh } from '../stale.js';
import { GrantStep, grantingOf } from './grant.js';
import { Holders, NEVER_AT } from './holders.js';

/** permits/ask.lua */
export const ask: ScriptBody = (redis, keys, args) => {
  const dead = given(keys, 3);
  const question = questionOf(args);
  const tenure = given(args, 0);
  const wanted = integer(args, 2, 1);
  const leaseMs = given(args, 2) === 'never' ? 0 : integer(args, 3, 1);
  const nowMicros = redis.timeMicros();
  const holders = new Holders(redis, keys);
  const { queue, permits } = holders;
  const nowMs = Math.floor(nowMicros / 1_000);
  holders.nowMs = nowMs;
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;

  if (holders.free !== undefined && holders.free >= wanted && redis.existing(queue, dead).size === 0) {
    const fields = redis.hmget(permits);
    if (!fields?.has(tenure)) {
      holders.sweepAt = numberOf(fields?.get('sweep'));
      const gotMs = holders.take(tenure, wanted, leaseMs);
      if (gotMs instanceof ErrorReply) return gotMs;
      return gotMs === leaseMs ? `acquired ${question}` : ['acquired', gotMs, 0, question];
    }
  }

  const freshMs = integer(args, 4, 0);
  const ticket = integer(args, 5, 0, Number.MAX_SAFE_INTEGER);
  const freshTtlMs = integer(args, 6, 1);
  const granting = grantingOf(args, 7);
  const initial = integer(args, 9, 0);
  if (redis.exists(dead)) return ['dead', question];

  if (holders.free === undefined && initial > 0) holders.begin(initial, 0);
  if (holders.free === undefined)
    return new ErrorReply('NOTINITIALIZED there is no such semaphore: set its permits first');
  holders.sweep();
  const remainingOf = (untilMs: number) => (untilMs > 0 ? untilMs - nowMs : -1);
  const step = new GrantStep(redis, holders, granting);

  const own = holders.recordOf(tenure);
  if (own !== undefined) {
    let { untilMs } = own;
    if (untilMs > 0) untilMs = leaseMs > 0 ? Math.max(untilMs, nowMs + leaseMs) : 0;
    const lastsMs = holders.within(untilMs > 0 ? untilMs - nowMs : 0, redis.pttl(holders.count));
    untilMs = lastsMs > 0 ? nowMs + lastsMs : 0;
    redis.hdel(permits, '');
    const refused = holders.record(tenure, own.n, untilMs);
    if (refused !== undefined) return refused;
    step.passOn();
    if (holders.untold) step.announce(given(args, 9));
    return ['mine', remainingOf(untilMs), step.waiting, nowMs, question];
  }

  let place = ticket;
  if (freshMs > 0) {
    const entry = `${nowMs + freshMs} ${leaseMs} ${wanted}`;
    const placed = enqueue(redis, {
      queue,
      fresh: holders.fresh,
      tenure,
      ticket,
      entries: [tenure, entry],
      freshTtlMs,
      nowMicros,
    });
    if (placed instanceof ErrorReply) return placed;
    place = placed;
  }
  let isIn = step.passOn(freshMs > 0 ? tenure : undefined);
  if (freshMs === 0 && holders.free >= wanted && redis.zcard(queue) === 0) {
    const gotMs = holders.take(tenure, wanted, leaseMs);
    if (gotMs instanceof ErrorReply) return gotMs;
    isIn = true;
  }
  if (holders.untold) step.announce(given(args, 9));
  if (isIn) return ['acquired', remainingOf(holders.recordOf(tenure)?.untilMs ?? 0), step.waiting, question];

  const endsAt = Math.min(holders.sweepAt ?? NEVER_AT, holders.javasEndAt ?? NEVER_AT);
  let remainingMs = endsAt < NEVER_AT ? Math.max(endsAt - nowMs, 1) : -1;
  if (step.limited) remainingMs = 0;
  if (freshMs === 0) return ['busy', remainingMs, step.unserved, question];
  const position = amongFresh(redis, holders, redis.zrank(queue, tenure) ?? 0, nowMs);
  return ['wait', remainingMs, position, place, nowMs, question];
};
