/** The scripts of permits with ids: permits/issue.lua, adopt.lua, takeback.lua and until.lua, which say why each of their steps is there. */

import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { tell } from '../inbox.js';
import { given, integer, numberOf, questionOf, type ScriptBody } from '../lua.js';
import { GrantStep, grantingOf } from './grant.js';
import { Holders, type Record } from './holders.js';

function idsOf(text: string): string[] {
  return text.match(/\S+/g) ?? [];
}

function lasts(record: Record | undefined, nowMs: number): record is Record {
  return record !== undefined && (record.untilMs === 0 || record.untilMs > nowMs);
}

/** How many of the first in line are told when the first lease ends sooner. */
const MOST_TOLD = 8;

/** Gives each permit the lease. Returns the refusal, with which the answer has gone again, or when the first lease was to end before. */
function lease(
  redis: Commands,
  holders: Holders,
  { dead, permits, leaseMs }: { dead: string; permits: readonly { id: string; n: number }[]; leaseMs: number },
): ErrorReply | { readonly soonest: number | undefined; readonly lastsMs: number } {
  const soonest = numberOf(redis.hget(holders.permits, 'sweep'));
  holders.sweepAt = soonest;
  const lastsMs = holders.within(leaseMs, redis.pttl(holders.count));
  for (const { id, n } of permits) {
    const refused = holders.record(id, n, lastsMs > 0 ? holders.nowMs + lastsMs : 0);
    if (refused === undefined) continue;
    attempt(() => redis.del(dead));
    return refused;
  }
  return { soonest, lastsMs };
}

/** permits/sooner.lua */
function tellIfSooner(redis: Commands, { sweepAt, queue }: Holders, before: number | undefined): void {
  if (sweepAt === undefined || (before !== undefined && sweepAt >= before)) return;
  const first = attempt(() => redis.zrange(queue, 0, MOST_TOLD - 1));
  if (first instanceof ErrorReply) return;
  for (const id of first) tell(redis, id, `1 look ${id}`);
}

/** permits/issue.lua */
export const issue: ScriptBody = (redis, keys, args) => {
  const dead = given(keys, 3);
  const question = questionOf(args);
  const tenure = given(args, 0);
  const leaseMs = given(args, 2) === 'never' ? 0 : integer(args, 3, 1);
  const tombstoneMs = integer(args, 4, 1);
  const known = redis.get(dead);
  if (known !== undefined && known !== 'issued') return ['lost', question];
  const holders = new Holders(redis, keys);
  holders.nowMs = redis.timeMs();
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  const permits = idsOf(given(args, 1)).map((id) => ({ id, n: 1 }));
  if (known !== undefined) {
    const stands = holders.free !== undefined && lasts(holders.recordOf(permits[0]?.id ?? ''), holders.nowMs);
    return [stands ? 'issued' : 'lost', question];
  }
  const own = holders.free === undefined ? undefined : holders.recordOf(tenure);
  const has = own?.n === permits.length && lasts(own, holders.nowMs);
  redis.hdel(holders.permits, '');
  redis.set(dead, has ? 'issued' : 'lost', tombstoneMs);
  if (!has) return ['lost', question];
  const leased = lease(redis, holders, { dead, permits, leaseMs });
  if (leased instanceof ErrorReply) return leased;
  holders.strike(tenure);
  tellIfSooner(redis, holders, leased.soonest);
  return ['issued', question];
};

/** permits/adopt.lua */
export const adopt: ScriptBody = (redis, keys, args) => {
  const question = questionOf(args);
  const tenure = given(args, 0);
  const leaseMs = given(args, 2) === 'never' ? 0 : integer(args, 3, 1);
  const holders = new Holders(redis, keys);
  const nowMs = redis.timeMs();
  holders.nowMs = nowMs;
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  const dead = given(keys, 3);
  if (redis.exists(dead)) return ['dead', question];
  const own = holders.recordOf(tenure);
  if (lasts(own, nowMs)) return ['mine', own.untilMs > 0 ? own.untilMs - nowMs : -1, 0, nowMs, question];
  const ids = idsOf(given(args, 1));
  const lastingOne = (id: string) => {
    const record = holders.recordOf(id);
    return lasts(record, nowMs) && record.n === 1;
  };
  if (holders.free === undefined || !ids.every(lastingOne)) return ['busy', -1, 0, question];
  redis.hdel(holders.permits, '');
  const leased = lease(redis, holders, { dead, permits: [{ id: tenure, n: ids.length }], leaseMs });
  if (leased instanceof ErrorReply) return leased;
  for (const id of ids) holders.strike(id);
  tellIfSooner(redis, holders, leased.soonest);
  return leased.lastsMs === leaseMs ? `acquired ${question}` : ['acquired', leased.lastsMs, 0, question];
};

/** permits/takeback.lua */
export const takeback: ScriptBody = (redis, keys, args) => {
  const dead = given(keys, 3);
  const question = questionOf(args);
  const tombstoneMs = integer(args, 2, 1);
  const granting = grantingOf(args, 3);
  const known = redis.get(dead);
  if (known !== undefined) return ['returned', Number(known), 0, question];
  const holders = new Holders(redis, keys);
  holders.nowMs = redis.timeMs();
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  const ids = idsOf(given(args, 0));
  const records = ids.map((id) => holders.recordOf(id));
  const all = holders.free !== undefined && records.every((record) => lasts(record, holders.nowMs));
  const sum = all ? records.reduce((total, record) => total + (record?.n ?? 0), 0) : 0;
  redis.hdel(holders.permits, '');
  redis.set(dead, `${sum}`, tombstoneMs);
  holders.sweep();
  if (sum > 0) {
    for (const id of ids) {
      const record = holders.recordOf(id);
      if (record !== undefined) holders.shrink(id, record, 0);
    }
  }
  const step = new GrantStep(redis, holders, granting);
  step.passOn();
  if (sum > 0 || holders.untold) step.announce(given(args, 4));
  return ['returned', sum, step.unserved, question];
};

/** permits/until.lua */
export const until: ScriptBody = (redis, keys, args) => {
  const dead = given(keys, 3);
  const question = questionOf(args);
  const id = given(args, 0);
  const leaseMs = given(args, 1) === 'never' ? 0 : integer(args, 2, 1);
  const tombstoneMs = integer(args, 3, 1);
  const known = redis.get(dead);
  if (known !== undefined) return ['leased', Number(known), question];
  const holders = new Holders(redis, keys);
  holders.nowMs = redis.timeMs();
  const notASemaphore = holders.look();
  if (notASemaphore !== undefined) return notASemaphore;
  const own = holders.free === undefined ? undefined : holders.recordOf(id);
  const has = lasts(own, holders.nowMs);
  redis.del(dead);
  redis.set(dead, has ? '1' : '0', tombstoneMs);
  if (!has) return ['leased', 0, question];
  const leased = lease(redis, holders, { dead, permits: [{ id, n: own.n }], leaseMs });
  if (leased instanceof ErrorReply) return leased;
  tellIfSooner(redis, holders, leased.soonest);
  return ['leased', 1, question];
};
