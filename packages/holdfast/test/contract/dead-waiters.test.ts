import { countCommands, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();
/** Nobody asks again by itself while the test runs. */
const patient = { reaskMs: 200_000, claimLeaseMs: 300_000, watchdogTimeoutMs: 600_000 };
const DEAD = 600;

describe('places of waiters that have crashed', () => {
  it.each(['release', 'forceUnlock'] as const)(
    'do not keep a live waiter from a lock that is free: a %s goes on at once',
    async (way) => {
      const [holder, waiter] = [openClient(kit, patient), openClient(kit, patient)];
      for (const client of [holder, waiter]) await client.getLock(freshName()).withLock(() => undefined);
      await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
        what: 'both listen',
      });
      const name = freshName();
      const hold = await holder.getLock(name).acquire();
      const waiting = waiter.getLock(name).acquire({ waitMs: 20_000 });
      await waitUntil(async () => (await holder.inspect(name)).queue.length === 1, { what: 'it waits' });
      const places = Array.from({ length: DEAD }, (_, index) => [index, `gone:${index}`] as const);
      await kit.admin.zadd(`holdfast_queue:{${name}}`, ...places.flat());
      const counter = await countCommands(kit.admin);
      if (way === 'release') await hold.release();
      else expect(await holder.getLock(name).forceUnlock()).toBe(true);
      const next = await waiting;
      expect(waiter.stats().handoffs.granted).toBe(1);
      const { evalsha = 0, eval: byText = 0 } = await counter.delta();
      expect(evalsha + byText).toBeLessThan(2 * Math.ceil(DEAD / 64));
      await next.release();
      if (way === 'forceUnlock') await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    },
  );
});
