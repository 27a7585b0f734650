import { once } from 'node:events';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { NodeConnection } from '../src/connection/node-connection.js';
import { drivenTools } from './support/driven-tools.js';

const kit = useRedis();

/** A line on a connected client of yours, whose SELECT is counted, and refused for the first `refusals` times. */
async function setUp(refusals: number) {
  const redis = new Redis({ port: kit.server.port, host: kit.server.host, db: 3, disconnectTimeout: 100 });
  kit.cleanup(() => redis.disconnect());
  await once(redis, 'ready');
  const seen = { selects: 0, ups: 0 };
  const select = redis.select.bind(redis);
  redis.select = (db: number) =>
    ++seen.selects > refusals
      ? select(db)
      : Promise.reject(Object.assign(new Error('LOADING Redis is loading'), { name: 'ReplyError' }));
  const { tools, passAll } = drivenTools();
  const listener = {
    onDown: () => undefined,
    onUp: () => seen.ups++,
    onOther: () => undefined,
    onLooked: () => undefined,
    onLastingTrouble: () => undefined,
  };
  const line = new NodeConnection('node', { redis, ownership: 'yours' }, listener, tools);
  kit.cleanup(() => line.close());
  return { line, seen, passAll };
}

describe('a connected client of yours in another database than number 0', () => {
  it('is put into it once, however many calls wait for that', async () => {
    const { line, seen } = await setUp(0);
    for (let call = 0; call < 5; call++) line.connect();
    await waitUntil(() => line.ready, { what: 'the line to be ready' });
    await line.redis.ping();
    expect(seen).toEqual({ selects: 1, ups: 1 });
  });

  it('is put into it later when that is refused for now', async () => {
    const { line, seen, passAll } = await setUp(1);
    line.connect();
    await line.redis.ping();
    line.connect();
    expect(seen).toEqual({ selects: 1, ups: 0 });
    await waitUntil(() => passAll() !== undefined && line.ready, { what: 'the line to be ready' });
    expect(seen.ups).toBe(1);
  });
});
