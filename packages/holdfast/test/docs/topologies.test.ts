/** What docs/topologies.md says about locks that were handed over just before Redis went away. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { createTestClient, createTestServer, type TestServer } from 'holdfast/testing';

const open: LockClient[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

/** What Redis is away for in a failover. */
const FAILOVER_MS = 6_000;

async function handedOver(server: TestServer, claimLeaseMs?: number) {
  const client = () => createTestClient({ server, claimLeaseMs });
  const [giver, taker] = [client(), client()];
  open.push(giver, taker);
  const before = await giver.getLock('handed').acquire();
  const waiting = taker.getLock('handed').acquire();
  await server.advance(500);
  await before.release();
  const handed = await waiting;
  const asked = await taker.getLock('asked').acquire();
  return { handed, asked };
}

describe('docs/topologies.md: a lock that was handed over by message', () => {
  it('has claimLeaseMs, and is lost in an outage that begins then and is longer; one that was asked for is not', async () => {
    const server = createTestServer();
    const { handed, asked } = await handedOver(server);
    expect(handed.remainingMs()).toBeLessThanOrEqual(3_000);
    await server.advance(700);
    await server.outage(FAILOVER_MS);
    await server.advance(FAILOVER_MS + 2_000);
    expect([handed.state, asked.state]).toEqual(['lost', 'held']);
    expect(handed.signal.reason).toMatchObject({ reason: 'unreachable' });
  });

  it('has its whole lease a third of claimLeaseMs later, which outlasts it', async () => {
    const server = createTestServer();
    const { handed } = await handedOver(server);
    await server.advance(1_100);
    expect(handed.remainingMs()).toBeGreaterThan(20_000);
    await server.outage(FAILOVER_MS);
    await server.advance(FAILOVER_MS + 2_000);
    expect(handed.state).toBe('held');
  });

  it('outlasts it with the claimLeaseMs that is said to be enough, whenever it begins', async () => {
    for (const sinceMs of [0, 1_000, 2_000, 3_000, 3_400]) {
      const server = createTestServer();
      const { handed } = await handedOver(server, 1.5 * FAILOVER_MS + 1_000);
      await server.advance(sinceMs);
      await server.outage(FAILOVER_MS);
      await server.advance(FAILOVER_MS + 2_000);
      expect([sinceMs, handed.state]).toEqual([sinceMs, 'held']);
    }
  });
});
