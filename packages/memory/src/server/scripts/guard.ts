/** The scripts of guards, on a hash and on a string. */

import { ErrorReply, refusalOf, type Reply } from '../reply.js';
import { given, integer, questionOf, type ScriptBody } from './lua.js';

const DAY_MS = 86_400_000;

/** verdict.lua. Returns the reply where there is nothing to write. */
function verdict(record: string, args: readonly string[]): Reply | undefined {
  const [, token = '', n = ''] = /^(\d+) (\d+)$/.exec(record) ?? [];
  if (token === '') return new ErrorReply('NOTAFENCE this is not what a guard has left');
  const mine = integer(args, 1, 1, Number.MAX_SAFE_INTEGER);
  const number = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  if (mine < Number(token)) return ['stale', token, questionOf(args)];
  return mine === Number(token) && number <= Number(n) ? ['written', '', questionOf(args)] : undefined;
}

/** hash.lua */
const hash: ScriptBody = (redis, keys, args) => {
  const key = given(keys, 0);
  const before = redis.hget(key, 'fence');
  const said = verdict(before ?? '0 0', args);
  if (said !== undefined) return said;
  const record = `${given(args, 0)} ${given(args, 1)}`;
  const rest = args.slice(3, -1);
  if (args[2] === 'HSET') redis.hset(key, 'fence', record, ...rest);
  else {
    redis.hset(key, 'fence', record);
    try {
      redis.hdel(key, ...rest);
    } catch (error) {
      redis.hset(key, 'fence', before ?? '0 0');
      return refusalOf(error);
    }
  }
  return ['written', '', questionOf(args)];
};

/** text.lua */
const text: ScriptBody = (redis, keys, args) => {
  const [key = '', fence = ''] = keys;
  const ttlMs = integer(args, 5, 0);
  const said = verdict(redis.get(fence) ?? '0 0', args);
  if (said !== undefined) return said;
  redis.strlen(key);
  const record = `${given(args, 0)} ${given(args, 1)}`;
  if (args[2] === 'DEL') {
    redis.del(key);
    redis.set(fence, record, DAY_MS);
  } else {
    const ends = ttlMs > 0;
    redis.set(key, given(args, 3), ends ? ttlMs : undefined);
    redis.set(fence, record, ends ? Math.max(ttlMs, DAY_MS) : undefined);
  }
  return ['written', '', questionOf(args)];
};

export const guards: Readonly<Record<string, ScriptBody>> = { 'guard/hash': hash, 'guard/text': text };
