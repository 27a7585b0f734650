/** News of a lost lock that comes to who inherits it, but after what was granted with it has run out. */
import { inboxChannel } from '@holdfast/core';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis();

/** A lock that is held, and the only process that waits for it, behind a network that can be held up. */
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
  const hold = await holder.getLock(name).acquire();
  const call = ask(client, name);
  await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 1, { what: 'the waiter' });
  const untilGranted = () =>
    waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 0, { what: 'the grant' });
  const untilOver = () => waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'its end' });
  return { network, name, holder, hold, call, untilGranted, untilOver };
}

describe('who is granted a lock, and hears of it when that is over', () => {
  it('is told all the same that the holder before had lost it', async () => {
    const { network, name, holder, call, untilGranted, untilOver } = await setUp();
    network.hold('down');
    await holder.getLock(name).forceUnlock();
    await untilGranted();
    await untilOver();
    await network.heal();
    const hold = await call;
    expect(hold.inherited).toEqual({ reason: 'forced' });
    await hold.release();
  });

  it('is told all the same when the message could not be enough, since it has no token', async () => {
    const { network, name, holder, call, untilGranted, untilOver } = await setUp((client, of) =>
      client.getFencedLock(of).acquire(),
    );
    network.hold('down');
    // By one that knows of no tokens.
    await holder.getLock(name).forceUnlock();
    await untilGranted();
    await untilOver();
    await network.heal();
    expect((await call).inherited).toEqual({ reason: 'forced' });
  });

  it('is told nothing when another process has had it since, and has given it back', async () => {
    const { network, name, holder, call, untilGranted, untilOver } = await setUp();
    network.hold('down');
    await holder.getLock(name).forceUnlock();
    await untilGranted();
    await untilOver();
    const next = await holder.getLock(name).acquire();
    await network.heal();
    await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 1, { what: 'the waiter' });
    await next.release();
    const hold = await call;
    expect(hold.inherited).toBeUndefined();
    await hold.release();
  });
});
