/** The scripts of guards, on a hash and on a string. */

import { attempt, type Commands } from '../commands.js';
import { ErrorReply, type Reply } from '../reply.js';
import { given, integer, questionOf, type ScriptBody } from './lua.js';

const DAY_MS = 86_400_000;

/** The field of a hash; undefined when the key is none. */
function fieldOf(redis: Commands, key: string): string | undefined {
  const field = attempt(() => redis.hget(key, 'fence'));
  if (!(field instanceof ErrorReply)) return field;
  if (!field.message.includes('WRONGTYPE')) throw field;
  return undefined;
}

/** verdict.lua. Returns the reply where there is nothing to write. */
function verdict(records: readonly (string | undefined)[], args: readonly string[]): Reply | undefined {
  const mine = integer(args, 1, 1, Number.MAX_SAFE_INTEGER);
  const number = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  let said: Reply | undefined;
  for (const record of records) {
    const [, token = '', n = ''] = /^(\d+) (\d+)$/.exec(record ?? '0 0') ?? [];
    if (token === '') return new ErrorReply('NOTAFENCE this is not what a guard has left');
    if (mine < Number(token)) said = ['stale', token, questionOf(args)];
    else if (mine === Number(token) && number <= Number(n)) said ??= ['written', '', questionOf(args)];
  }
  return said;
}

/** hash.lua */
const hash: ScriptBody = (redis, keys, args) => {
  const [key = '', fence = ''] = keys;
  const before = fieldOf(redis, key);
  const said = verdict([redis.get(fence), before], args);
  if (said !== undefined) return said;
  const record = `${given(args, 0)} ${given(args, 1)}`;
  const rest = args.slice(3, -1);
  if (args[2] === 'HSET') redis.hset(key, 'fence', record, ...rest);
  else {
    redis.hdel(key, `fence ${record}`);
    redis.hset(key, 'fence', record);
    redis.hdel(key, ...rest);
  }
  return ['written', '', questionOf(args)];
};

/** text.lua */
const text: ScriptBody = (redis, keys, args) => {
  const [key = '', fence = ''] = keys;
  const ttlMs = integer(args, 5, 0);
  const said = verdict([redis.get(fence), fieldOf(redis, key)], args);
  if (said !== undefined) return said;
  redis.strlen(key);
  const record = `${given(args, 0)} ${given(args, 1)}`;
  if (args[2] === 'DEL') {
    // Whether the record may be written.
    const asked = attempt(() => redis.enter('set', 'grow'));
    if (asked instanceof ErrorReply && !asked.message.startsWith('OOM ')) return asked;
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
