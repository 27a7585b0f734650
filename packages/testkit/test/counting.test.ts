import { describe, expect, it } from '@jest/globals';
import { countCommands, seededRandom, useRedis } from '@holdfast/testkit';

const kit = useRedis();

describe('countCommands', () => {
  it('counts calls since it began, itself left out, however often it is read', async () => {
    await kit.admin.get('before');
    const counter = await countCommands(kit.admin);
    expect(await counter.delta()).toEqual({});
    await kit.admin.get('k');
    await kit.admin.get('k');
    await kit.admin.client('ID');
    expect(await counter.delta()).toEqual({ get: 2, 'client|id': 1 });
    expect(await counter.delta()).toEqual({ get: 2, 'client|id': 1 });
  });

  it('counts INFO calls that are not its own', async () => {
    const counter = await countCommands(kit.admin);
    await kit.admin.info('server');
    await counter.delta();
    expect(await counter.delta()).toEqual({ info: 1 });
  });

  it('counts a script as one eval, with what it calls beside it', async () => {
    const counter = await countCommands(kit.admin);
    await kit.admin.eval("redis.call('GET', KEYS[1]) return redis.call('GET', KEYS[1])", 1, 'k');
    expect(await counter.delta()).toEqual({ eval: 1, get: 2 });
  });
});

const draw = (seed: number): number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: 5 }, () => random.next());
};

describe('seededRandom', () => {
  it('repeats itself for a seed, and not for another', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('spreads evenly and stays within bounds', () => {
    const random = seededRandom(1);
    const counts = new Map<number, number>();
    for (let i = 0; i < 10_000; i++) {
      const drawn = random.below(4);
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect(new Set(counts.keys())).toEqual(new Set([0, 1, 2, 3]));
    for (const count of counts.values()) expect(Math.abs(count - 2_500)).toBeLessThan(200);
  });

  it('shuffles without loss and picks only what is there', () => {
    const random = seededRandom(2);
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = random.shuffled(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
    expect(items).toContain(random.pick(items));
    expect(() => random.pick([])).toThrow(RangeError);
  });
});
