import { countCommands, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { leaseMs, openFaulty } from '../support/faulty.js';
import { byUrl, type InputWay, ownDefault } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);
const setUp = (options?: Partial<LockClientOptions>, way?: InputWay) => openFaulty(kit, options, way);

describe('a hold in doubt', () => {
  it.each([byUrl, ownDefault])(
    'is suspect while the connection is away, and held again when it is back ($title)',
    async (way) => {
      const { client, proxy, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 }, way);
      const events: string[] = [];
      client.on('suspect', (event) => events.push(event.name));
      const watched = await lock.acquire();
      const fixed = await client.getLock(`${name}-fixed`).acquire({ leaseMs: 30_000 });
      proxy.refuse();
      proxy.reset();
      await waitUntil(() => watched.state === 'suspect' && fixed.state === 'suspect', { what: 'suspicion' });
      expect(watched.remainingMs()).toBeGreaterThan(20_000);
      watched.assertHeld();
      expect(watched.signal.aborted).toBe(false);
      await proxy.heal();
      await waitUntil(() => watched.state === 'held' && fixed.state === 'held', { what: 'trust' });
      expect(events.sort()).toEqual([name, `${name}-fixed`]);
      await Promise.all([watched.release(), fixed.release()]);
    },
  );

  it('is suspect when Redis hangs, before it is lost', async () => {
    const { client, proxy, name, lock } = await setUp();
    const events: string[] = [];
    client.on('suspect', (event) => events.push(event.name));
    const hold = await lock.acquire();
    proxy.blackHole();
    await waitUntil(() => events.length > 0, { what: 'suspicion', timeoutMs: leaseMs });
    expect(hold.state).toBe('suspect');
    await proxy.heal();
    await waitUntil(() => hold.state === 'held', { what: 'trust' });
    expect(events).toEqual([name]);
    await hold.release();
  });
});

describe('the watchdog', () => {
  it('does not stop because renewals are refused for a while', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 900 });
    const startedAt = performance.now();
    const hold = await lock.acquire();
    await kit.admin.call('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
    try {
      await waitUntil(() => client.stats().renewals.unknown >= 2, { what: 'two refused renewals' });
    } finally {
      await kit.admin.call('ACL', 'SETUSER', 'default', '+@all');
    }
    await waitUntil(() => performance.now() - startedAt > 1_000 || hold.state === 'lost', { what: 'a whole lease' });
    await waitUntil(() => hold.state === 'held', { what: 'trust', timeoutMs: 1_000 });
    expect(await kit.admin.pttl(name)).toBeGreaterThan(300);
    await hold.release();
  });

  it('renews nothing after the release has been called', async () => {
    // Long enough for nothing to be lost, or sent again, on a machine that is busy.
    const watchdogTimeoutMs = 1_500;
    const { client, proxy, lock } = await setUp({
      watchdogTimeoutMs,
      attemptTimeoutMs: 10_000,
      responseTimeoutMs: 10_000,
    });
    const hold = await lock.acquire();
    await waitUntil(() => client.stats().renewals.renewed >= 2, { what: 'two renewals' });
    proxy.hold('down');
    const released = hold.release();
    const counter = await countCommands(kit.admin);
    const from = performance.now();
    await waitUntil(() => performance.now() - from > (watchdogTimeoutMs * 5) / 6, { what: 'two more intervals' });
    await proxy.heal();
    await released;
    expect((await counter.delta())['evalsha'] ?? 0).toBeLessThanOrEqual(1);
    expect(await lock.isLocked()).toBe(false);
  });
});
