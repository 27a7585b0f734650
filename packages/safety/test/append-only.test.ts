import { expect, it } from '@jest/globals';
import { readAof } from '../src/aof/parse.js';
import { singleSite } from '../src/site/single.js';

it('the append-only file of a site tells what was done since it was begun, and what there was as a state', async () => {
  const site = await singleSite(undefined);
  try {
    const redis = site.connect();
    await redis.set('before', '1', 'PX', 60_000);
    await site.appendOnly?.begin();
    await redis.set('after', '1', 'PX', 60_000);
    const told = [...readAof(site.appendOnly?.folder ?? '')].flatMap(({ commands, isBase }) =>
      commands.flatMap(([name, key = '']) => (name === 'SET' ? [{ key, isBase }] : [])),
    );
    expect(told).toEqual([
      { key: 'before', isBase: true },
      { key: 'after', isBase: false },
    ]);
    redis.disconnect();
  } finally {
    await site.stop();
  }
});
