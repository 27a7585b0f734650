import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { enqueue } from '../enqueue.js';
import { tell } from '../inbox.js';
import { given, integer, numberOf, questionOf, type ScriptBody } from '../lua.js';
import { owner } from '../owner.js';
import { amongFresh } from '../stale.js';
import { GrantStep, type Granting, grantingOf, othersOf, unserved } from './grant.js';
import { Holders, type Side, sideOf } from './holders.js';

/** Fields of a lock that are looked at for holders to be told. */
const MOST_TOLD = 67;

/** read-write/ask.lua */
export const ask: ScriptBody = (redis, keys, args) => {
  const [lock = '', writers = '', readers = '', , dead = ''] = keys;
  const question = questionOf(args);
  const tenure = given(args, 0);
  const what = given(args, 1);
  const leaseMs = integer(args, 3, 1);
  if (what !== 'r' && what !== 'w') throw new ErrorReply('ERR holdfast: ARGV[2] must be r or w');
  const nowMicros = redis.timeMicros();
  const holders = new Holders(redis, keys, Math.floor(nowMicros / 1_000));
  const { nowMs } = holders;

  if (!redis.existsAny(writers, readers, dead)) {
    const fields = attempt(() => redis.hmget(lock));
    if (!(fields instanceof ErrorReply)) {
      const soonest = numberOf(fields?.get('sweep'));
      const isRead = sideOf(fields) === 'r' && soonest !== undefined && soonest > nowMs;
      if (isRead && what === 'r' && !fields?.has(tenure)) {
        holders.side = 'r';
        holders.sweepAt = soonest;
        return holders.hold(tenure, what, leaseMs) ?? `acquired ${question}`;
      }
      if (!fields?.has('side') && !redis.exists(lock)) {
        return holders.hold(tenure, what, leaseMs) ?? `acquired ${question}`;
      }
    }
  }

  const freshMs = integer(args, 4, 0);
  const ticket = integer(args, 5, 0, Number.MAX_SAFE_INTEGER);
  const freshTtlMs = integer(args, 6, 1);
  const granting = grantingOf(args, 7);
  if (redis.exists(dead)) return ['dead', question];

  holders.look();
  if (holders.foreign) owner(redis, lock, '');
  const own = holders.side && numberOf(redis.hget(lock, tenure));
  if (own !== undefined) {
    return holders.side === 'r' && what === 'w'
      ? ['dead', question]
      : raised(redis, { holders, granting, tenure, untilMs: Math.max(own, nowMs + leaseMs), question });
  }

  const queue = what === 'w' ? writers : readers;
  let place = ticket;
  if (freshMs > 0) {
    const { fresh, side } = holders;
    const entries = [tenure, `${nowMs + freshMs} ${leaseMs}`, ...(side === undefined ? [] : ['last', side])];
    const placed = enqueue(redis, { queue, fresh, tenure, ticket, entries, freshTtlMs, nowMicros });
    if (placed instanceof ErrorReply) return placed;
    place = placed;
  }
  holders.joins = freshMs === 0 && what === 'r';
  new GrantStep(redis, holders, granting, freshMs > 0 ? { tenure, leaseMs } : undefined).passOn();

  let isIn = freshMs > 0 && holders.side !== undefined && redis.hexists(lock, tenure);
  if (freshMs === 0 && mayTake(redis, holders, what)) {
    const refused = holders.hold(tenure, what, leaseMs);
    if (refused !== undefined) return refused;
    isIn = true;
  }
  if (isIn) return ['acquired', leaseMs, othersOf(redis, holders, holders.side), question];

  const { side, foreign, goesOn, sweepAt } = holders;
  const remainingMs = foreign ? redis.pttl(lock) : side === undefined || goesOn ? 0 : Math.max(sweepAt - nowMs, 1);
  const isForeign = foreign ? 1 : 0;
  if (freshMs === 0) return ['busy', remainingMs, isForeign, unserved(redis, holders), question];
  const position = amongFresh(redis, { queue, fresh: holders.fresh }, redis.zrank(queue, tenure) ?? 0, nowMs);
  if (side !== undefined && position === 0 && !(side === 'r' && what === 'r')) tellHolders(redis, lock);
  return ['wait', remainingMs, position, place, nowMs, isForeign, question];
};

interface Raise {
  readonly holders: Holders;
  readonly granting: Granting;
  readonly tenure: string;
  readonly untilMs: number;
  readonly question: string;
}

function raised(redis: Commands, { holders, granting, tenure, untilMs, question }: Raise) {
  const { lock, nowMs, side } = holders;
  redis.hdel(lock, '');
  if (redis.pttl(lock) < untilMs - nowMs) redis.pexpire(lock, untilMs - nowMs);
  redis.hset(lock, tenure, `${untilMs}`);
  new GrantStep(redis, holders, granting).passOn();
  return ['mine', untilMs - nowMs, othersOf(redis, holders, side), nowMs, question];
}

function mayTake(redis: Commands, { writers, readers, foreign, side }: Holders, what: Side): boolean {
  const joins = side === 'r' && what === 'r';
  if (foreign || !(joins || side === undefined)) return false;
  const [writing, reading] = [redis.zcard(writers), redis.zcard(readers)];
  return writing === 0 && (joins || reading === 0);
}

function tellHolders(redis: Commands, lock: string): void {
  const fields = attempt(() => redis.hrandfield(lock, MOST_TOLD));
  if (fields instanceof ErrorReply) return;
  for (const field of fields) if (field.includes(':')) tell(redis, field, `1 contended ${field}`);
}
