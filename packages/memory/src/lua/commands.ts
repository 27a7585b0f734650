/** The commands of Redis that scripts call, by name: how many arguments they take, what may refuse them, and what they do. */

import type { Access, Commands } from '../server/commands.js';
import { ErrorReply } from '../server/reply.js';
import { SortedSet } from '../server/sorted-set.js';
import { sumOf } from '../server/whole-number.js';
import { type Answer, Status } from './answer.js';
import { options, score, whole } from './arguments.js';
import { UnknownToLua } from './errors.js';
import { general } from './number.js';

/** One command. */
export interface RedisCommand {
  readonly access: Access;
  /** How many arguments behind its name. */
  readonly least: number;
  readonly most: number;
  /** @param args - at least so many as it needs. */
  run(redis: Commands, key: string, ...args: string[]): Answer;
}

type Run = RedisCommand['run'];

const exactly = (many: number, access: Access, run: Run): RedisCommand => ({ access, least: many, most: many, run });
const atLeast = (least: number, access: Access, run: Run): RedisCommand => ({ access, least, most: Infinity, run });

const ok = new Status('OK');
const scoreText = (value: number): string => general(value, 17);
const yesOrNo = (is: boolean): number => (is ? 1 : 0);
const expireError = (name: string): ErrorReply => new ErrorReply(`ERR invalid expire time in '${name}' command`);

const set: Run = ({ keys }, key, value = '', ...words) => {
  const given = options(words, { PX: 'with a value', KEEPTTL: 'alone', GET: 'alone', NX: 'alone', XX: 'alone' });
  const px = given.get('PX');
  for (const option of given.size > 1 ? ['NX', 'XX'] : [])
    if (given.has(option)) throw new UnknownToLua(`the option ${option} of SET beside others`);
  if (given.size > (given.has('GET') ? 2 : 1)) throw new ErrorReply('ERR syntax error');
  const ttlMs = px === undefined ? Infinity : whole(px);
  if (ttlMs <= 0) throw expireError('set');
  if (given.has(keys.find(key) === undefined ? 'XX' : 'NX')) return null;
  const before = given.has('GET') ? (keys.text(key) ?? null) : ok;
  keys.put(key, value, given.has('KEEPTTL') ? keys.find(key)?.endsAt : keys.nowMs + ttlMs);
  return before;
};

/** Keeps what time the key has left. */
const add = ({ keys }: Commands, key: string, by: number): number => {
  const sum = sumOf(keys.text(key) ?? '0', by);
  keys.put(key, `${sum}`, keys.find(key)?.endsAt);
  return Number(sum);
};

const expireAt = ({ keys }: Commands, key: string, atMs: number): number =>
  yesOrNo(atMs <= keys.nowMs ? keys.remove(key) : keys.expire(key, atMs));

const time: Run = (redis) => {
  const micros = redis.timeMicros();
  return [`${Math.floor(micros / 1_000_000)}`, `${Math.floor(micros % 1_000_000)}`];
};

const persist: Run = ({ keys }, key) => {
  const entry = keys.find(key);
  return yesOrNo(entry !== undefined && entry.endsAt !== Infinity && keys.expire(key, Infinity));
};

const left: Run = ({ keys }, key) => {
  const entry = keys.find(key);
  if (entry === undefined) return -2;
  return entry.endsAt === Infinity ? -1 : entry.endsAt - keys.nowMs;
};

const pubsub: Run = (redis, word, ...channels) => {
  if (word.toUpperCase() !== 'NUMSUB') throw new UnknownToLua(`PUBSUB ${word}`);
  return channels.flatMap((channel): Answer[] => [channel, redis.numsub(channel)]);
};

const fieldsOf = ({ keys }: Commands, key: string): [field: string, value: string][] => [...(keys.hash(key) ?? [])];

const hset: Run = ({ keys }, key, ...pairs) => {
  if (pairs.length % 2 === 1) throw new ErrorReply("ERR wrong number of arguments for 'hset' command");
  const hash = keys.hash(key) ?? new Map<string, string>();
  const before = hash.size;
  if (before === 0) keys.put(key, hash);
  for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] as string, pairs[at + 1] as string);
  keys.written(key, hash.size);
  return hash.size - before;
};

const hdel: Run = ({ keys }, key, ...fields) => {
  const hash = keys.hash(key);
  const gone = fields.filter((field) => hash?.delete(field)).length;
  if (hash !== undefined && gone > 0) keys.written(key, hash.size);
  return gone;
};

const hscan: Run = (redis, key, cursor, ...words) => {
  if (cursor !== '0') throw new UnknownToLua('HSCAN that goes on');
  const given = options(words, { COUNT: 'with a value' });
  return ['0', redis.hscan(key, whole(given.get('COUNT') ?? '10')).flat()];
};

/** Redis draws them; here they are those that were written first. */
const hrandfield: Run = ({ keys }, key, count) => {
  const fields = [...(keys.hash(key)?.keys() ?? [])];
  if (count === undefined) throw new UnknownToLua('HRANDFIELD without a count');
  if (whole(count) < 0) throw new UnknownToLua('HRANDFIELD that draws fields twice');
  return fields.slice(0, whole(count));
};

const zadd: Run = ({ keys }, key, ...words) => {
  const isOnlyNew = words[0]?.toUpperCase() === 'NX';
  const pairs = isOnlyNew ? words.slice(1) : words;
  const [first = ''] = pairs;
  if (/^(?:nx|xx|gt|lt|ch|incr)$/i.test(first)) throw new UnknownToLua(`the option ${first} of ZADD`);
  if (pairs.length % 2 === 1) throw new ErrorReply('ERR syntax error');
  const wanted = pairs.flatMap((text, at) =>
    at % 2 === 0 ? [{ score: score(text), member: pairs[at + 1] as string }] : [],
  );
  const members = keys.sortedSet(key) ?? new SortedSet();
  if (members.size === 0) keys.put(key, members);
  const added = wanted.filter(
    (one) => !(isOnlyNew && members.score(one.member) !== undefined) && members.add(one.member, one.score),
  ).length;
  keys.written(key, members.size);
  return added;
};

const zrem: Run = ({ keys }, key, ...members) => {
  const from = keys.sortedSet(key);
  const gone = members.filter((member) => from?.remove(member)).length;
  if (from !== undefined && gone > 0) keys.written(key, from.size);
  return gone;
};

const zrange: Run = ({ keys }, key, first, last, ...words) => {
  const given = options(words, { WITHSCORES: 'alone' });
  const [begin, end] = [whole(first), whole(last)];
  const members = keys.sortedSet(key);
  const found = members?.range(begin, end) ?? [];
  return given.has('WITHSCORES')
    ? found.flatMap((member) => [member, scoreText(members?.score(member) as number)])
    : found;
};

const zcount: Run = ({ keys }, key, min, max) => {
  const [least, most] = [min, max].map((text) => score(text, 'min or max is not a float')) as [number, number];
  const members = keys.sortedSet(key);
  const isCounted = (member: string) => {
    const value = members?.score(member) as number;
    return value >= least && value <= most;
  };
  return members?.range(0, -1).filter(isCounted).length ?? 0;
};

const zpopmin: Run = ({ keys }, key) => {
  const members = keys.sortedSet(key);
  const first = members?.popMin();
  if (members === undefined || first === undefined) return [];
  keys.written(key, members.size);
  return [first.member, scoreText(first.score)];
};

const zscore: Run = ({ keys }, key, member = '') => {
  const found = keys.sortedSet(key)?.score(member);
  return found === undefined ? null : scoreText(found);
};

export const redisCommands: Readonly<Record<string, RedisCommand>> = {
  del: atLeast(1, 'write', ({ keys }, ...names) => names.filter((name) => keys.find(name) && keys.remove(name)).length),
  exists: atLeast(1, 'read', ({ keys }, ...names) => names.filter((name) => keys.find(name)).length),
  get: exactly(1, 'read', ({ keys }, key) => keys.text(key) ?? null),
  set: atLeast(2, 'grow', set),
  strlen: exactly(1, 'read', ({ keys }, key) => Buffer.byteLength(keys.text(key) ?? '')),
  incrby: exactly(2, 'grow', (redis, key, by) => add(redis, key, whole(by))),
  decrby: exactly(2, 'grow', (redis, key, by) => add(redis, key, -whole(by))),
  pttl: exactly(1, 'read', left),
  pexpire: exactly(2, 'write', (redis, key, ttlMs) => expireAt(redis, key, redis.keys.nowMs + whole(ttlMs))),
  pexpireat: exactly(2, 'write', (redis, key, atMs) => expireAt(redis, key, whole(atMs))),
  persist: exactly(1, 'write', persist),
  time: exactly(0, 'read', time),
  publish: exactly(2, 'read', (redis, channel, message = '') => redis.publish(channel, message)),
  spublish: exactly(2, 'read', (redis, channel, message = '') => redis.spublish(channel, message)),
  pubsub: atLeast(1, 'read', pubsub),

  hget: exactly(2, 'read', ({ keys }, key, field = '') => keys.hash(key)?.get(field) ?? null),
  hmget: atLeast(2, 'read', ({ keys }, key, ...fields) => {
    const hash = keys.hash(key);
    return fields.map((field) => hash?.get(field) ?? null);
  }),
  hgetall: exactly(1, 'read', (redis, key) => fieldsOf(redis, key).flat()),
  hkeys: exactly(1, 'read', (redis, key) => fieldsOf(redis, key).map(([field]) => field)),
  hlen: exactly(1, 'read', ({ keys }, key) => keys.hash(key)?.size ?? 0),
  hexists: exactly(2, 'read', ({ keys }, key, field = '') => yesOrNo(keys.hash(key)?.has(field) === true)),
  hset: atLeast(3, 'grow', hset),
  hdel: atLeast(2, 'write', hdel),
  hscan: atLeast(2, 'read', hscan),
  hrandfield: { access: 'read', least: 1, most: 2, run: hrandfield },

  lindex: exactly(2, 'read', (redis, key) => redis.lindex(key) ?? null),

  zadd: atLeast(3, 'grow', zadd),
  zrem: atLeast(2, 'write', zrem),
  zcard: exactly(1, 'read', ({ keys }, key) => keys.sortedSet(key)?.size ?? 0),
  zrange: atLeast(3, 'read', zrange),
  zcount: exactly(3, 'read', zcount),
  zpopmin: exactly(1, 'write', zpopmin),
  zrank: exactly(2, 'read', ({ keys }, key, member = '') => keys.sortedSet(key)?.rank(member) ?? null),
  zscore: exactly(2, 'read', zscore),
};
