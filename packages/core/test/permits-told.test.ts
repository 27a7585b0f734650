/** Redisson's clients wait for permits until they are told of some: whoever makes room tells them. */
import { describe, expect, it } from '@jest/globals';
import { inboxChannel, permits, run, semaphoreKeys } from '../src/index.js';
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

describe('of permits that were kept for a tenure which wants more', () => {
  const release = (tenure: string) =>
    run(server.port, permits.release(keys, { tenure, tombstoneMs: 0, claimMs: 3_000, trust: true }));

  /** Of four permits two are free; `big:1` waits for three. */
  const kept = async () => {
    server.expectLasting(keys.count, keys.permits);
    await server.redis.set(keys.count, 4);
    await ask('a:1', { wanted: 2, freshMs: 0 });
    const inbox = await server.listen(inboxChannel('big'));
    expect(await ask('big:1', { wanted: 3, freshMs: 20_000 })).toMatchObject({ kind: 'wait' });
    expect(await inbox.received()).toEqual([]);
    return server.listen(keys.releaseChannel);
  };

  it('they hear when it gives up', async () => {
    const channel = await kept();
    await release('big:1');
    expect(await channel.received()).toEqual([[keys.releaseChannel, '2']]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['somebody else asks', () => ask('c:1', { wanted: 1, freshMs: 20_000 })],
    ['somebody else tries', () => ask('c:1', { wanted: 1, freshMs: 0 })],
  ])('they hear when it has gone and %s', async (_, look) => {
    const channel = await kept();
    await server.redis.hset(keys.fresh, 'big:1', '1 60000 3');
    expect(await look()).toMatchObject({ kind: 'acquired' });
    expect(await channel.received()).toEqual([[keys.releaseChannel, '1']]);
  });

  it('they hear when it has gone and a holder asks once more', async () => {
    const channel = await kept();
    await server.redis.hset(keys.fresh, 'big:1', '1 60000 3');
    expect(await ask('a:1', { wanted: 2, freshMs: 0 })).toMatchObject({ kind: 'mine' });
    expect(await channel.received()).toEqual([[keys.releaseChannel, '2']]);
  });
});
