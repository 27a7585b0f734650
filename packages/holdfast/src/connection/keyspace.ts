import type { Redis } from 'ioredis';
import { addressOf, noConnection } from './trouble.js';

/** The keys of a server that keeps locks, for what is no matter of locks: plain commands, sent once. Rejects at once where there is no connection. */
export interface Keyspace {
  /** Where that server is, without user and password. */
  readonly address: string;
  /**
   * Some of the keys that match the pattern and are hashes, prefixes included, and where to go on: `0` when that was all. Some keys come twice.
   */
  hashes(cursor: string, pattern: string): Promise<{ next: string; keys: readonly string[] }>;
  /** How many listen to a channel at that server. */
  listeners(channel: string): Promise<number>;
  /** Server time, in milliseconds since 1970. */
  time(): Promise<number>;
  get(key: string): Promise<string | null>;
  put(key: string, value: string, ttlMs: number): Promise<unknown>;
  remove(key: string): Promise<unknown>;
}

/** So many keys are looked at in one step: a server is kept from others for less than a millisecond. */
const PAGE = 500;

/** A connection as the way to keys. */
export interface KeyspaceConnection {
  readonly redis: Redis;
  readonly ready: boolean;
  readonly trouble: Error | undefined;
}

/** See {@link Keyspace}. */
export class ConnectedKeyspace implements Keyspace {
  readonly #connection: KeyspaceConnection;

  constructor(connection: KeyspaceConnection) {
    this.#connection = connection;
  }

  get address(): string {
    return addressOf(this.#connection.redis);
  }

  async hashes(cursor: string, pattern: string): Promise<{ next: string; keys: readonly string[] }> {
    const page: unknown = await this.#redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', PAGE, 'TYPE', 'hash');
    const [next, keys] = page as [string, string[]];
    return { next, keys };
  }

  async listeners(channel: string): Promise<number> {
    const [, count] = await this.#redis.pubsub('NUMSUB', channel);
    return Number(count);
  }

  async time(): Promise<number> {
    const [seconds = 0, micros = 0] = (await this.#redis.time()).map(Number);
    return seconds * 1_000 + micros / 1_000;
  }

  async get(key: string): Promise<string | null> {
    return this.#redis.get(key);
  }

  async put(key: string, value: string, ttlMs: number): Promise<unknown> {
    return this.#redis.set(key, value, 'PX', ttlMs);
  }

  async remove(key: string): Promise<unknown> {
    return this.#redis.del(key);
  }

  get #redis(): Redis {
    const { redis, ready, trouble } = this.#connection;
    if (!ready) throw trouble ?? new Error(noConnection);
    return redis;
  }
}
