/** `examples/degrading`: what each policy does when Redis goes away, while it is away, and when it is back. Time is driven. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestClient, type TestLockClient as TestClient } from 'holdfast/testing';
import { ComeAgainError, Degrading, type WhenAway } from '../../../../examples/degrading/degrading.js';

let locks: TestClient;
let service: Degrading;
let worked: number;

beforeEach(async () => {
  locks = createTestClient();
  locks.on('error', () => undefined);
  service = new Degrading(locks);
  worked = 0;
  await locks.connect();
});
afterEach(() => locks.close());

const run = (whenAway: WhenAway) => service.run('cache', whenAway, async (hold) => [++worked, hold?.state]);
/** Redis is away for long, and one call has found out. */
const away = async (whenAway: WhenAway) => {
  await locks.outage(60_000);
  const found = Promise.allSettled([run(whenAway)]);
  await locks.advance(2_000);
  return (await found)[0];
};

describe('the example that degrades on purpose', () => {
  it('takes the lock while Redis is there, and a busy lock is no outage', async () => {
    expect(await run('go on')).toEqual({ how: 'with the lock', value: [1, 'held'] });
    const other = await locks.busy('cache');
    expect(await run('go on')).toEqual({ how: 'busy' });
    expect(service.degraded).toBe(false);
    await other.free();
  });

  it.each([
    ['skip', { status: 'fulfilled', value: { how: 'skipped' } }, 0],
    ['go on', { status: 'fulfilled', value: { how: 'without the lock', value: [1, undefined] } }, 1],
    ['refuse', { status: 'rejected', reason: expect.any(ComeAgainError) }, 0],
  ] as const)('"%s" does what it says when Redis has gone away', async (whenAway, outcome, times) => {
    expect(await away(whenAway)).toMatchObject(outcome);
    expect(service.degraded).toBe(true);
    expect(worked).toBe(times);
  });

  it('lets no later call wait for Redis, and takes locks again when it is back', async () => {
    await away('skip');
    // Time stands still: a call that asked the server could not come to its end.
    expect(await run('go on')).toMatchObject({ how: 'without the lock' });
    await locks.advance(120_000);
    expect(locks.ready).toBe(true);
    expect(await run('go on')).toMatchObject({ how: 'with the lock' });
    expect(service.degraded).toBe(false);
  });

  it('never runs work twice: a lock that is lost below it is an error of that work', async () => {
    const work = service.run('cache', 'go on', async () => {
      worked++;
      await locks.outage(60_000);
      await locks.advance(60_000);
    });
    await expect(work).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'unreachable' });
    expect(worked).toBe(1);
  });
});
