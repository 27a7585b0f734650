/** Redisson's clients wait for permits until they are told of some: whoever makes room tells them. */
import { expect, it } from '@jest/globals';
import { permits, run, semaphoreKeys } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const keys = semaphoreKeys('stock');
const asking = { leaseMs: 60_000, ticket: 0, freshTtlMs: 30_000, claimMs: 3_000, trust: true };
const ask = (tenure: string, options: { wanted: number; freshMs: number; initial?: number }) =>
  run(server.port, permits.ask(keys, { tenure, initial: 0, ...asking, ...options }));

it.each([
  ['is tried', 0],
  ['is waited for', 20_000],
])('they hear of a semaphore that begins when it %s, and of what is left of it', async (_, freshMs) => {
  server.expectLasting(keys.count, keys.permits);
  const channel = await server.listen(keys.releaseChannel);
  expect(await ask('a:1', { wanted: 1, freshMs, initial: 5 })).toMatchObject({ kind: 'acquired' });
  expect(await channel.received()).toEqual([[keys.releaseChannel, '4']]);
});

it('they hear of permits whose lease has ended, when a holder finds that by asking once more', async () => {
  server.expectLasting(keys.count, keys.permits);
  await server.redis.set(keys.count, 5);
  await ask('a:1', { wanted: 1, freshMs: 0 });
  await ask('b:1', { wanted: 2, freshMs: 0 });
  await server.redis.hset(keys.permits, 'b:1', '2 1', 'sweep', '1');
  const channel = await server.listen(keys.releaseChannel);
  expect(await ask('a:1', { wanted: 1, freshMs: 0 })).toMatchObject({ kind: 'mine' });
  expect(await channel.received()).toEqual([[keys.releaseChannel, '4']]);
});
