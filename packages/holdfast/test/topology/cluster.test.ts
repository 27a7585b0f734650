import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { keySlot } from '@holdfast/core';
import { countCommands, driveTime, faultProxy, type RedisServer, waitUntil } from '@holdfast/testkit';
import { createLockClient } from 'holdfast';
import { Cluster, Redis } from 'ioredis';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { calm, useCluster } from '../support/topologies.js';
import { itServesEveryDay } from './everyday.js';

const kit = useCluster();

describe('in a Cluster', () => {
  itServesEveryDay(kit);

  it.each(['{tag}:a', 'a{b}c', '}x{y}', 'ключ', 'x'.repeat(400)])(
    'a lock named %j lives in the slot of its name',
    async (name) => {
      const client = kit.open(calm);
      const own = `${freshName()}${name}`;
      const hold = await client.getLock(own).acquire();
      const admin = await (await kit.cluster.nodeOfKey(own)).admin();
      expect(await admin.exists(own)).toBe(1);
      expect(await kit.cluster.slotOf(own)).toBe(keySlot(own));
      await hold.release();
    },
  );

  it('keyPrefix is part of what is hashed', async () => {
    const startupNodes = kit.nodes.map(({ host, port }) => ({ host, port }));
    const redis = new Cluster(startupNodes, { keyPrefix: 'app:', lazyConnect: true });
    kit.cleanup(() => redis.disconnect());
    const [client, other] = [kit.open({ ...calm, redis }), kit.open({ ...calm, redis })];
    for (let i = 0; i < 4; i++) {
      const name = freshName();
      const hold = await client.getLock(name).acquire();
      expect(await other.getLock(name).tryLock()).toBe(false);
      const admin = await (await kit.cluster.nodeOfKey(`app:${name}`)).admin();
      expect(await admin.exists(`app:${name}`)).toBe(1);
      await hold.release();
    }
  });

  it('connect() hears from every master once more after a second of quiet, and from none before', async () => {
    const time = driveTime(kit);
    const client = kit.open(calm);
    await client.connect();
    // Not of replicas: their masters ping them now and then.
    const masters = await kit.cluster.masters();
    const counters = await Promise.all(masters.map(async (node) => countCommands(await node.admin())));
    const pings = async () => Promise.all(counters.map(async (counter) => (await counter.delta())['ping'] ?? 0));
    await client.connect();
    expect(await pings()).toEqual([0, 0, 0]);
    await time.advance(1_000);
    await client.connect();
    expect(await pings()).toEqual([1, 1, 1]);
  });

  it('members of a multi-lock are taken and given back by one command for each slot', async () => {
    const client = kit.open(calm);
    const tag = freshName();
    const all = client.getMultiLock([`{${tag}}:a`, `{${tag}}:b`, `{${tag}}:c`, freshName(), freshName()]);
    await all.withLock(() => undefined);
    const counters = await Promise.all(kit.nodes.map(async (node) => countCommands(await node.admin())));
    await all.withLock(() => undefined);
    const counts = await Promise.all(counters.map((counter) => counter.delta()));
    const scripts = counts.map(({ evalsha = 0, eval: whole = 0 }) => evalsha + whole);
    expect(scripts.reduce((sum, count) => sum + count)).toBe(3 + 3);
    expect(await all.isLocked()).toBe(false);
  });

  it('locks that are waited for are asked for again by one command for each slot', async () => {
    const time = driveTime(kit);
    const options = { ...calm, reaskMs: 1_500, claimLeaseMs: 60_000, watchdogTimeoutMs: 600_000 };
    const [holder, client] = [kit.open(options), kit.open(options)];
    const tag = freshName();
    const names = [`{${tag}}:a`, `{${tag}}:b`, `{${tag}}:c`, freshName(), freshName()];
    await Promise.all(names.map((name) => holder.getLock(name).acquire()));
    await client.connect();
    for (const name of names)
      client
        .getLock(name)
        .acquire()
        .catch(() => undefined);
    // Each answer comes from the server of its lock. What is asked because of the first is answered by then, too.
    const settled = async () => {
      for (const name of [...names, ...names]) await client.getLock(name).remainTimeToLive();
    };
    await settled();
    // Once in full, where a server does not know the script.
    await time.advance(1_500);
    await settled();
    const counters = await Promise.all(kit.nodes.map(async (node) => countCommands(await node.admin())));
    await time.advance(1_500);
    await settled();
    const counts = await Promise.all(counters.map((counter) => counter.delta()));
    const scripts = counts.map(({ evalsha = 0, eval: whole = 0 }) => evalsha + whole);
    expect(scripts.reduce((sum, count) => sum + count)).toBe(3 + 2 * names.length);
    expect(client.stats().waiting).toBe(names.length);
  });

  it('leases of the dead that run out while others wait leave the connection for messages alone', async () => {
    const name = freshName();
    const waiter = kit.open(calm);
    const admin = await (await kit.cluster.nodeOfKey(name)).admin();
    const subscribers = async () => {
      const lists = await Promise.all(
        kit.nodes.map(async (node) => String(await (await node.admin()).call('CLIENT', 'LIST', 'TYPE', 'pubsub'))),
      );
      return lists.flatMap((list) => [...list.matchAll(/^id=\d+ addr=\S+/gm)].map(([one]) => one)).sort();
    };
    await waiter.connect();
    const before = await subscribers();
    for (const process of ['a', 'b', 'c', 'd']) {
      await admin.hset(name, `${process.repeat(21)}:1.${process.repeat(10)}`, 1, 'seq', 1);
      await admin.pexpire(name, 300);
      const hold = await waiter.getLock(name).acquire();
      await hold.release();
    }
    expect(await subscribers()).toEqual(before);
  });

  it('a client that is closed while a node that hangs is asked for the map leaves no socket', async () => {
    const [hanging] = (await kit.cluster.replicasOfKey(freshName())) as [RedisServer];
    await hanging.stopProcess();
    kit.cleanup(async () => {
      await hanging.continueProcess();
      await kit.cluster.whenAgreed();
    });
    const before = new Set(sockets());
    const added = () => sockets().filter((socket) => !before.has(socket));
    const redis = new Cluster([{ host: hanging.host, port: hanging.port }], { lazyConnect: true });
    const client = createLockClient({ ...calm, redis });
    const call = failureOf(client.getLock(freshName()).lock());
    await waitUntil(() => added().length > 0, { what: 'the connection to it' });
    await client.close();
    expect(added()).toEqual([]);
    expect(await call).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
  }, 30_000);

  it('a replica that hangs leaves the single attempt of a new client time for its lock', async () => {
    const name = freshName();
    const [hanging] = (await kit.cluster.replicasOfKey(name)) as [RedisServer];
    const named = [hanging, await kit.cluster.nodeOfKey(name)].map(({ host, port }) => ({ host, port }));
    await hanging.stopProcess();
    kit.cleanup(async () => {
      await hanging.continueProcess();
      await kit.cluster.whenAgreed();
    });
    // Which of the two is asked first is left to chance.
    const calls = Array.from({ length: 8 }, () => {
      const redis = new Cluster(named, { lazyConnect: true, slotsRefreshTimeout: 10_000 });
      return kit.open({ attemptTimeoutMs: 8_000, redis }).getLock(freshName()).tryLock();
    });
    expect(await Promise.all(calls)).toEqual(calls.map(() => true));
  }, 30_000);

  it('a node that answers late, but within slotsRefreshTimeout, is heard', async () => {
    const network = await faultProxy({ target: await kit.cluster.nodeOfKey('x') });
    kit.cleanup(() => network.close());
    network.delay(150);
    const { host, port } = network;
    const redis = new Cluster([{ host, port }], { lazyConnect: true, slotsRefreshTimeout: 10_000 });
    const client = kit.open({ ...calm, attemptTimeoutMs: 300, redis });
    await client.getLock(freshName()).withLock(() => undefined);
  }, 30_000);

  it('options of TLS that Node refuses end no process: a call says what is wrong with them, and no attempt is kept', async () => {
    const redis = new Cluster([{ host: '127.0.0.1', port: 1 }], {
      lazyConnect: true,
      redisOptions: { tls: { cert: 'no certificate' } },
    });
    const client = createLockClient({ ...calm, redis });
    const [seen, kept] = [new Set<Redis>(), new Set<Redis>()];
    const disconnect = Reflect.get(Redis.prototype, 'disconnect') as (this: Redis, reconnect?: boolean) => void;
    kit.cleanup(async () => {
      Redis.prototype.disconnect = disconnect;
      await client.close();
    });
    Redis.prototype.disconnect = function (...args) {
      if (this.status === 'end' && !seen.has(this)) kept.add(this);
      seen.add(this);
      disconnect.apply(this, args);
    };
    const failure = await failureOf(client.getLock(freshName()).acquire({ waitMs: 1_500 }));
    expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', message: expect.stringMatching(/no start line/) });
    await waitUntil(() => seen.size > 6, { what: 'further attempts' });
    for (const connections of [seen, kept]) connections.clear();
    await client.close();
    expect(kept.size).toBe(0);
  });

  it('one startup node is enough, also when it is a replica', async () => {
    const [node] = await kit.cluster.replicasOfKey('x');
    const redis = new Cluster([{ host: node?.host, port: node?.port }], { lazyConnect: true });
    kit.cleanup(() => redis.disconnect());
    const client = kit.open({ ...calm, redis });
    for (let i = 0; i < 4; i++) await client.getLock(freshName()).withLock(() => undefined);
  });
});

function sockets(): Socket[] {
  const active = process as unknown as { _getActiveHandles(): unknown[] };
  return active._getActiveHandles().filter((handle) => handle instanceof Socket);
}
