import * as core from '@holdfast/core';
import { type RedisServer, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockClient, RLock } from 'holdfast';
import type { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { type DefaultClient, defaultClients, LateNetwork } from '../support/late-network.js';

/**
 * The tenth late duplicate, with whole clients: a copy of an acquire reaches a promoted replica that has neither the hold nor the tombstone.
 * See `late-duplicates.test.ts` for the other nine.
 */
const kit = useRedis(startPrivateRedis);
let replica: RedisServer;
let promoted: Redis;

beforeAll(async () => {
  replica = await startPrivateRedis();
  promoted = await replica.admin();
  await kit.admin.config('SET', 'repl-diskless-sync-delay', '0');
});
afterAll(() => replica.stop());

interface Situation {
  readonly client: LockClient;
  readonly lock: RLock;
  readonly network: LateNetwork;
  readonly lost: string[];
}

/** The replica has been promoted too early: it has nothing of what the master is told from now on. */
async function setUp(by: DefaultClient): Promise<Situation> {
  const { host, port } = kit.server;
  await promoted.replicaof(host, port);
  await waitUntil(async () => (await kit.admin.wait(1, 50)) === 1, { what: 'the replica', timeoutMs: 4_000 });
  await promoted.replicaof('NO', 'ONE');
  const network = await LateNetwork.open(kit);
  const client = openClient(kit, { redis: by.open(kit, network.target) });
  const lost: string[] = [];
  client.on('lost', ({ error }) => lost.push(error.reason));
  await client.getLock(freshName()).withLock(() => undefined);
  return { client, lock: client.getLock(freshName()), network, lost };
}

const scriptsOf = (redis: Redis): core.ScriptPort => ({
  evalsha: (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...args),
  eval: (source, keys, args) => redis.eval(source, keys.length, ...keys, ...args),
});

/** A copy of the ask with which that tenure got the lock, at the promoted replica. */
const lateAsk = (name: string, tenure: string, leaseMs: number) =>
  core.run(
    scriptsOf(promoted),
    core.ask(core.lockKeys(name), {
      tenure,
      leaseMs,
      freshMs: 0,
      ticket: 0,
      freshTtlMs: 10_000,
      claimMs: 3_000,
      trust: true,
    }),
  );

async function tenureOf({ client, lock }: Situation): Promise<string> {
  return (await client.inspect(lock.name)).owner?.id ?? 'nobody';
}

const free = (name: string) => async () => (await promoted.exists(name, `holdfast_queue:{${name}}`)) === 0;

describe.each(defaultClients)('case 10, through $title: a copy of an acquire at a promoted replica', (by) => {
  it('whose caller still waits becomes one hold there, and its release leaves nothing', async () => {
    const { lock, network, lost } = await setUp(by);
    await network.strand();
    const acquiring = lock.acquire();
    await network.stuck();
    network.reroute(replica);
    const hold = await acquiring;
    expect(await promoted.hvals(lock.name)).toEqual(expect.arrayContaining(['1']));
    hold.assertHeld();
    await hold.release();
    expect(await promoted.exists(lock.name)).toBe(0);
    expect(lost).toEqual([]);
  });

  it('whose caller has given up is cancelled there', async () => {
    const { lock, network } = await setUp(by);
    await network.strand();
    // Too short a wait to say that Redis cannot be reached.
    await expect(lock.tryLock(60)).resolves.toBe(false);
    await network.stuck();
    network.reroute(replica);
    await waitUntil(async () => (await promoted.keys(`holdfast_dead:{${lock.name}}:*`)).length > 0, {
      what: 'the cancel',
    });
    await waitUntil(free(lock.name), { what: 'the lock to be free there' });
  });

  it('finds its hold verified and told lost at the reconnect, and is refused', async () => {
    const situation = await setUp(by);
    const { lock, network, lost } = situation;
    await network.strand();
    const acquiring = lock.acquire();
    await network.stuck();
    network.reroute();
    const hold = await acquiring;
    const tenure = await tenureOf(situation);
    network.reroute(replica);
    await waitUntil(() => lost.length > 0, { what: 'the loss' });
    await waitUntil(async () => (await promoted.exists(`holdfast_dead:{${lock.name}}:${tenure}`)) === 1, {
      what: 'the cancel',
    });
    expect(await lateAsk(lock.name, tenure, 30_000)).toEqual({ kind: 'dead' });
    expect(lost).toEqual(['deleted']);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  });

  it('after a release that only the old master knows is given back there too, long before its lease is over', async () => {
    const situation = await setUp(by);
    const { client, lock, network } = situation;
    const hold = await lock.acquire();
    const tenure = await tenureOf(situation);
    await hold.release();
    network.reroute(replica);
    expect(await lateAsk(lock.name, tenure, 60_000)).toMatchObject({ kind: 'acquired' });
    const next = await client.getLock(lock.name).acquire({ waitMs: 10_000 });
    next.assertHeld();
    await next.release();
    await waitUntil(free(lock.name), { what: 'the lock to be free there' });
  });
});
