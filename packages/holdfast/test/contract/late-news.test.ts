/** News of a lost lock that comes to who inherits it, but after what was granted with it has run out. */
import { inboxChannel } from '@holdfast/core';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis();

/** A lock was forced from its holder, and the only call that waited for it hears nothing, neither of its grant nor of its end, before `network` heals. */
async function setUp(ask = (client: LockClient, name: string): Promise<Hold> => client.getLock(name).acquire()) {
  const network = await openProxy(kit);
  const redis = { host: network.host, port: network.port };
  const client = openClient(kit, { redis, reaskMs: 20_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000 });
  await client.connect();
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inboxChannel(client.clientId)))[1]) === 1, {
    what: 'the inbox',
  });
  const name = freshName();
  // Its claim is what a waiter is granted.
  const holder = openClient(kit, { claimLeaseMs: 400, reaskMs: 100 });
  await holder.getLock(name).acquire();
  const call = ask(client, name);
  const untilWaiting = (waiters: number) =>
    waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === waiters, {
      what: `${waiters} waiters`,
    });
  await untilWaiting(1);
  network.hold('down');
  // By one that knows of no tokens.
  await holder.getLock(name).forceUnlock();
  await untilWaiting(0);
  await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the end of what was granted' });
  return { network, name, holder, call, untilWaiting };
}

describe('who is granted a lock, and hears of it when that is over', () => {
  it.each<[string, Parameters<typeof setUp>[0]]>([
    ['a plain lock', undefined],
    ['a lock with tokens, of which the message has none', (client, name) => client.getFencedLock(name).acquire()],
  ])('is told all the same that the holder before had lost it: %s', async (_, ask) => {
    const { network, call } = await setUp(ask);
    await network.heal();
    expect((await call).inherited).toEqual({ reason: 'forced' });
  });

  it('is told nothing when another process has had it since, and has given it back', async () => {
    const { network, name, holder, call, untilWaiting } = await setUp();
    const next = await holder.getLock(name).acquire();
    await network.heal();
    await untilWaiting(1);
    await next.release();
    expect((await call).inherited).toBeUndefined();
  });
});
