import { describe, expect, it } from '@jest/globals';
import { createTestClient } from 'holdfast/testing';
import { failureOf } from '../support/outcomes.js';

const LEASE_MS = 1_500;

describe('a release that Redis hears when the lease is over', () => {
  it.each([
    ['of a fixed lease says that it ran out', { leaseMs: LEASE_MS }, 'expired'],
    ['of a lease that would have been renewed says that Redis could not be reached', {}, 'unreachable'],
  ])('%s, and not that somebody deleted the lock', async (_, options, reason) => {
    const client = createTestClient({ watchdogTimeoutMs: LEASE_MS });
    const hold = await client.getLock('x').acquire(options);
    void client.outage(2 * LEASE_MS);
    const failure = failureOf(hold.release());
    await client.advance(3 * LEASE_MS);
    expect(await failure).toMatchObject({ code: 'LOCK_LOST', reason });
    await client.close();
  });

  it('says that the lock was deleted where the lease would not have been over', async () => {
    const client = createTestClient({ watchdogTimeoutMs: 20 * LEASE_MS });
    const hold = await client.getLock('x').acquire();
    await client.lose('x', 'deleted');
    const failure = failureOf(hold.release());
    await client.advance(LEASE_MS);
    expect(await failure).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    await client.close();
  });
});
