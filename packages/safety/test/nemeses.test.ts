import { faultProxy, seededRandom, startPrivateRedis, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { framesCut } from '../src/faults/frames-cut.js';
import { answersSwapped } from '../src/faults/answers-swapped.js';
import type { Arena } from '../src/faults/nemesis.js';
import { repliesLost } from '../src/faults/replies-lost.js';

const kit = useRedis(startPrivateRedis);

describe.each([repliesLost, framesCut, answersSwapped])('the nemesis $name', (nemesis) => {
  it('leaves nothing behind where nobody sent anything: a replica that becomes master later works', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const arena = {
      paths: [{ proxies: [proxy] }],
      random: seededRandom(1),
      pause: () => Promise.resolve(),
      note: () => undefined,
    } as unknown as Arena;
    for (let i = 0; i < 10; i++) await nemesis.strike(arena);
    const redis = new Redis(proxy.url, { maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined);
    kit.cleanup(() => redis.disconnect());
    expect(await redis.eval('return 1', 0)).toBe(1);
    expect([proxy.repliesLost, proxy.cuts, proxy.swaps]).toEqual([0, 0, 0]);
  });
});
