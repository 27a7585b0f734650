import { type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import type { ScriptPort } from '../../src/index.js';

export type Message = readonly [channel: string, message: string];

export function scriptPort(client: Redis): ScriptPort {
  return {
    evalsha: (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
    eval: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
  };
}

/**
 * A private server for one test file, emptied after each test. Every test fails that leaves a key without TTL behind,
 * except keys it names with `expectLasting`.
 */
export class LockServer {
  #server: RedisServer | undefined;
  #main: Redis | undefined;
  #clients: Redis[] = [];
  #lasting = new Set<string>();
  #markers = 0;

  get redis(): Redis {
    if (this.#main === undefined) throw new Error('the server runs from beforeAll to afterAll');
    return this.#main;
  }

  get port(): ScriptPort {
    return scriptPort(this.redis);
  }

  async start(args: string[]): Promise<void> {
    this.#server = await startPrivateRedis({ args });
    this.#main = this.#open({});
  }

  async stop(): Promise<void> {
    this.#main?.disconnect();
    await this.#server?.stop();
  }

  /** Another connection, closed after the test. */
  connect(options: RedisOptions = {}): Redis {
    const client = this.#open(options);
    this.#clients.push(client);
    return client;
  }

  expectLasting(...keys: string[]): void {
    for (const key of keys) this.#lasting.add(key);
  }

  /** Records what arrives on the channels; `received()` waits for everything that was published before it. */
  async listen(...channels: string[]): Promise<{ received(): Promise<Message[]> }> {
    const subscriber = this.connect();
    const marker = `marker:${++this.#markers}`;
    let messages: Message[] = [];
    let atMarker = () => {};
    subscriber.on('message', (channel, message) => {
      if (channel === marker) atMarker();
      else messages.push([channel, message]);
    });
    await subscriber.subscribe(marker, ...channels);
    return {
      received: async () => {
        const reached = new Promise<void>((resolve) => {
          atMarker = resolve;
        });
        await this.redis.publish(marker, '');
        await reached;
        const received = messages;
        messages = [];
        return received;
      },
    };
  }

  async cleanUp(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.disconnect();
    const keys = await this.redis.keys('*');
    const lasting: string[] = [];
    for (const key of keys) if ((await this.redis.pttl(key)) === -1 && !this.#lasting.has(key)) lasting.push(key);
    this.#lasting.clear();
    await this.redis.flushall();
    expect(lasting).toEqual([]);
  }

  #open(options: RedisOptions): Redis {
    if (this.#server === undefined) throw new Error('not started');
    return new Redis({ port: this.#server.port, host: this.#server.host, ...options });
  }
}

export function useLockServer(...args: string[]): LockServer {
  const server = new LockServer();
  beforeAll(() => server.start(args));
  afterEach(() => server.cleanUp());
  afterAll(() => server.stop());
  return server;
}
