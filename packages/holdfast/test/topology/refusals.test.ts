import { describe, expect, it } from '@jest/globals';
import {
  type DrivenTime,
  driveTime,
  type RedisServer,
  startPrivateRedis,
  useRedis,
  waitUntil,
} from '@holdfast/testkit';
import { LockUnavailableError } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import type { Cluster } from 'ioredis';
import { failureOf } from '../support/outcomes.js';
import { quick, useCluster, whenQueued } from '../support/topologies.js';

/** Refused for now: nothing has run, and calls wait for better times within their deadline. */
interface Refusal {
  readonly code: string;
  readonly begin: (server: RedisServer) => Promise<unknown>;
  readonly end: (server: RedisServer) => Promise<unknown>;
}

/** How often a server has refused so: its answers are on their way then. */
async function timesRefused(server: RedisServer, code: string): Promise<number> {
  const told = await (await server.admin()).info('errorstats');
  return Number(new RegExp(`errorstat_${code}:count=(\\d+)`).exec(told)?.[1] ?? 0);
}

interface Attempt {
  readonly time: DrivenTime;
  readonly server: RedisServer;
  readonly code: string;
}

/** Makes a call that asks the server, and answers when that has been refused. */
async function refused<T>(call: () => Promise<T>, { time, server, code }: Attempt): Promise<{ result: Promise<T> }> {
  const before = await timesRefused(server, code);
  const result = call();
  result.catch(() => undefined); // it is looked at later
  const asked = async (): Promise<boolean> => {
    // A client leaves a server that has become a replica, and connects anew.
    await time.advance(10);
    return (await timesRefused(server, code)) > before;
  };
  await waitUntil(asked, { what: 'the refusal' });
  return { result };
}

describe('one server that refuses for now', () => {
  const kit = useRedis(startPrivateRedis);
  const nobody = ['127.0.0.1', '1'] as const;
  const refusals: Refusal[] = [
    {
      code: 'READONLY',
      begin: async (server) => (await server.admin()).replicaof(...nobody),
      end: async (server) => (await server.admin()).replicaof('NO', 'ONE'),
    },
    {
      code: 'MASTERDOWN',
      begin: async (server) => {
        const admin = await server.admin();
        await admin.config('SET', 'replica-serve-stale-data', 'no');
        await admin.replicaof(...nobody);
      },
      end: async (server) => {
        const admin = await server.admin();
        await admin.replicaof('NO', 'ONE');
        await admin.config('SET', 'replica-serve-stale-data', 'yes');
      },
    },
    {
      code: 'NOREPLICAS',
      begin: async (server) => (await server.admin()).config('SET', 'min-replicas-to-write', '1'),
      end: async (server) => (await server.admin()).config('SET', 'min-replicas-to-write', '0'),
    },
  ];

  it.each(refusals)(
    '$code: a call that has time waits it out, one that has not says that Redis is unavailable',
    async ({ code, begin, end }) => {
      const time = driveTime(kit);
      const client = openClient(kit, quick);
      const lock = client.getLock(freshName());
      await lock.withLock(() => undefined);
      // Also when the test fails: the next one is about another refusal.
      kit.cleanup(() => end(kit.server));
      await begin(kit.server);
      const attempt = { time, server: kit.server, code };
      const single = await refused(() => lock.tryLock(), attempt);
      await time.advance(300);
      await expect(single.result).rejects.toBeInstanceOf(LockUnavailableError);
      const patient = await refused(() => lock.acquire({ waitMs: 30_000 }), attempt);
      const brief = failureOf(lock.tryLock(200));
      await time.advance(200);
      expect(await brief).toBeInstanceOf(LockUnavailableError);
      await end(kit.server);
      time.flow();
      await (await patient.result).release();
    },
  );

  it('NOREPLICAS: an extend() that has no time left says what Redis refused it with', async () => {
    const time = driveTime(kit);
    const client = openClient(kit, quick);
    const hold = await client.getLock(freshName()).acquire({ leaseMs: 30_000 });
    const admin = await kit.server.admin();
    kit.cleanup(() => admin.config('SET', 'min-replicas-to-write', '0'));
    await admin.config('SET', 'min-replicas-to-write', '1');
    const { result } = await refused(() => hold.extend(60_000), { time, server: kit.server, code: 'NOREPLICAS' });
    await time.advance(20_000);
    await expect(result).rejects.toThrow(LockUnavailableError);
    await expect(result).rejects.toThrow(/^Redis refused to answer about lock "[^"]*": NOREPLICAS /);
    await admin.config('SET', 'min-replicas-to-write', '0');
    time.flow();
    await hold.release();
  });

  it.each(refusals)('$code: hold.extend() is tried again until it is done', async ({ begin, end }) => {
    const time = driveTime(kit);
    const client = openClient(kit, quick);
    const hold = await client.getLock(freshName()).acquire({ leaseMs: 30_000 });
    const semaphore = client.getSemaphore(freshName(), { permits: 1 });
    const permits = await semaphore.acquire(1, { leaseMs: 30_000 });
    kit.cleanup(() => end(kit.server));
    await begin(kit.server);
    const { admin } = kit;
    const asked = async () =>
      [...(await admin.info('commandstats')).matchAll(/^cmdstat_evalsha:calls=(\d+).*?rejected_calls=(\d+)/gm)]
        .flatMap(([, ...counts]) => counts.map(Number))
        .reduce((sum, count) => sum + count, 0);
    const before = await asked();
    let isOver = false;
    const extended = Promise.all([hold.extend(60_000), permits.extend(60_000)]).finally(() => (isOver = true));
    extended.catch(() => undefined); // it is looked at later
    const askedAgain = async () => {
      await time.advance(10);
      return isOver || (await asked()) >= before + 4;
    };
    await waitUntil(askedAgain, { what: 'both are asked for again' });
    await end(kit.server);
    time.flow();
    await extended;
    for (const extendedOne of [hold, permits]) expect(extendedOne.remainingMs()).toBeGreaterThan(50_000);
    await Promise.all([hold.release(), permits.release()]);
    await admin.del(semaphore.name);
  });
});

describe('a Cluster that refuses for now', () => {
  const kit = useCluster();

  it('CLUSTERDOWN: a slot that nobody serves is waited for', async () => {
    driveTime(kit).flow();
    const client = kit.open();
    const lock = client.getLock(freshName());
    await lock.withLock(() => undefined);
    const slot = await kit.cluster.slotOf(lock.name);
    const owner = await (await kit.cluster.nodeOfKey(lock.name)).admin();
    await owner.cluster('DELSLOTS', slot);
    await expect(lock.tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
    const waiting = lock.acquire({ waitMs: 30_000 });
    await expect(lock.tryLock(200)).rejects.toBeInstanceOf(LockUnavailableError);
    await owner.cluster('ADDSLOTS', slot);
    await (await waiting).release();
    await kit.cluster.whenReady();
  }, 180_000);

  it('CLUSTERDOWN, as a script says it where a Cluster that is down goes on answering reads: it is waited for', async () => {
    driveTime(kit).flow();
    const lock = kit.open().getLock(freshName());
    const hold = await kit.open({ watchdogTimeoutMs: 6_000 }).getLock(`{${lock.name}}:held`).acquire();
    const server = await kit.cluster.nodeOfKey(lock.name);
    const owner = await server.admin();
    await owner.config('SET', 'cluster-allow-reads-when-down', 'yes');
    const beside = await waitUntil(async () => {
      const name = freshName();
      return (await kit.cluster.nodeOfKey(name)) === server && name;
    });
    const slot = await kit.cluster.slotOf(beside);
    await owner.cluster('DELSLOTS', slot);
    await expect(lock.tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
    const waiting = lock.acquire({ waitMs: 30_000 });
    await waitUntil(() => hold.state === 'suspect', { what: 'a renewal to be refused', timeoutMs: 60_000 });
    await owner.cluster('ADDSLOTS', slot);
    await (await waiting).release();
    await hold.release();
    await owner.config('SET', 'cluster-allow-reads-when-down', 'no');
    await kit.cluster.whenReady();
  }, 180_000);

  it('BUSY: a server that runs a long script is waited for', async () => {
    driveTime(kit).flow();
    const client = kit.open();
    const lock = client.getLock(freshName());
    await lock.withLock(() => undefined);
    const server = await kit.cluster.nodeOfKey(lock.name);
    const admin = await server.admin();
    await admin.config('SET', 'busy-reply-threshold', '50');
    const blocker = admin.duplicate();
    kit.cleanup(() => blocker.disconnect());
    const script = blocker.eval('while true do end', 1, lock.name).catch((error: unknown) => String(error));
    const busy = () =>
      admin.get(lock.name).then(
        () => false,
        (error: unknown) => String(error).includes('BUSY'),
      );
    await waitUntil(busy, { what: 'the script to block the server' });
    const waiting = lock.acquire({ waitMs: 30_000 });
    await expect(lock.tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
    await admin.script('KILL');
    await (await waiting).release();
    expect(await script).toContain('killed');
    await kit.cluster.whenReady();
  }, 180_000);

  it('NOPERM for an inbox: its connection is not made anew for each message that cannot come', async () => {
    driveTime(kit).flow();
    const { nodes } = kit.cluster;
    for (const node of nodes)
      await (await node.admin()).acl('SETUSER', 'deaf', 'on', '>secret', '~*', 'resetchannels', '+@all');
    const redis = kit.template() as Cluster;
    Object.assign(redis.options.redisOptions ?? {}, { username: 'deaf', password: 'secret' });
    const connectionsMade = async () => {
      const told = await Promise.all(nodes.map(async (node) => (await node.admin()).info('stats')));
      return told.map((stats) => Number(/total_connections_received:(\d+)/.exec(stats)?.[1]));
    };
    const deaf = kit.open({ redis });
    const refusals = new Promise((resolve) => deaf.on('error', resolve));
    const names = Array.from({ length: 4 }, freshName);
    const holder = kit.open();
    /** Each is given to the client that hears of nothing, and is found by its next ask. */
    const round = async () => {
      const holds = await Promise.all(names.map((name) => holder.getLock(name).acquire()));
      const waiting = names.map((name) => deaf.getLock(name).acquire());
      for (const name of names) await whenQueued(holder, name, 1);
      await Promise.all(holds.map((hold) => hold.release()));
      for (const hold of await Promise.all(waiting)) await hold.release();
    };
    await round();
    await refusals;
    const before = await connectionsMade();
    for (let times = 0; times < 3; times++) await round();
    expect(await connectionsMade()).toEqual(before);
  }, 180_000);
});
