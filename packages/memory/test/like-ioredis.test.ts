/** A connection in memory beside one of ioredis: the same calls, the same states, events, answers and rejections, in the same order. */
import { type RedisServer, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { direct, memoryRedis, MemoryServer, type Timers } from '../src/index.js';

/** Fast, so that nothing waits for real time. */
const options: RedisOptions = { lazyConnect: true, retryStrategy: () => 5, disconnectTimeout: 50 };
const EVENTS = ['connecting', 'connect', 'ready', 'close', 'reconnecting', 'end'] as const;

let server: RedisServer;
beforeAll(async () => {
  server = await startPrivateRedis();
});
afterAll(() => server.stop());

/** One of the two worlds: how to connect, and how the server ends all connections. */
interface Kind {
  readonly open: (more?: RedisOptions) => Redis;
  readonly hangUp: (redis: Redis) => Promise<unknown>;
  /** Until the returned function is called the server answers nothing but BUSY. */
  readonly keepBusy: () => Promise<() => Promise<unknown>>;
}

const isBusy = (error: Error): boolean => error.message.startsWith('BUSY');

function onRedis(): Kind {
  return {
    open: (more) => new Redis({ host: server.host, port: server.port, ...options, ...more }),
    hangUp: async () => (await server.admin()).call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
    keepBusy: async () => {
      const admin = await server.admin();
      await admin.config('SET', 'busy-reply-threshold', '1');
      const runner = new Redis({ host: server.host, port: server.port });
      const run = runner.eval('while true do end', 0).catch(() => undefined);
      await waitUntil(() => admin.ping().then(() => false, isBusy), { what: 'the server to be busy' });
      return async () => {
        await admin.script('KILL');
        await run;
        runner.disconnect();
      };
    },
  };
}

function inMemory(): Kind {
  const timers: Timers<NodeJS.Timeout> = { setTimer: (run, ms) => setTimeout(run, ms), clearTimer: clearTimeout };
  const memory = new MemoryServer({
    now: () => 1_700_000_000_000 + performance.now(),
    timers: timers as Timers,
  });
  const network = direct(() => memory);
  return {
    open: (more) => memoryRedis({ network, timers: timers as Timers }, { ...options, ...more }),
    hangUp: async () => memory.hangUp(),
    keepBusy: async () => {
      const end = memory.refuse({ code: 'BUSY' });
      return async () => end();
    },
  };
}

function recorded(redis: Redis): string[] {
  const seen: string[] = [];
  for (const event of EVENTS) redis.on(event, () => seen.push(event));
  redis.on('error', () => undefined);
  return seen;
}

const settled = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error: Error) => `${error.name}: ${error.message.slice(0, 60)}`,
  );

/** What is done with a connection; what it returns is compared. */
const scenes: Record<string, (kind: Kind) => Promise<unknown>> = {
  'connects, answers in order, and ends': async ({ open }) => {
    const redis = open();
    const seen = recorded(redis);
    const before = [redis.status, redis.mode, redis.isCluster];
    await redis.connect();
    const twice = await settled(redis.connect());
    const answers = await Promise.all([
      ...[redis.set('a', '1'), redis.get('a'), redis.hset('h', { b: '2', c: '3' }), redis.hgetall('h')],
      ...[redis.get('none'), redis.exists('a', 'h'), redis.pttl('a'), redis.type('h'), redis.del('a', 'h')],
    ]);
    redis.disconnect();
    await waitUntil(() => redis.status === 'end', { what: 'the end' });
    const late = await settled(redis.get('a'));
    return { before, twice, answers, late, seen };
  },

  'is refused by name': async ({ open }) => {
    const redis = open();
    await redis.set('text', 'x');
    const found = await settled(redis.hgetall('text'));
    const unknown = await settled(redis.evalsha('0'.repeat(40), 0));
    await redis.del('text');
    redis.disconnect();
    return { found, unknown };
  },

  'comes back when the server hangs up, and sends again what it may': async (kind) => {
    const redis = kind.open();
    const seen = recorded(redis);
    await redis.connect();
    await kind.hangUp(redis);
    const answer = await redis.set('back', '1');
    await redis.del('back');
    await waitUntil(() => redis.status === 'ready', { what: 'ready again' });
    redis.disconnect();
    await waitUntil(() => redis.status === 'end', { what: 'the end' });
    return { answer, seen };
  },

  'sends again what was in flight, whatever connections were refused before it is ready': async ({
    open,
    keepBusy,
  }) => {
    const redis = open({ maxRetriesPerRequest: null });
    let refused = 0;
    redis.on('error', (error) => {
      if (isBusy(error)) refused++;
    });
    await redis.connect();
    const call = settled(redis.call('WAIT', '1', '200'));
    // It has arrived when one that was sent later is answered.
    const other = open();
    await other.ping();
    other.disconnect();
    const calm = await keepBusy();
    redis.disconnect(true);
    await waitUntil(() => refused >= 2, { what: 'two connections to be refused' });
    await calm();
    const answer = await call;
    redis.disconnect();
    return answer;
  },

  'queues nothing while it is offline, where that is wished': async ({ open }) => {
    const redis = open({ enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    recorded(redis);
    const early = await settled(redis.get('a'));
    await waitUntil(() => redis.status === 'ready', { what: 'ready' });
    const ready = await settled(redis.get('a'));
    redis.disconnect();
    return { early, ready };
  },

  'rejects what is in flight when it is ended': async ({ open }) => {
    const redis = open({ enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    recorded(redis);
    await redis.connect();
    // WAIT for a replica that does not exist is in flight for as long as it is given.
    const call = settled(redis.call('WAIT', '1', '10000'));
    const behind = settled(redis.get('a'));
    redis.disconnect();
    return [await call, await behind];
  },

  'gives up when told so': async (kind) => {
    const redis = kind.open({ retryStrategy: () => null });
    const seen = recorded(redis);
    await redis.connect();
    await kind.hangUp(redis);
    await waitUntil(() => redis.status === 'end', { what: 'the end' });
    return seen;
  },

  'hears channels, and again after it has come back': async (kind) => {
    const [redis, speaker] = [kind.open(), kind.open()];
    recorded(redis);
    recorded(speaker);
    const heard: string[] = [];
    redis.on('message', (channel: string, message: string) => heard.push(`${channel} ${message}`));
    const counts = [await redis.subscribe('one', 'two'), await redis.unsubscribe('two')];
    const first = await speaker.publish('one', 'hello');
    await kind.hangUp(redis);
    redis.disconnect(true);
    await waitUntil(async () => (await speaker.publish('one', 'again')) === 1, { what: 'it listens again' });
    await waitUntil(() => heard.includes('one again'), { what: 'it hears' });
    redis.disconnect();
    speaker.disconnect();
    return { counts, first, heard };
  },

  'puts its prefix before keys, and keeps databases apart': async ({ open }) => {
    const [prefixed, plain, other] = [open({ keyPrefix: 'app:' }), open(), open({ db: 3 })];
    await prefixed.set('x', '1');
    const answers = [await plain.get('app:x'), await other.get('app:x'), await plain.get('x')];
    await prefixed.del('x');
    for (const redis of [prefixed, plain, other]) redis.disconnect();
    return answers;
  },
};

describe('a connection in memory is like one of ioredis: it', () => {
  it.each(Object.entries(scenes))('%s', async (_, scene) => {
    const expected = await scene(onRedis());
    await expect(scene(inMemory())).resolves.toEqual(expected);
  });
});
