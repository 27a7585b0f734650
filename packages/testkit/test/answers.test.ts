import { describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { driveTime, faultProxy, useRedis, waitUntil } from '../src/index.js';

const kit = useRedis();

/** A connection whose answers the test can keep back, in time that the test drives. Whatever is unanswered for a second has failed. */
async function setUp(options: RedisOptions = {}) {
  const { host, port } = kit.server;
  const proxy = await faultProxy({ target: { host, port } });
  kit.cleanup(() => proxy.close());
  const time = driveTime(kit);
  const redis = new Redis(proxy.url, { commandTimeout: 1_000, retryStrategy: () => null, ...options });
  redis.on('error', () => undefined);
  kit.cleanup(() => redis.disconnect());
  return { proxy, time, redis };
}

describe('driven time', () => {
  it('does not go on before a server has answered what it was asked', async () => {
    const { proxy, time, redis } = await setUp();
    await redis.ping();
    proxy.hold('down');
    const answer = redis.ping();
    const from = time.now();
    const later = time.advance(20_000);
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the answer' });
    expect(time.now()).toBe(from);
    await proxy.heal();
    await later;
    expect(await answer).toBe('PONG');
  });

  it('does not go on while a connection is being made, nor before what waits for it is answered', async () => {
    const { time, redis } = await setUp();
    const answers = redis.ping().then(async (first) => [first, await redis.ping()]);
    await time.advance(20_000);
    expect(await answers).toEqual(['PONG', 'PONG']);
  });

  it('waits for what a timer asks before it comes to the next timer', async () => {
    const { time, redis } = await setUp();
    const seen: string[] = [];
    setTimeout(() => void redis.ping().then((answer) => seen.push(answer)), 5_000);
    setTimeout(() => seen.push('the next timer'), 5_001);
    await time.advance(20_000);
    expect(seen).toEqual(['PONG', 'the next timer']);
  });

  it('goes on when a server says nothing, and when the connection has ended', async () => {
    const { proxy, time, redis } = await setUp();
    await redis.ping();
    proxy.drop('down');
    const answer = redis.ping();
    const failure = expect(answer).rejects.toThrow('Command timed out');
    await time.advance(1_000);
    await failure;
    proxy.reset();
    await waitUntil(() => redis.status === 'end', { what: 'the end' });
    await time.advance(1_000);
  });

  it('goes on although there is always something unanswered', async () => {
    const { time, redis } = await setUp({ commandTimeout: 60_000 });
    let isOver = false;
    const talk = async () => {
      while (!isOver) await redis.ping();
    };
    const talks = [talk(), talk()];
    await time.advance(20_000);
    isOver = true;
    await Promise.all(talks);
  });
});
