/** Permits with ids whose issue is not answered: nobody knows those ids, so the client that made them gives them back. */
import { guardLeaks } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { LockUnavailableError, type RPermitExpirableSemaphore } from 'holdfast';
import { failureOf } from '../support/outcomes.js';
import { silentServer } from '../support/silent-server.js';

const leaks = guardLeaks();

/** A server that goes silent as soon as it has let a call have permits: it issues the ids, and its answer does not arrive. */
async function setUp() {
  const server = silentServer(leaks);
  const pool = server.client().getPermitExpirableSemaphore('seats', { permits: 2 });
  const seen = server.observer.getPermitExpirableSemaphore('seats', { permits: 2 });
  // So that the server knows the scripts.
  await pool.release(await pool.acquire());
  server.silenceAfterGrant();
  return { pool, seen, ...server };
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

it('keep a call of one attempt for no longer than that, and are given back', async () => {
  const { pool, seen, pass, mend } = await setUp();
  const call = failureOf(pool.tryAcquire());
  await pass(1_050);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBeInstanceOf(LockUnavailableError);
  mend();
  await pass(2_000);
  expect(await seen.availablePermits()).toBe(2);
});
