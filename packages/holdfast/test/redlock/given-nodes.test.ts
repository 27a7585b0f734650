/** Nodes that are clients of the user's: their connections are not ours to replace. */
import { once } from 'node:events';
import { guardLeaks, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createRedLockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName } from '../support/clients.js';

const leaks = guardLeaks();

it('a node that has become a replica and a master again counts no more, on the same connection too', async () => {
  const servers = await Promise.all([0, 1, 2, 3].map(() => startPrivateRedis()));
  leaks.cleanup(() => Promise.all(servers.map((server) => server.stop())));
  const nodes = servers.slice(0, 3).map(({ host, port }) => new Redis({ host, port }));
  leaks.cleanup(() => nodes.forEach((node) => node.disconnect()));
  const client = createRedLockClient({ nodes, watchdogTimeoutMs: 500, nodeTimeoutMs: 500 });
  leaks.cleanup(() => client.close());
  await client.connect({ timeoutMs: 20_000 });
  await waitUntil(() => client.nodes.every(({ state }) => state === 'may vote'), { what: 'all to vote' });
  const other = servers[3];
  const admin = new Redis({ host: servers[0]?.host, port: servers[0]?.port });
  leaks.cleanup(async () => {
    admin.disconnect();
    await once(admin, 'end');
  });
  await admin.replicaof(String(other?.host), Number(other?.port));
  await client.getRedLock(freshName()).withLock(() => undefined);
  await admin.replicaof('NO', 'ONE');
  await client.getRedLock(freshName()).withLock(() => undefined);
  expect(client.nodes.map(({ state }) => state)).toEqual(['replica', 'may vote', 'may vote']);
}, 60_000);

it('says of a node with other data under the name that it does not vote, and nothing of a connection', async () => {
  const name = freshName();
  const servers = await Promise.all([0, 1, 2].map(() => startPrivateRedis()));
  leaks.cleanup(() => Promise.all(servers.map((server) => server.stop())));
  const nodes = servers.map(({ host, port }) => new Redis({ host, port }));
  leaks.cleanup(() => nodes.forEach((node) => node.disconnect()));
  const client = createRedLockClient({ nodes, watchdogTimeoutMs: 500, nodeTimeoutMs: 500 });
  leaks.cleanup(() => client.close());
  await client.connect({ timeoutMs: 20_000 });
  await waitUntil(() => client.nodes.every(({ state }) => state === 'may vote'), { what: 'all to vote' });
  const told: string[] = [];
  client.on('error', ({ message }) => told.push(message));
  await nodes[0]?.set(name, 'of an application');
  await client.getRedLock(name).withLock(() => undefined);
  await waitUntil(() => told.length > 0, { what: 'it is told' });
  const { host, port } = servers[0] ?? {};
  expect(told).toEqual([expect.stringContaining(`${host}:${port} does not vote: NOTALOCK`)]);
}, 60_000);
