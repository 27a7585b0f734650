/**
 * The commands of Redis that the scripts use, as a script sees them: each one may be refused by the server's present trouble, and from the first
 * write on a full server refuses none of them (so Redis does, and the scripts are built on it).
 *
 * They throw an {@link ErrorReply}, as `redis.call` raises one; `redis.pcall` is a `try` around them.
 */

import type { Keyspace } from './keyspace.js';
import { ErrorReply, notAnInteger, wrongType } from './reply.js';
import { SortedSet } from './sorted-set.js';
import { sumOf } from './whole-number.js';

/** Reads, writes, and writes that may need more memory. */
export type Access = 'read' | 'write' | 'grow';

/** Refuses a command by throwing, or lets it pass. `wrote`: the script has written before. */
export type Hindrance = (command: string, access: Access, wrote: boolean) => void;

/** What a script needs of its server beside keys. */
export interface Outlet {
  publish(kind: 'plain' | 'sharded', channel: string, message: string): number;
  /** How many connections listen to a plain channel. */
  count(channel: string): number;
}

/** Fields of a hash, as Redis is set by default. */
const IN_ONE_PIECE = 512;

/** See the module comment; one for each server, begun anew for each command. */
export class Commands {
  readonly #outlet: Outlet;
  /** What stands in the way of commands now; undefined on a server in order. */
  hindrance: Hindrance | undefined;
  #keys!: Keyspace;
  #nowMicros = 0;
  #wrote = false;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  begin(keys: Keyspace, nowMicros: number): void {
    this.#keys = keys;
    this.#nowMicros = nowMicros;
    this.#wrote = false;
    keys.nowMs = Math.floor(nowMicros / 1_000);
  }

  /** The keys themselves, for what no command of Redis would be refused for. */
  get keys(): Keyspace {
    return this.#keys;
  }

  /** Server time in whole milliseconds. */
  timeMs(): number {
    return Math.floor(this.timeMicros() / 1_000);
  }

  /** A script that looks at the clock again finds that it has gone on. */
  timeMicros(): number {
    this.#enter('time', 'read');
    return this.#nowMicros++;
  }

  exists(key: string): boolean {
    this.#enter('exists', 'read');
    return this.#keys.find(key) !== undefined;
  }

  /** Those of these keys that are there. */
  existing(...keys: readonly string[]): ReadonlySet<string> {
    this.#enter('exists', 'read');
    return new Set(keys.filter((key) => this.#keys.find(key) !== undefined));
  }

  /** Whether there is any of these. */
  existsAny(one: string, two: string, three: string): boolean {
    this.#enter('exists', 'read');
    const keys = this.#keys;
    return keys.find(one) !== undefined || keys.find(two) !== undefined || keys.find(three) !== undefined;
  }

  del(key: string): boolean {
    this.#enter('del', 'write');
    return this.#keys.remove(key);
  }

  get(key: string): string | undefined {
    this.#enter('get', 'read');
    return this.#keys.text(key);
  }

  strlen(key: string): number {
    this.#enter('strlen', 'read');
    return this.#keys.text(key)?.length ?? 0;
  }

  /** SET with PX; without `ttlMs` it stays. */
  set(key: string, value: string, ttlMs = Number.POSITIVE_INFINITY): void {
    this.#enter('set', 'grow');
    this.#keys.put(key, value, this.#keys.nowMs + ttlMs);
  }

  /** SET with KEEPTTL and GET: returns what was there. */
  setKeepingTtl(key: string, value: string): string | undefined {
    this.#enter('set', 'grow');
    const before = this.#keys.text(key);
    this.#keys.put(key, value, this.#keys.find(key)?.endsAt);
    return before;
  }

  /** Returns the sum. */
  incrby(key: string, by: number): number {
    this.#enter('incrby', 'grow');
    return this.#add(key, by);
  }

  #add(key: string, by: number): number {
    const sum = sumOf(this.#keys.text(key) ?? '0', by);
    this.#keys.put(key, `${sum}`, this.#keys.find(key)?.endsAt);
    return Number(sum);
  }

  /** Returns what is left. */
  decrby(key: string, by: number): number {
    this.#enter('decrby', 'grow');
    return this.#add(key, -by);
  }

  /** -2: no such key, -1: no TTL. */
  pttl(key: string): number {
    this.#enter('pttl', 'read');
    const entry = this.#keys.find(key);
    if (entry === undefined) return -2;
    return entry.endsAt === Number.POSITIVE_INFINITY ? -1 : entry.endsAt - this.#keys.nowMs;
  }

  /** @param ttl - in milliseconds; as a text, as a script hands it on, it must be written as Redis writes whole numbers. */
  pexpire(key: string, ttl: number | string): boolean {
    this.#enter('pexpire', 'write');
    const ttlMs = Number(ttl);
    if (typeof ttl === 'string' && `${ttlMs}` !== ttl) throw notAnInteger();
    if (ttlMs <= 0) return this.#keys.remove(key);
    return this.#keys.expire(key, this.#keys.nowMs + ttlMs);
  }

  persist(key: string): boolean {
    this.#enter('persist', 'write');
    return this.#keys.expire(key, Number.POSITIVE_INFINITY);
  }

  /** The hash itself: not for changing. */
  hgetall(key: string): ReadonlyMap<string, string> | undefined {
    this.#enter('hgetall', 'read');
    return this.#keys.hash(key);
  }

  hlen(key: string): number {
    this.#enter('hlen', 'read');
    return this.#keys.hash(key)?.size ?? 0;
  }

  /** HSCAN from the beginning: all of a hash that Redis keeps in one piece, or so many fields, those that were written first. */
  hscan(key: string, count: number): [field: string, value: string][] {
    this.#enter('hscan', 'read');
    const fields = [...(this.#keys.hash(key) ?? [])];
    return fields.length <= IN_ONE_PIECE ? fields : fields.slice(0, count);
  }

  hkeys(key: string): string[] {
    this.#enter('hkeys', 'read');
    return [...(this.#keys.hash(key) ?? new Map<string, string>()).keys()];
  }

  /** HRANDFIELD: those that were written first. Redis draws them, or gives all of a hash that has no more. */
  hrandfield(key: string, count: number): string[] {
    this.#enter('hrandfield', 'read');
    return [...(this.#keys.hash(key) ?? new Map<string, string>()).keys()].slice(0, count);
  }

  /** As {@link hgetall}, for who reads some fields. */
  hmget(key: string): ReadonlyMap<string, string> | undefined {
    this.#enter('hmget', 'read');
    return this.#keys.hash(key);
  }

  hget(key: string, field: string): string | undefined {
    this.#enter('hget', 'read');
    return this.#keys.hash(key)?.get(field);
  }

  hexists(key: string, field: string): boolean {
    this.#enter('hexists', 'read');
    return this.#keys.hash(key)?.has(field) === true;
  }

  /** Returns how many of the fields are new. */
  hset(key: string, ...pairs: readonly string[]): number {
    this.#enter('hset', 'grow');
    let hash = this.#keys.hash(key);
    if (hash === undefined) {
      hash = new Map();
      this.#keys.put(key, hash);
    }
    const before = hash.size;
    for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] as string, pairs[at + 1] as string);
    this.#keys.written(key, hash.size);
    return hash.size - before;
  }

  hdel(key: string, ...fields: readonly string[]): number {
    this.#enter('hdel', 'write');
    const hash = this.#keys.hash(key);
    if (hash === undefined) return 0;
    let gone = 0;
    for (const field of fields) if (hash.delete(field)) gone++;
    if (gone > 0) this.#keys.written(key, hash.size);
    return gone;
  }

  zcard(key: string): number {
    this.#enter('zcard', 'read');
    return this.#keys.sortedSet(key)?.size ?? 0;
  }

  zadd(key: string, score: number, member: string): boolean {
    this.#enter('zadd', 'grow');
    let set = this.#keys.sortedSet(key);
    if (set === undefined) {
      set = new SortedSet();
      this.#keys.put(key, set);
    }
    const isNew = set.add(member, score);
    this.#keys.written(key, set.size);
    return isNew;
  }

  /** `ZADD NX`: leaves a member that is there alone. */
  zaddNew(key: string, score: number, member: string): boolean {
    this.#enter('zadd', 'grow');
    return this.#keys.sortedSet(key)?.score(member) === undefined && this.zadd(key, score, member);
  }

  zrem(key: string, ...members: readonly string[]): number {
    this.#enter('zrem', 'write');
    const set = this.#keys.sortedSet(key);
    if (set === undefined) return 0;
    let gone = 0;
    for (const member of members) if (set.remove(member)) gone++;
    if (gone > 0) this.#keys.written(key, set.size);
    return gone;
  }

  zscore(key: string, member: string): number | undefined {
    this.#enter('zscore', 'read');
    return this.#keys.sortedSet(key)?.score(member);
  }

  zrank(key: string, member: string): number | undefined {
    this.#enter('zrank', 'read');
    return this.#keys.sortedSet(key)?.rank(member);
  }

  zrange(key: string, first: number, last: number): string[] {
    this.#enter('zrange', 'read');
    return this.#keys.sortedSet(key)?.range(first, last) ?? [];
  }

  /** ZRANGE with WITHSCORES. */
  zrangeWithScores(key: string, first: number, last: number): { member: string; score: number }[] {
    this.#enter('zrange', 'read');
    const set = this.#keys.sortedSet(key);
    if (set === undefined) return [];
    return set.range(first, last).map((member) => ({ member, score: set.score(member) as number }));
  }

  /** ZCOUNT up to the highest score there is. */
  zcount(key: string, min: number): number {
    this.#enter('zcount', 'read');
    const set = this.#keys.sortedSet(key);
    return set === undefined ? 0 : set.range(0, -1).filter((member) => (set.score(member) as number) >= min).length;
  }

  zpopmin(key: string): { member: string; score: number } | undefined {
    this.#enter('zpopmin', 'write');
    const set = this.#keys.sortedSet(key);
    if (set === undefined) return undefined;
    const popped = set.popMin();
    this.#keys.written(key, set.size);
    return popped;
  }

  /** LINDEX, of a key that is no list: there are none. */
  lindex(key: string): undefined {
    this.#enter('lindex', 'read');
    if (this.#keys.find(key) !== undefined) throw wrongType();
  }

  /** Returns how many connections have heard it. */
  publish(channel: string, message: string): number {
    this.#enter('publish', 'read');
    return this.#outlet.publish('plain', channel, message);
  }

  spublish(channel: string, message: string): number {
    this.#enter('spublish', 'read');
    return this.#outlet.publish('sharded', channel, message);
  }

  /** PUBSUB NUMSUB of one channel. */
  numsub(channel: string): number {
    this.#enter('pubsub', 'read');
    return this.#outlet.count(channel);
  }

  /** Lets a command pass that is none of these, or throws what refuses it. */
  enter(command: string, access: Access): void {
    this.#enter(command, access);
  }

  #enter(command: string, access: Access): void {
    this.hindrance?.(command, access, this.#wrote);
    if (access !== 'read') this.#wrote = true;
  }
}

/** What `redis.pcall` gives a script: the value, or the refusal. */
export function attempt<T>(step: () => T): T | ErrorReply {
  try {
    return step();
  } catch (error) {
    if (error instanceof ErrorReply) return error;
    throw error;
  }
}
