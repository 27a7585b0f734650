/** The scripts of a lock whose owners have fencing tokens: those of the re-entrant lock, and a mint. */

import { attempt, type Commands } from '../commands.js';
import { refusalOf } from '../reply.js';
import { ask, reasks } from './ask.js';
import { cancel } from './cancel.js';
import { force } from './force.js';
import { given, integer, numberOf, questionOf, type ScriptBody } from './lua.js';
import { type BeginOwning, own, type OwningScript } from './own.js';
import { release } from './release.js';
import { serve } from './serve.js';
import { standing } from './standing.js';

/** Tokens that an owner gets at once. */
const SPAN = 32;
const KEPT_MS = 96_400_000;
/** So many digits change once in 10,000 s. */
const SLOW_DIGITS = 6;
const DIGITS = 16;
const LEAST_BY_TIME = 1e15;

/** mint.lua. Returns the first token of a span; throws what was refused. */
function mint(redis: Commands, counter: string, tokens: string | undefined): string {
  if (tokens === 'count') {
    const last = redis.incrby(counter, SPAN);
    if (last >= LEAST_BY_TIME && !isLasting(redis, counter)) redis.set(counter, last.toFixed(0));
    return (last - SPAN + 1).toFixed(0);
  }
  let token = `${redis.timeMicros()}`;
  const last = redis.setKeepingTtl(counter, `${Number(token) + SPAN - 1}`);
  const isBehind = last !== undefined && last.length === DIGITS && last < token;
  if (isBehind && last.slice(0, SLOW_DIGITS) === token.slice(0, SLOW_DIGITS)) return token;
  const before = numberOf(last);
  if (before !== undefined && before >= Number(token)) token = `${before + 1}`;
  const lasts = before !== undefined && isLasting(redis, counter);
  const end = `${Number(token) + SPAN - 1}`;
  if (lasts) redis.setKeepingTtl(counter, end);
  else redis.set(counter, end, KEPT_MS);
  return token;
}

/** Not where that may not be asked. */
function isLasting(redis: Commands, counter: string): boolean {
  return attempt(() => redis.pttl(counter)) === -1;
}

/** A script of the re-entrant lock, with a token for each owner that it makes. */
const minting =
  (script: OwningScript): ScriptBody =>
  (redis, keys, args) =>
    script(redis, keys, args, owning);

/** own.lua, acquire.lua and mine.lua. */
const owning: BeginOwning = (redis, keys, args) => {
  const [lock = ''] = keys;
  const counter = keys.at(-1) ?? '';
  let token = '-';
  return {
    get token() {
      return token;
    },
    own(tenure, lease) {
      try {
        token = mint(redis, counter, args.at(-2));
      } catch (error) {
        return refusalOf(error);
      }
      return own(redis, lock, lease, [tenure, '1', 'seq', '1', 'token', token]);
    },
    acquired: (question) => `acquired ${token} ${question}`,
    mine(fields, told, question) {
      const known = fields.get('token');
      if (known !== undefined) return [...told, known, question];
      try {
        token = mint(redis, counter, args.at(-2));
      } catch (error) {
        return refusalOf(error);
      }
      redis.hset(lock, 'token', token);
      return [...told, token, question];
    },
  };
};

/** handoff.lua */
const handoff: ScriptBody = (redis, keys, args) => {
  const [lock = '', queue = '', counter = ''] = keys;
  const question = questionOf(args);
  const seq = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  const leaseMs = integer(args, 3, 1);

  const { count, last } = standing(redis, lock, given(args, 0));
  if (count === undefined) return ['lost', question];
  const remainingMs = redis.pttl(lock);
  const others = redis.zcard(queue);
  const nowMs = redis.timeMs();
  const known = redis.hget(lock, 'token') ?? '-';
  if (seq <= last) return ['passed', remainingMs, others, nowMs, known, question];
  if (count !== 1) return ['lost', question];
  redis.hdel(lock, '');
  const token = mint(redis, counter, args[3]);
  redis.pexpire(lock, given(args, 2));
  redis.hset(lock, 'seq', given(args, 1), 'token', token);
  return ['passed', leaseMs, others, nowMs, token, question];
};

export const fenced: Readonly<Record<string, ScriptBody>> = {
  'fenced/ask': minting(ask),
  'fenced/cancel': minting(cancel),
  'fenced/force': minting(force),
  'fenced/handoff': handoff,
  'fenced/reasks': minting(reasks({ keysEach: 5, argsEach: 8 })),
  'fenced/release': minting(release),
  'fenced/serve': minting(serve),
};
