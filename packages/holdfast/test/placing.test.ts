import { once } from 'node:events';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { NodeConnection } from '../src/connection/node-connection.js';
import type { OwnedRedis } from '../src/connection/connection.js';
import { drivenTools } from './support/driven-tools.js';

const kit = useRedis();

const refused = () => Promise.reject(Object.assign(new Error('LOADING Redis is loading'), { name: 'ReplyError' }));
const unanswered = () => new Promise<never>(() => undefined);

/** A line on a connected client, whose SELECT is counted, and the first of which come to `firsts`. */
async function setUp(firsts: readonly (() => Promise<'OK'>)[], ownership: OwnedRedis['ownership'] = 'yours') {
  const redis = new Redis({ port: kit.server.port, host: kit.server.host, db: 3, disconnectTimeout: 100 });
  kit.cleanup(() => redis.disconnect());
  await once(redis, 'ready');
  const seen = { selects: 0, ups: 0 };
  const select = redis.select.bind(redis);
  redis.select = (db: number) => (firsts[seen.selects++] ?? (() => select(db)))();
  const { tools, passAll } = drivenTools();
  /** Whether it took commands, each time that it was said to be up. */
  const readyThen: boolean[] = [];
  const listener = {
    onDown: () => undefined,
    onUp: () => {
      seen.ups++;
      readyThen.push(line.ready);
    },
    onOther: () => undefined,
    onLooked: () => undefined,
    onLastingTrouble: () => undefined,
  };
  const line = new NodeConnection('node', { redis, ownership }, listener, tools);
  kit.cleanup(() => line.close());
  return { line, seen, readyThen, passAll };
}

describe('a connected client of yours in another database than number 0', () => {
  it('is put into it once, however many calls wait for that', async () => {
    const { line, seen } = await setUp([]);
    for (let call = 0; call < 5; call++) line.connect();
    await waitUntil(() => line.ready, { what: 'the line to be ready' });
    await line.redis.ping();
    expect(seen).toEqual({ selects: 1, ups: 1 });
  });

  it('is put into it later when that is refused for now', async () => {
    const { line, seen, passAll } = await setUp([refused]);
    line.connect();
    await line.redis.ping();
    line.connect();
    expect(seen).toEqual({ selects: 1, ups: 0 });
    await waitUntil(() => passAll() !== undefined && line.ready, { what: 'the line to be ready' });
    expect(seen.ups).toBe(1);
  });
});

it('a connection of our own that falls silent before it is in its database is replaced', async () => {
  const { line, passAll } = await setUp([unanswered], 'ours');
  line.connect();
  await waitUntil(() => passAll() !== undefined && line.epoch > 0, { what: 'the end of the silent one' });
  await waitUntil(() => line.ready || void passAll(), { what: 'another connection' });
});

it('a connection of our own that is being replaced takes no commands, also when it is said to be in its database after all', async () => {
  let answer: (said: 'OK') => void = () => undefined;
  const { line, readyThen } = await setUp([() => new Promise((resolve) => (answer = resolve))], 'ours');
  line.connect();
  line.recycle();
  answer('OK');
  await waitUntil(() => line.ready, { what: 'another connection' });
  expect(readyThen).toEqual([false, true]);
});

it('a connection of our own that falls silent before its server has said what it is is replaced, though no call has sent anything', async () => {
  const { line, passAll } = await setUp([], 'ours');
  const { redis } = line;
  const info = redis.info.bind(redis);
  redis.info = () => {
    redis.info = info;
    return unanswered();
  };
  line.connect();
  await waitUntil(() => passAll() !== undefined && line.epoch > 0, { what: 'the end of the silent one' });
  // Where the machine is slow, the time that was let pass has ended the next one too.
  await waitUntil(() => line.takesLocks || void passAll(), { what: 'another connection' });
});
