/** Permits with ids whose issue is not answered: nobody knows those ids, so the client that made them gives them back. */
import { direct, memoryRedis, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { type LockClient, LockUnavailableError, type RPermitExpirableSemaphore } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;

/** A server that goes silent as soon as it has let a call have permits: it issues the ids, and its answer does not arrive. */
async function setUp() {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const way = { isOpen: true, isSilent: false, fallsSilent: false };
  const reached = direct(() => (way.isOpen ? server : undefined));
  const network: Network = {
    dial: (address, listener) =>
      reached.dial(address, {
        onOpen: () => listener.onOpen(),
        onClose: (error) => listener.onClose(error),
        onFrame: (frame) => {
          if (way.isSilent) return;
          way.isSilent = way.fallsSilent && JSON.stringify(frame).includes('acquired');
          listener.onFrame(frame);
        },
      }),
  };
  const open = (through: Network): LockClient => {
    const redis = () =>
      memoryRedis(
        { network: through, timers: clock },
        { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      );
    const openRedis = () => ({ kind: 'node', redis: redis(), ownership: 'ours' }) as const;
    const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
    leaks.cleanup(() => client.close());
    return client;
  };
  const pool = open(network).getPermitExpirableSemaphore('seats', { permits: 2 });
  const seen = open(direct(() => server)).getPermitExpirableSemaphore('seats', { permits: 2 });
  // So that the server knows the scripts.
  await pool.release(await pool.acquire());
  way.fallsSilent = true;
  return {
    pool,
    seen,
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        await clock.advance(50);
        await turns();
      }
    },
    cutOff: () => {
      way.isOpen = false;
      server.hangUp();
    },
    mend: () => {
      Object.assign(way, { isOpen: true, isSilent: false, fallsSilent: false });
      server.hangUp();
    },
  };
}

it('are given back by the call that rejected, however long the server was away', async () => {
  const { pool, seen, pass, cutOff, mend } = await setUp();
  const failure = failureOf(pool.acquire());
  await pass(50);
  expect((await seen.inspect()).holders).toMatchObject([{ remainingMs: 'never' }]);
  cutOff();
  await pass(11_000);
  expect(await failure).toBeInstanceOf(LockUnavailableError);
  await pass(60_000);
  mend();
  await pass(2_000);
  expect(await seen.availablePermits()).toBe(2);
});

it.each<[string, (pool: RPermitExpirableSemaphore, signal: AbortSignal) => Promise<unknown>, unknown]>([
  ['its deadline has passed', (pool) => pool.tryAcquire(500), null],
  ['its signal has aborted', (pool, signal) => pool.acquire('never', { signal }), 'enough'],
])('are not waited for by a call when %s, and given back', async (_, make, expected) => {
  const { pool, seen, pass, mend } = await setUp();
  const end = new AbortController();
  const call = make(pool, end.signal).catch((error: unknown) => error);
  await pass(400);
  expect((await seen.inspect()).holders).toMatchObject([{ remainingMs: 'never' }]);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBe('waiting');
  end.abort('enough');
  await pass(100);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBe(expected);
  mend();
  await pass(2_000);
  expect(await seen.availablePermits()).toBe(2);
});
