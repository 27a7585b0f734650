import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions, RLock } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { type DefaultClient, defaultClients, LateNetwork } from '../support/late-network.js';

/**
 * The ten late duplicates, with whole clients: each time a command gets stuck in the network, the client is cut off, sends it
 * again over a new connection, goes on; then the first copy arrives. `packages/core/test/proof-replay` has the same ten as
 * sequences of commands.
 */
const kit = useRedis(startPrivateRedis);

interface Situation {
  readonly client: LockClient;
  readonly stranger: LockClient;
  readonly lock: RLock;
  readonly network: LateNetwork;
  readonly lost: string[];
}

async function setUp(by: DefaultClient, options: Partial<LockClientOptions> = {}): Promise<Situation> {
  const network = await LateNetwork.open(kit);
  const client = openClient(kit, { ...options, redis: by.open(kit, network.target) });
  const lost: string[] = [];
  client.on('lost', ({ error }) => lost.push(error.reason));
  // Every script is known, and the client listens: what gets stuck later is the test's command and nothing else.
  await client.getLock(freshName()).withLock(() => undefined);
  const inbox = `holdfast_inbox:${client.clientId}`;
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inbox))[1]) === 1, { what: 'the inbox' });
  return { client, stranger: openClient(kit), lock: client.getLock(freshName()), network, lost };
}

/** Calls `send`, whose command gets stuck, and gives its outcome, which came over the new path. */
async function overtaken<T>(network: LateNetwork, send: () => Promise<T>): Promise<T> {
  await network.strand();
  const outcome = send();
  await network.stuck();
  network.reroute();
  return outcome;
}

const tombstones = (name: string) => kit.admin.keys(`holdfast_dead:{${name}}:*`);
const tombstoned = (name: string) =>
  waitUntil(async () => (await tombstones(name)).length > 0, { what: 'a tombstone' });

/** Nobody holds the lock or waits for it, and it can be had at once. */
async function expectFree({ lock, stranger }: Situation): Promise<void> {
  expect(await kit.admin.exists(lock.name, `holdfast_queue:{${lock.name}}`)).toBe(0);
  expect(await stranger.getLock(lock.name).tryWithLock({}, () => 'inside')).toEqual({ ran: true, value: 'inside' });
}

describe.each(defaultClients)('through $title,', (by) => {
  it('case 1: a copy of an acquire before the release counts nothing, and leaves nothing behind', async () => {
    const situation = await setUp(by);
    const { lock, network, lost } = situation;
    const hold = await overtaken(network, () => lock.acquire());
    await network.deliver();
    expect(await holdsInRedis(kit, lock.name)).toBe(1);
    hold.assertHeld();
    await hold.release();
    await expectFree(situation);
    expect(lost).toEqual([]);
  });

  it('case 2: a copy of an acquire after the release takes nothing', async () => {
    const situation = await setUp(by);
    const { lock, network } = situation;
    const hold = await overtaken(network, () => lock.acquire());
    await hold.release();
    await network.deliver();
    await expectFree(situation);
  });

  it('case 2: a copy of an acquire after the release takes no place in the next owner’s queue', async () => {
    const situation = await setUp(by);
    const { lock, network, stranger } = situation;
    const hold = await overtaken(network, () => lock.acquire());
    await hold.release();
    const next = await stranger.getLock(lock.name).acquire();
    await network.deliver();
    expect(await stranger.inspect(lock.name)).toMatchObject({ owner: { holdCount: 1 }, queue: [] });
    await next.release();
    await expectFree(situation);
  });

  it('case 2: a copy of an acquire takes nothing after its release, inside which Redis has refused a call', async () => {
    const situation = await setUp(by);
    const { lock, network } = situation;
    const hold = await overtaken(network, () => lock.acquire());
    await kit.admin.config('SET', 'maxmemory', '1');
    // The release comes while the call is on its way: it counts down, and finds that it was the last.
    const outcomes = await Promise.allSettled([hold.run(() => lock.acquire()), hold.release()]);
    await kit.admin.config('SET', 'maxmemory', '0');
    expect(outcomes).toMatchObject([{ reason: { code: 'LOCK_REFUSED' } }, { status: 'fulfilled' }]);
    await network.deliver();
    await expectFree(situation);
  });

  it('case 3: a copy of an acquire after the key was deleted serves the hold that still believes in it, and nobody later', async () => {
    const situation = await setUp(by);
    const { lock, network, stranger } = situation;
    const hold = await overtaken(network, () => lock.acquire());
    await kit.admin.del(lock.name);
    await network.deliver();
    expect(hold.state).toBe('held');
    expect(await stranger.getLock(lock.name).tryLock()).toBe(false);
    await hold.release();
    await expectFree(situation);
  });

  it('case 3: a copy of an acquire after the lease has run out, and its holder been told, takes nothing', async () => {
    const situation = await setUp(by);
    const { lock, network, lost } = situation;
    const hold = await overtaken(network, () => lock.acquire({ leaseMs: 400 }));
    await waitUntil(() => lost.length > 0, { what: 'the loss' });
    await tombstoned(lock.name);
    await network.deliver();
    await expectFree(situation);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
  });

  it.each([
    ['before its release', 2],
    ['after its release', 1],
    ['after the last release', 0],
  ] as const)('case 4: a copy of a nested acquire %s does not count', async (_, levels) => {
    const situation = await setUp(by);
    const { lock, network, lost } = situation;
    const outer = await lock.acquire();
    const inner = await overtaken(network, () => outer.run(() => lock.acquire()));
    const releases = [() => outer.release(), () => inner.release()];
    for (const release of releases.splice(levels).toReversed()) await release();
    await network.deliver();
    expect(await holdsInRedis(kit, lock.name)).toBe(levels);
    for (const release of releases.toReversed()) await release();
    await expectFree(situation);
    expect(lost).toEqual([]);
  });

  it.each([
    ['5: a copy of a release', false],
    ['6: a copy of a release whose tombstone has gone', true],
  ] as const)('case %s leaves the next owner alone, and is no loss', async (_, tombstoneGone) => {
    const situation = await setUp(by);
    const { lock, network, stranger, lost } = situation;
    const hold = await lock.acquire();
    await overtaken(network, () => hold.release());
    const next = await stranger.getLock(lock.name).acquire();
    const nested = await next.run(() => stranger.getLock(lock.name).acquire());
    await tombstoned(lock.name);
    if (tombstoneGone) await kit.admin.del(await tombstones(lock.name));
    await network.deliver();
    expect(await holdsInRedis(kit, lock.name)).toBe(2);
    await nested.release();
    next.assertHeld();
    await next.release();
    await expectFree(situation);
    expect(lost).toEqual([]);
  });

  it('case 5: a copy of a nested release does not count down twice', async () => {
    const situation = await setUp(by);
    const { lock, network } = situation;
    const outer = await lock.acquire();
    const inner = await outer.run(() => lock.acquire());
    const innermost = await inner.run(() => lock.acquire());
    await overtaken(network, () => innermost.release());
    await network.deliver();
    expect(await holdsInRedis(kit, lock.name)).toBe(2);
    await inner.release();
    await outer.release();
    await expectFree(situation);
  });

  it('case 7: an acquire that arrives after its cancel takes nothing', async () => {
    const situation = await setUp(by);
    const { lock, network } = situation;
    await network.strand();
    // Too short a wait to say that Redis cannot be reached.
    await expect(lock.tryLock(60)).resolves.toBe(false);
    await network.stuck();
    network.reroute();
    await tombstoned(lock.name);
    await network.deliver();
    await expectFree(situation);
  });

  it('case 8: a renewal after the release creates no key', async () => {
    const situation = await setUp(by, { watchdogTimeoutMs: 3_000 });
    const { lock, network, lost } = situation;
    const hold = await lock.acquire();
    await network.strand();
    await network.stuck();
    network.reroute();
    await hold.release();
    await network.deliver();
    await expectFree(situation);
    expect(lost).toEqual([]);
  });

  it('case 8: a renewal after the loss and its cancel creates no key', async () => {
    const situation = await setUp(by, { watchdogTimeoutMs: 1_500 });
    const { lock, network, lost } = situation;
    await lock.acquire();
    await network.strand();
    await network.stuck();
    await waitUntil(() => lost.length > 0, { what: 'the loss' });
    network.reroute();
    await tombstoned(lock.name);
    await network.deliver();
    await expectFree(situation);
    expect(lost).toEqual(['unreachable']);
  });

  it('case 9: a renewal after a force-unlock and the next grant does not lengthen the next owner’s lease', async () => {
    const situation = await setUp(by, { watchdogTimeoutMs: 6_000 });
    const { lock, network, stranger, lost } = situation;
    const hold = await lock.acquire();
    await network.strand();
    await network.stuck();
    const third = openClient(kit);
    expect(await third.getLock(lock.name).forceUnlock()).toBe(true);
    const next = await stranger.getLock(lock.name).acquire({ leaseMs: 5_000 });
    const ownedBefore = await kit.admin.hgetall(lock.name);
    network.reroute();
    await network.deliver();
    expect(await kit.admin.pttl(lock.name)).toBeLessThanOrEqual(5_000);
    expect(await kit.admin.hgetall(lock.name)).toEqual(ownedBefore);
    await waitUntil(() => hold.state === 'lost', { what: 'the victim to know' });
    next.assertHeld();
    await next.release();
    await expectFree(situation);
    expect(lost).toHaveLength(1);
  });
});
