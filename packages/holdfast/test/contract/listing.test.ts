import { randomUUID } from 'node:crypto';
import { countCommands, type FaultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type ListedLock, type ListLocksOptions, type LockClient, LockClientClosedError } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';

const kit = useRedis();

/** Locks of the test's own: the server may be shared. */
const freshPrefix = () => `list-${randomUUID()}:`;

async function listed(client: LockClient, options?: ListLocksOptions): Promise<ListedLock[]> {
  const found: ListedLock[] = [];
  for await (const lock of client.listLocks(options)) found.push(lock);
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The connection breaks, and there is no other until the proxy heals. */
async function cut(client: LockClient, proxy: FaultProxy): Promise<void> {
  proxy.refuse();
  proxy.reset();
  await waitUntil(() => !client.ready, { what: 'the loss is seen' });
}

const namesOf = (locks: readonly ListedLock[]) => locks.map(({ name }) => name);

describe('listLocks', () => {
  it('names the locks that are held, of every kind, with owner and queue; and nothing else', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    const other = openClient(kit, { prefix });
    const hold = await client.getLock('plain').acquire({ leaseMs: 60_000 });
    const waiting = other.getLock('plain').acquire();
    await waitUntil(async () => (await client.inspect('plain')).queue.length === 1, { what: 'a waiter' });
    const fenced = await client.getFencedLock('fenced').acquire();
    const readers = await Promise.all(
      [client, other].map((each) => each.getReadWriteLock('shared').readLock().acquire()),
    );
    const java = '6e1c9d4e-6b0c-4f6e-8a53-7a2ab1a6d8f1:42';
    await kit.admin.multi().hset(`${prefix}java`, java, 2).pexpire(`${prefix}java`, 60_000).exec();
    await kit.admin.multi().hset(`${prefix}record`, 'name', 'Ada').pexpire(`${prefix}record`, 60_000).exec();
    await kit.admin.set(`${prefix}text`, '1', 'PX', 60_000);
    const locks = await listed(client);
    expect(locks).toEqual([
      expect.objectContaining({ name: 'fenced', holders: 1, waiting: 0 }),
      expect.objectContaining({ name: 'java', waiting: 0 }),
      expect.objectContaining({ name: 'plain', holders: 1, waiting: 1 }),
      expect.objectContaining({ name: 'shared', holders: 2, waiting: 0, side: 'read' }),
    ]);
    expect(locks.map(({ owner }) => owner.kind)).toEqual(['this-client', 'foreign', 'this-client', expect.any(String)]);
    expect(locks[1]?.owner).toMatchObject({ id: java, holdCount: 2 });
    expect(locks[3]?.owner.kind).not.toBe('foreign');
    expect(locks[2]?.remainingMs).toBeGreaterThan(30_000);
    await Promise.all([hold, fenced, ...readers].map((each) => each.release()));
    await (await waiting).release();
    expect(namesOf(await listed(client))).toEqual(['java']);
  });

  it('narrows by a pattern, in which the prefix stands for itself', async () => {
    const prefix = `${freshPrefix()}[a-c]*:`;
    const client = openClient(kit, { prefix });
    const stranger = openClient(kit, { prefix: prefix.replace('[a-c]*', 'bx') });
    const names = ['order:1', 'order:2', 'order:*', 'user:1'];
    const holds = await Promise.all([...names, 'x'].map((name) => client.getLock(name).acquire()));
    await stranger.getLock('order:3').withLock(async () => {
      expect(namesOf(await listed(client, { match: 'order:*' }))).toEqual(['order:*', 'order:1', 'order:2']);
      expect(namesOf(await listed(client, { match: String.raw`order:\*` }))).toEqual(['order:*']);
      expect(namesOf(await listed(client, { match: '?' }))).toEqual(['x']);
      expect(namesOf(await listed(client, { match: '[ou]*:1' }))).toEqual(['order:1', 'user:1']);
    });
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('names each lock once, of more than fit into a page, and ends at its limit', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    const names = Array.from({ length: 700 }, (_, index) => `many:${index}`);
    const holds = await Promise.all(names.map((name) => client.getLock(name).acquire()));
    expect(namesOf(await listed(client))).toEqual(names.sort());
    expect(await listed(client, { limit: 7 })).toHaveLength(7);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('does nothing until it is read, and stops when the reader does', async () => {
    const client = openClient(kit, { prefix: freshPrefix() });
    const hold = await client.getLock('one').acquire();
    const counter = await countCommands(kit.admin);
    const locks = client.listLocks();
    expect(await counter.delta()).not.toHaveProperty('scan');
    for await (const lock of locks) {
      expect(lock.name).toBe('one');
      break;
    }
    expect(await locks.next()).toEqual({ done: true, value: undefined });
    await hold.release();
  });

  it('refuses options that cannot work at once, and a client that is closed when it is read', async () => {
    const client = openClient(kit);
    for (const options of [{ match: 7 }, { limit: '1' }, { limits: 1 }] as unknown as ListLocksOptions[]) {
      expect(() => client.listLocks(options)).toThrow(TypeError);
    }
    expect(() => client.listLocks({ limit: 0 })).toThrow(RangeError);
    const late = client.listLocks();
    await client.close();
    expect(await failureOf(late.next())).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
  });

  it('rejects with LOCK_REFUSED where the user may not scan, and with LOCK_UNAVAILABLE where nobody answers', async () => {
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~*', '&*', '+@all', '-scan');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const { host, port } = kit.server;
    const limited = openClient(kit, { redis: { host, port, username: user, password: 'x' } });
    expect(await failureOf(limited.listLocks().next())).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
    const nowhere = openClient(kit, { redis: { host: '127.0.0.1', port: 1 }, responseTimeoutMs: 100 });
    expect(await failureOf(nowhere.listLocks().next())).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it('waits for a server that is away, and goes on with every lock once when it is back', async () => {
    const prefix = freshPrefix();
    const holder = openClient(kit, { prefix });
    const names = Array.from({ length: 700 }, (_, index) => `many:${index}`);
    const holds = await Promise.all(names.map((name) => holder.getLock(name).acquire()));
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, prefix });
    await client.connect();
    proxy.hold('down');
    const locks = client.listLocks();
    const first = locks.next();
    await waitUntil(() => proxy.heldBytes > 0, { what: 'a page under way' });
    await cut(client, proxy);
    await proxy.heal();
    const found = [(await first).value?.name];
    await cut(client, proxy);
    const rest = (async () => {
      for await (const { name } of locks) found.push(name);
    })();
    await turns(20);
    await proxy.heal();
    await rest;
    expect(found).toHaveLength(names.length);
    expect(new Set(found)).toEqual(new Set(names));
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('names the server that did not answer in time, and why', async () => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, responseTimeoutMs: 400 });
    await client.connect();
    proxy.hold('down');
    const step = failureOf(client.listLocks().next());
    await waitUntil(() => proxy.heldBytes > 0, { what: 'a page under way' });
    await cut(client, proxy);
    expect(await step).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(`No answer about the keys of ${proxy.host}:${proxy.port}: nothing listens`),
    });
  });

  it('ends when the client is closed, also over a Redis of yours that says nothing', async () => {
    const proxy = await openProxy(kit);
    const redis = new Redis(proxy.url);
    kit.cleanup(() => redis.disconnect());
    const client = openClient(kit, { redis });
    await client.connect();
    proxy.blackHole();
    const step = failureOf(client.listLocks().next());
    // The first page has been asked for.
    await turns(20);
    await client.close();
    expect(await step).toBeInstanceOf(LockClientClosedError);
  });
});

describe('inspect of a read-write lock', () => {
  it('names those who read, those who wait and what for, and the writer', async () => {
    const [client, other, third] = [openClient(kit), openClient(kit), openClient(kit)];
    // Not of a process that reads: that one lets its own readers in until it has heard of the writer.
    const fourth = openClient(kit);
    const name = freshName();
    const lockOf = (each: LockClient) => each.getReadWriteLock(name);
    const reading = await Promise.all([client, other].map((each) => lockOf(each).readLock().acquire()));
    const writing = lockOf(third).writeLock().acquire({ leaseMs: 50_000 });
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'a writer waits' });
    const late = lockOf(fourth).readLock().acquire();
    await waitUntil(async () => (await client.inspect(name)).queue.length === 2, { what: 'a reader waits' });
    const read = await client.inspect(name);
    expect(read).toMatchObject({ name, side: 'read', owner: { holdCount: 1, resting: false } });
    expect(read.holders.map(({ kind }) => kind).sort()).toEqual(['holdfast', 'this-client']);
    expect(read.queue).toEqual([
      expect.objectContaining({ side: 'write', leaseMs: 50_000, id: expect.stringContaining(third.clientId) }),
      expect.objectContaining({ side: 'read', thisClient: false }),
    ]);
    await Promise.all(reading.map((hold) => hold.release()));
    const hold = await writing;
    const written = await third.inspect(name);
    expect(written).toMatchObject({ side: 'write', owner: { kind: 'this-client' }, queue: [{ side: 'read' }] });
    expect(written.remainingMs).toBeGreaterThan(0);
    await hold.release();
    await (await late).release();
    expect(await client.inspect(name)).toMatchObject({ side: undefined, holders: [], queue: [] });
  });
});
