/** One address, two servers behind it: what leads to the one now may lead to the other later, and open connections stay where they are. */

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type FaultProxy,
  faultProxy,
  type RedisServer,
  startPrivateRedis,
  waitUntil,
  whenReplicated,
} from '@holdfast/testkit';
import { createLockClient, type LockClient } from 'holdfast';
import { freshName } from '../support/clients.js';

const args = ['--repl-diskless-sync-delay', '0'];
let master: RedisServer;
let replica: RedisServer;
let address: FaultProxy;
let clients: LockClient[] = [];

beforeEach(async () => {
  master = await startPrivateRedis({ args });
  replica = await startPrivateRedis({ args, config: `replicaof ${master.host} ${master.port}\n` });
  await linked(replica);
  address = await faultProxy({ target: master });
}, 40_000);

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
  await address.close();
  await replica.stop();
  await master.stop();
});

/** It asks again by itself so seldom that only a message brings it on. */
function create(): LockClient {
  const times = { reaskMs: 60_000, claimLeaseMs: 90_000, watchdogTimeoutMs: 120_000 };
  const client = createLockClient({ redis: address.url, ...times });
  clients.push(client);
  client.on('unsafe-setting', () => undefined);
  return client;
}

/** One that listens already. */
async function open(): Promise<LockClient> {
  const client = create();
  await client.getLock(freshName()).withLock(() => undefined);
  await waitUntil(() => listens(client, master), { what: 'the client listens' });
  return client;
}

async function linked(server: RedisServer): Promise<void> {
  const admin = await server.admin();
  const isLinked = async () => (await admin.info('replication')).includes('master_link_status:up');
  await waitUntil(isLinked, { what: 'the replica to be linked', timeoutMs: 20_000 });
}

async function listens({ clientId }: LockClient, at: RedisServer): Promise<boolean> {
  const admin = await at.admin();
  return Number((await admin.pubsub('NUMSUB', `holdfast_inbox:${clientId}`))[1]) === 1;
}

async function waiting(name: string, at: RedisServer): Promise<void> {
  const admin = await at.admin();
  const waits = async () => (await admin.zcard(`holdfast_queue:{${name}}`)) === 1;
  await waitUntil(waits, { what: 'a call to wait' });
}

/** As Redis plans one: both have the data, and both live on. */
async function failOver(): Promise<RedisServer> {
  await whenReplicated(master);
  await (await replica.admin()).replicaof('NO', 'ONE');
  await (await master.admin()).replicaof(replica.host, replica.port);
  await linked(master);
  address.leadTo(replica);
  return replica;
}

/** Connections for messages that are lost come back at the replica, those for commands are where they were. */
async function comeBackAtTheReplica(): Promise<RedisServer> {
  address.leadTo(replica);
  await (await master.admin()).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  const areThere = async () => (await Promise.all(clients.map((client) => listens(client, replica)))).every(Boolean);
  await waitUntil(areThere, { what: 'all to listen at the replica' });
  address.leadTo(master);
  return master;
}

describe('an address that leads to another server than before', () => {
  it('a call whose client listens at what is a replica now has no lock before the new master gives it one', async () => {
    const [first, second] = [await open(), await open()];
    const lock = first.getLock(freshName());
    const hold = await lock.acquire();
    let isIn = false;
    const waits = second.getLock(lock.name).acquire();
    waits.then(
      () => {
        isIn = true;
      },
      () => undefined,
    );
    await waiting(lock.name, master);
    const server = await failOver();
    await hold.release();
    await using _ = await lock.acquire();
    // What the new master has sent before has come, too, to whoever listens at the old one.
    const listener = (await master.admin()).duplicate();
    await listener.subscribe('later');
    const heard = new Promise((resolve) => listener.on('message', resolve));
    await (await server.admin()).publish('later', '');
    await heard;
    listener.disconnect();
    await second.getLock(freshName()).isLocked();
    expect(isIn).toBe(false);
  });

  it.each([
    ['a failover that the connections for messages have outlived', failOver],
    ['connections for messages that have come to a replica', comeBackAtTheReplica],
  ])('%s: they are made anew until each call is told of its turn', async (_, move) => {
    const [first, second] = [await open(), await open()];
    const name = freshName();
    const server = await move();
    // The next command finds where the locks are now.
    for (const client of clients) await client.getLock(freshName()).withLock(() => undefined);
    for (const client of clients)
      await waitUntil(() => listens(client, server), { what: 'it to listen where its commands go' });
    let holder = await first.getLock(name).acquire();
    for (const client of [second, first, second]) {
      const next = client.getLock(name).acquire();
      await waiting(name, server);
      await holder.release();
      holder = await next;
    }
    await holder.release();
  });

  it.each([
    ['waits for a latch', (client: LockClient) => client.getCountDownLatch('parts').await()],
    ['observes an election', (client: LockClient) => client.election('leader').observe().next()],
  ])('a client that only %s listens where its commands go, too', async (_, listen) => {
    const client = create();
    await client.getCountDownLatch('parts').trySetCount(1);
    listen(client).catch(() => undefined);
    await waitUntil(() => listens(client, master), { what: 'it to listen' });
    const server = await failOver();
    await client.getCountDownLatch(freshName()).trySetCount(1);
    await waitUntil(() => listens(client, server), { what: 'it to listen where its commands go' });
  });

  it('a hold goes there too, where its client makes no calls and only renews', async () => {
    const client = createLockClient({ redis: address.url, watchdogTimeoutMs: 6_000 });
    clients.push(client);
    client.on('unsafe-setting', () => undefined);
    const hold = await client.getLock(freshName()).acquire();
    await failOver();
    const { renewed } = client.stats().renewals;
    const isRenewed = () => client.stats().renewals.renewed > renewed || hold.state === 'lost';
    await waitUntil(isRenewed, { what: 'the new master to renew it', timeoutMs: 20_000 });
    expect(hold.state).toBe('held');
  });
});
