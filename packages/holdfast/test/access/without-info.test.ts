import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { openRedis } from '../../src/connection/redis-input.js';
import type { RedisInput } from '../../src/options.js';
import { openClient } from '../support/clients.js';
import { proxyWithoutInfo } from '../support/proxy-without-info.js';

const kit = useRedis();

describe('what does not know INFO, and says so', () => {
  it.each<[string, (port: number) => RedisInput]>([
    ['a URL', (port) => `redis://localhost:${port}`],
    ['options', (port) => ({ port })],
    ['a URL without the check', (port) => `redis://localhost:${port}?enableReadyCheck=false`],
  ])('keeps locks like any other: by %s', async (_, redis) => {
    const { port, asked } = await proxyWithoutInfo(kit, 'says so');
    const client = openClient(kit, { redis: redis(port) });
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    await client.connect();
    expect(client.ready).toBe(true);
    expect(await client.getLock(`it-${port}`).withLock(() => 'in')).toBe('in');
    expect(await client.getLock(`it-${port}`).forceUnlock()).toBe(false);
    expect({ errors, wasAsked: asked.info > 0 }).toEqual({ errors: [], wasAsked: true });
    await client.close();
  });
});

describe('a proxy that ends a connection at INFO', () => {
  it('is spared that by the next connection where ioredis is not to check either: spin locks work', async () => {
    const { port, asked } = await proxyWithoutInfo(kit, 'ends the connection');
    const client = openClient(kit, { redis: { port, enableReadyCheck: false } });
    expect(await client.getSpinLock(`spin-${port}`).withLock({ waitMs: 10_000 }, () => 'in')).toBe('in');
    expect(asked.info).toBe(1);
    await client.close();
  });
});

it('a switch in the query of a URL is off where it says false, and a text of that word is a text', () => {
  const query = 'enableReadyCheck=false&readOnly=false&autoResubscribe=true&keyPrefix=false';
  const { redis } = openRedis(`redis://:false@localhost:1/?${query}`) as { redis: Redis };
  kit.cleanup(() => redis.disconnect());
  const { options } = redis;
  expect(options).toMatchObject({ enableReadyCheck: false, readOnly: false, keyPrefix: 'false', password: 'false' });
  expect(options.autoResubscribe).toBeTruthy();
});
