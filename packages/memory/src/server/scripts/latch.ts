/** The scripts of the countdown latch. */

import { attempt, type Commands } from '../commands.js';
import { ErrorReply, type Reply } from '../reply.js';
import { announce as announceFree } from './announce.js';
import { given, integer, LONGEST_MS, numberOf, questionOf, type ScriptBody } from './lua.js';
import { announce as announceRound } from './read-write/announce.js';

const HOUR_MS = 3_600_000;

/** count-of.lua */
function countOf(redis: Commands, latch: string): number | undefined {
  const text = attempt(() => redis.get(latch));
  if (text === undefined) return undefined;
  if (text instanceof ErrorReply && !text.message.includes('WRONGTYPE')) throw text;
  const count = typeof text === 'string' && /^-?\d+$/.test(text) ? numberOf(text) : undefined;
  if (count === undefined || count > Number.MAX_SAFE_INTEGER)
    throw new ErrorReply('NOTALATCH this is not the count of a latch');
  return Math.max(count, 0);
}

/** The record of a request, which the first copy leaves for all others: as each of the scripts does it. */
function record(redis: Commands, dead: string, answer: number, tombstoneMs: number): void {
  redis.del(dead);
  redis.set(dead, `${answer}`, tombstoneMs);
}

/** Notes something of this round, or takes the record back and answers the refusal. */
function note(
  redis: Commands,
  [, round = '', dead = '']: readonly string[],
  pair: [string, string],
): ErrorReply | undefined {
  const noted = attempt(() => redis.hset(round, ...pair));
  if (noted instanceof ErrorReply) {
    redis.del(dead);
    return noted;
  }
  attempt(() => redis.pexpire(round, LONGEST_MS));
  return undefined;
}

/** count.lua */
const count: ScriptBody = (redis, keys, args): Reply => {
  const [latch = '', round = '', dead = '', mark = ''] = keys;
  const [tombstoneMs, by, question] = [integer(args, 1, 1), given(args, 1), questionOf(args)];
  const known = redis.get(dead);
  if (known !== undefined) return ['counted', known, question];

  const before = countOf(redis, latch) ?? 0;
  const field = `by ${by}`;
  const counts = before > 0 && (by === '' || !redis.hexists(round, field));
  const after = counts ? before - 1 : before;
  record(redis, dead, after, tombstoneMs);
  if (after === 0) {
    redis.del(latch);
    redis.del(round);
    if (counts) announceFree(redis, given(args, 2), args[3] === '1');
  } else if (counts) {
    const refused = by === '' ? undefined : note(redis, keys, [field, '1']);
    if (refused !== undefined) return refused;
    if (by === '') attempt(() => redis.pexpire(round, LONGEST_MS));
    redis.setKeepingTtl(latch, `${after}`);
  }
  attempt(() => redis.pexpire(mark, after === 0 ? HOUR_MS : LONGEST_MS));
  return ['counted', `${after}`, question];
};

/** set.lua */
const set: ScriptBody = (redis, keys, args): Reply => {
  const [latch = '', round = '', dead = '', mark = ''] = keys;
  const left = integer(args, 1, 1, Number.MAX_SAFE_INTEGER);
  const [tombstoneMs, question] = [integer(args, 2, 1), questionOf(args)];
  const known = redis.get(dead);
  if (known !== undefined) return ['set', Number(known), question];

  const isNew = countOf(redis, latch) === undefined;
  const [, line = given(args, 2), nth = '0'] = /^(\S+) (\d+) /.exec(redis.get(mark) ?? '') ?? [];
  if (isNew) redis.set(dead, '1', tombstoneMs);
  else record(redis, dead, 0, tombstoneMs);
  if (isNew) {
    redis.del(round);
    const refused = note(redis, keys, ['round', given(args, 2)]);
    if (refused !== undefined) return refused;
    redis.set(mark, `${line} ${Number(nth) + 1} ${given(args, 2)}`, LONGEST_MS);
    redis.set(latch, `${left}`);
    announceRound(redis, given(args, 3), args[4] === '1');
  }
  return ['set', isNew ? 1 : 0, question];
};

/** look.lua */
const look: ScriptBody = (redis, [latch = '', round = '', mark = ''], args): Reply => {
  const left = countOf(redis, latch) ?? 0;
  const known = redis.hget(round, 'round');
  const counted = known === undefined ? 0 : redis.hlen(round) - 1;
  return [`${left}`, known ?? '', counted, redis.get(mark) ?? '', questionOf(args)];
};

/** remove.lua */
const remove: ScriptBody = (redis, [latch = '', round = '', dead = '', mark = ''], args): Reply => {
  const [tombstoneMs, question] = [integer(args, 1, 1), questionOf(args)];
  const known = redis.get(dead);
  if (known !== undefined) return ['removed', Number(known), question];

  const wasThere = countOf(redis, latch) !== undefined;
  record(redis, dead, wasThere ? 1 : 0, tombstoneMs);
  redis.del(latch);
  redis.del(round);
  attempt(() => redis.pexpire(mark, HOUR_MS));
  if (wasThere) announceFree(redis, given(args, 1), args[2] === '1');
  return ['removed', wasThere ? 1 : 0, question];
};

export const latches: Readonly<Record<string, ScriptBody>> = {
  'latch/count': count,
  'latch/set': set,
  'latch/look': look,
  'latch/remove': remove,
};
