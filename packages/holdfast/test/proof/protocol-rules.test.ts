import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import type { Hold } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis();
const DELAY_MS = 200;

it.each([{ leaseMs: 2_000 }, {}])(
  'a lease is believed from the send of its command, not from the reply (%j)',
  async (options) => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, watchdogTimeoutMs: 2_000 });
    await client.getLock(freshName()).withLock(() => undefined);
    proxy.delay(DELAY_MS, 'down');
    const hold = await client.getLock(freshName()).acquire(options);
    // What is left in Redis when the reply arrives, at most.
    expect(hold.remainingMs()).toBeLessThanOrEqual(2_000 - DELAY_MS);
    proxy.delay(0);
    await hold.release();
  },
);

it('a tenure that ends while an ask of it is unanswered leaves a tombstone: the ask may be sent again after the release', async () => {
  const proxy = await openProxy(kit);
  const name = freshName();
  const busy = await openClient(kit).getLock(name).acquire();
  const client = openClient(kit, { redis: proxy.url, reaskMs: 100, claimLeaseMs: 5_000 });
  const waiting = client.getLock(name).acquire();
  await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'it waits' });
  // Messages still come down; the next ask does not get up.
  proxy.hold('up');
  await waitUntil(() => proxy.heldBytes > 0, { what: 'an ask on its way' });
  await busy.release();
  const released = (await waiting).release();
  await proxy.heal();
  await released;
  expect(await kit.admin.exists(name)).toBe(0);
  expect(await kit.admin.keys(`holdfast_dead:{${name}}:*`)).toHaveLength(1);
});

it('a grant that is heard of after its end by server time lets nobody in: the reply to a new ask decides', async () => {
  const proxy = await openProxy(kit);
  const name = freshName();
  const quick = { reaskMs: 100, claimLeaseMs: 400 };
  const first = await openClient(kit, quick).getLock(name).acquire();
  const client = openClient(kit, { ...quick, redis: proxy.url });
  let rival: Hold | undefined;
  const waiting = client.getLock(name).withLock(() => rival?.state);
  await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'it waits' });
  // Nothing comes down any more, the grant neither; nothing gets up, so that no ask can find the grant in Redis.
  proxy.hold('both');
  await first.release();
  rival = await openClient(kit, quick).getLock(name).acquire();
  await proxy.heal();
  await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'it waits again' });
  await rival.release();
  expect(await waiting).toBe('released');
});
