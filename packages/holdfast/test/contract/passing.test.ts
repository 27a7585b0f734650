import { driveTime, type FaultProxy, faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { stall } from '../support/stall.js';

const kit = useRedis();
let proxy: FaultProxy;

beforeEach(async () => {
  proxy = await faultProxy({ target: kit.server });
  kit.cleanup(() => proxy.close());
});

/** Two calls of one client with fixed leases: the first holds, the second waits for the lock to be passed on by script. */
async function setUp(options: { responseTimeoutMs?: number } = {}) {
  const client = openClient(kit, { redis: proxy.url, ...options });
  const lock = client.getLock(freshName());
  const first = await lock.acquire({ leaseMs: 20_000 });
  return { client, lock, first };
}

describe('a lock that is on its way to the next call of the process', () => {
  it('is waited for again when it is forced out meanwhile, and is one lock with what comes later', async () => {
    const { client, lock, first } = await setUp();
    const operator = openClient(kit);
    const nested = lock.withLock({ leaseMs: 20_000 }, () => client.getLock(lock.name).withLock(() => 'nested'));
    proxy.hold('down');
    const released = first.release();
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the handoff has run' });
    expect(await operator.getLock(lock.name).forceUnlock()).toBe(true);
    await proxy.heal();
    await expect(released).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await nested).toBe('nested');
  });

  it('is no loss of the call that has given it up when no answer comes before the client closes, or the lease is over', async () => {
    const closing = await setUp();
    const losses: unknown[] = [];
    closing.client.on('lost', (loss) => losses.push(loss));
    proxy.hold('down');
    const waiting = closing.lock.acquire({ leaseMs: 20_000 });
    const released = closing.first.release();
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the handoff has run' });
    const closed = closing.client.close();
    await expect(released).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    await proxy.heal();
    await closed;

    const client = openClient(kit, { redis: proxy.url });
    client.on('lost', (loss) => losses.push(loss));
    const lock = client.getLock(freshName());
    const first = await lock.acquire({ leaseMs: 400 });
    const next = lock.acquire({ leaseMs: 400 });
    proxy.hold('both');
    await expect(first.release()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await proxy.heal();
    await (await next).release();
    expect(losses).toEqual([]);
  });

  it('does not keep the release waiting for longer than an answer may take', async () => {
    const time = driveTime(kit);
    const { lock, first } = await setUp({ responseTimeoutMs: 200 });
    const waiting = lock.acquire({ leaseMs: 20_000, waitMs: 1_000 });
    proxy.hold('both');
    const released = failureOf(first.release());
    await time.advance(200);
    expect(await released).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await proxy.heal();
    await (await waiting).release();
  });
});

describe('a call that inherits the ask of one that has given up', () => {
  it('has the lease that it asked for itself', async () => {
    const client = openClient(kit, { redis: proxy.url });
    await client.getLock(freshName()).withLock(() => undefined);
    const lock = client.getLock(freshName());
    const abort = new AbortController();
    proxy.hold('down');
    const first = lock.acquire({ signal: abort.signal });
    const second = lock.acquire({ leaseMs: 10_000 });
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the ask has run' });
    abort.abort();
    await expect(first).rejects.toThrow();
    await proxy.heal();
    const hold = await second;
    expect(hold.remainingMs()).toBeLessThanOrEqual(10_000);
    await hold.release();
  });
});

describe('a signal that aborts while the call is being made', () => {
  it('ends the call with its reason', async () => {
    const client = openClient(kit);
    const hold = await client.getLock(freshName()).acquire({ leaseMs: 100 });
    const { signal, name } = hold;
    stall(150);
    await expect(client.getLock(name).acquire({ signal })).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });
});
