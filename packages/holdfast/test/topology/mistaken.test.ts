/** A Cluster that is taken for one server, and the other way round: both are told for what they are, at once. */

import { type RedisKit, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { holdfast } from '../cli/terminal.js';
import { freshName, openClient } from '../support/clients.js';
import { everyCall } from '../support/given-connections.js';
import { failureOf } from '../support/outcomes.js';
import { useCluster } from '../support/topologies.js';

/** So long that no call ends by them while the test runs. */
const patient = { attemptTimeoutMs: 600_000, responseTimeoutMs: 600_000 };

describe('a node of a Cluster that is given as a single server', () => {
  const kit = useCluster();
  /** A node, and a name of a lock that another one keeps. */
  const oneOfThem = async () => {
    const [node] = kit.nodes as [(typeof kit.nodes)[number]];
    let name = freshName();
    while ((await kit.cluster.nodeOfKey(name)).port === node.port) name = freshName();
    return { url: node.url, name };
  };

  it('refuses a lock that another node keeps at once, with what to do; the lock is taken nowhere', async () => {
    const { url, name } = await oneOfThem();
    const client = kit.open({ redis: url, ...patient });
    const lock = client.getLock(name);
    const calls = [
      lock.tryLock(),
      lock.tryLock(500_000),
      lock.lock(),
      lock.withLock(() => undefined),
      lock.isLocked(),
      lock.forceUnlock(),
      client.inspect(name),
    ];
    for (const failure of await Promise.all(calls.map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_REFUSED',
        redisCode: 'MOVED',
        // In a Cluster of Valkey 9 there may be databases.
        message: expect.stringMatching(
          /a node of a Redis Cluster.*pass an ioredis Cluster|the database in the options does not exist there/,
        ),
      });
    }
    const owner = await (await kit.cluster.nodeOfKey(name)).admin();
    expect(await owner.exists(name)).toBe(0);
  });

  it('is told as an unsafe setting, and by the doctor', async () => {
    const { url, name } = await oneOfThem();
    const client = kit.open({ redis: url });
    const found: unknown[] = [];
    client.on('unsafe-setting', ({ setting, value }) => found.push({ setting, value }));
    await failureOf(client.getLock(name).tryLock());
    await waitUntil(() => found.length > 0, { what: 'the event' });
    expect(found).toEqual([{ setting: 'cluster-enabled', value: 'yes' }]);
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const { output } = await holdfast(server, ['doctor', '--redis', url]);
    expect(output).toMatch(/^bad +mode .*--cluster$/m);
  }, 20_000);

  it('has no databases: with one in the URL every call ends at once, with what to do', async () => {
    const { url } = await oneOfThem();
    const client = kit.open({ redis: `${url}/1`, ...patient });
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        // In a Cluster of Valkey 9 there may be databases.
        message: expect.stringMatching(
          /a node of a Redis Cluster.*pass an ioredis Cluster|the database in the options does not exist there/,
        ),
      });
    }
  });

  it('is told to have no database but 0 when it was given as a Cluster with one', async () => {
    const { host, port } = await kit.cluster.nodeOfKey('any');
    const cluster = new Cluster([{ host, port }], { lazyConnect: true, redisOptions: { db: 2 } });
    kit.cleanup(() => cluster.disconnect());
    const client = kit.open({ redis: cluster, ...patient });
    // Some have several, and not that many.
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf)))
      expect((failure as Error).message).toMatch(/no database but 0: leave db out|database .* does not exist/);
  });

  it('is no unsafe setting when it was given as a Cluster', async () => {
    const client = kit.open();
    const found: unknown[] = [];
    client.on('unsafe-setting', (event) => found.push(event));
    await client.getLock(freshName()).withLock(() => undefined);
    await client.getLock(freshName()).withLock(() => undefined);
    expect(found).toEqual([]);
  });
});

describe('a single server that is given as a Cluster', () => {
  const kit = useRedis(startPrivateRedis);

  it('is told for what it is, at once, by every call', async () => {
    const { host, port } = kit.server;
    const cluster = new Cluster([{ host, port }], { lazyConnect: true });
    kit.cleanup(() => cluster.disconnect());
    const client = openClient(kit, { redis: cluster, ...patient });
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/no node of a Redis Cluster: pass an ioredis Redis/),
      });
    }
  });
});
