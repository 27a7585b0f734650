import { countCommands, driveTime, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { confirmedRenewals } from '../support/clients.js';
import { openFaulty } from '../support/faulty.js';
import { byUrl, type InputWay, ownDefault } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';

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
    const { client, proxy, name, lock } = await setUp({ watchdogTimeoutMs: 6_000 });
    const events: string[] = [];
    client.on('suspect', (event) => events.push(event.name));
    const hold = await lock.acquire();
    proxy.blackHole();
    await waitUntil(() => events.length > 0, { what: 'suspicion' });
    expect(hold.state).toBe('suspect');
    await proxy.heal();
    await waitUntil(() => hold.state === 'held', { what: 'trust' });
    expect(events).toEqual([name]);
    await hold.release();
  });
});

describe('the watchdog', () => {
  it('does not stop because renewals are refused for a while', async () => {
    const time = driveTime(kit);
    const { client, lock } = await setUp({ watchdogTimeoutMs: 30_000 });
    const hold = await lock.acquire();
    const { renewals } = client.stats();
    await time.advance(9_000);
    /** One second after the other, each with the answers that it brings. */
    const until = async (isSo: () => boolean) => {
      for (let second = 0; second < 20 && !isSo(); second++) {
        await time.advance(1_000);
        await kit.admin.ping().then(() => turns(5));
      }
    };
    await kit.admin.call('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
    try {
      await until(() => client.stats().renewals.unknown >= renewals.unknown + 2);
    } finally {
      await kit.admin.call('ACL', 'SETUSER', 'default', '+@all');
    }
    expect(hold.state).not.toBe('lost');
    await until(() => client.stats().renewals.renewed > renewals.renewed);
    await waitUntil(() => hold.state === 'held', { what: 'trust' });
    await hold.release();
  });

  it('renews nothing after the release has been called', async () => {
    const time = driveTime(kit);
    // Nothing is sent again either.
    const never = 300_000;
    const { client, proxy, lock } = await setUp({
      watchdogTimeoutMs: 30_000,
      attemptTimeoutMs: never,
      responseTimeoutMs: never,
    });
    const hold = await lock.acquire();
    for (const count of [1, 2]) {
      await time.advance(10_000);
      await waitUntil(() => confirmedRenewals(client) >= count, { what: `${count} renewals` });
    }
    proxy.hold('down');
    const released = hold.release();
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the release has run' });
    const counter = await countCommands(kit.admin);
    await time.advance(25_000);
    await proxy.heal();
    await released;
    expect(await counter.delta()).not.toHaveProperty('evalsha');
    expect(await lock.isLocked()).toBe(false);
  });
});
