import { type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { direct, memoryRedis, MemoryServer } from '../src/index.js';

let server: RedisServer;
const memory = memoryRedis({
  network: direct(() => new MemoryServer({ now: () => 1_700_000_000_000 })),
  timers: { setTimer: setTimeout, clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout) },
});
beforeAll(async () => {
  server = await startPrivateRedis();
});
afterAll(async () => {
  memory.disconnect();
  await server.stop();
});

it.each([
  ['Redis', () => server.admin()],
  ['memory', () => Promise.resolve(memory)],
])('SCAN in %s tells of each key that stays, whatever goes between two pages', async (_, connect) => {
  const redis: Redis = await connect();
  const keys = Array.from({ length: 60 }, (__, index) => `key-${index}`);
  await Promise.all(keys.map((key) => redis.set(key, '1')));
  const gone = new Set<string>();
  const seen = new Set<string>();
  let cursor = '0';
  do {
    const [next, page] = await redis.scan(cursor, 'COUNT', '7');
    for (const key of page) seen.add(key);
    // What has been seen, one of it, and one that has not.
    for (const key of [page[0], keys.find((one) => !seen.has(one) && !gone.has(one))])
      if (key !== undefined && (await redis.del(key)) === 1) gone.add(key);
    cursor = next;
  } while (cursor !== '0');
  expect(gone.size).toBeGreaterThan(2);
  expect(keys.filter((key) => !seen.has(key) && !gone.has(key))).toEqual([]);
});
