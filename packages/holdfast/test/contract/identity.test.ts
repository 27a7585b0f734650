import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { countCommands, driveTime, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);

const keyOf = ({ clientId }: LockClient) => `holdfast_client:{${clientId}}`;
const registered = (client: LockClient) =>
  waitUntil(async () => (await kit.admin.exists(keyOf(client))) === 1, { what: 'the client is registered' });

describe('a client that says who it is', () => {
  it('is named to others as holder and as waiter, with its place, what it says besides, and for how long', async () => {
    const mine = openClient(kit, { clientName: 'payroll worker', meta: { version: '1.2.3' } });
    const theirs = openClient(kit, { meta: { region: 'eu' } });
    const name = freshName();
    const hold = await mine.getLock(name, { owner: 'shift:1' }).acquire();
    const waiting = theirs.getLock(name).acquire();
    await Promise.all([mine, theirs].map(registered));
    const stranger = openClient(kit);
    await waitUntil(async () => (await stranger.inspect(name)).queue.length === 1, { what: 'a waiter' });
    const place = { host: hostname(), pid: process.pid };
    const seen = await stranger.inspect(name);
    expect(seen.owner).toMatchObject({
      id: expect.stringMatching(/^shift:1:/),
      client: { name: 'payroll worker', ...place, meta: { version: '1.2.3' } },
      ageMs: expect.any(Number),
    });
    expect(seen.queue[0]?.client).toEqual({ name: `${hostname()}:${process.pid}`, ...place, meta: { region: 'eu' } });
    const { value } = await stranger.listLocks({ match: name }).next();
    expect(value).toMatchObject({ name, owner: { client: { name: 'payroll worker' } } });
    await hold.release();
    await (await waiting).release();
  });

  it('is known by its name to CLIENT LIST too, as far as its connections are ours and have no other', async () => {
    const named = async () => {
      const list = String(await kit.admin.client('LIST'));
      return [...list.matchAll(/ name=(\S+)/g)].map(([, name]) => name);
    };
    const client = openClient(kit, { clientName: 'payroll worker' });
    await client.connect();
    await waitUntil(async () => (await named()).filter((name) => name === 'payroll_worker').length === 2, {
      what: 'both connections have the name',
    });
    const { host, port } = kit.server;
    const other = openClient(kit, { clientName: 'a', redis: { host, port, connectionName: 'mine' } });
    await other.connect();
    await waitUntil(async () => (await named()).filter((name) => name === 'mine').length === 2, {
      what: 'theirs stays',
    });
    expect(await named()).not.toContain('a');
  });

  it('costs one key for however many locks, which is renewed while it lives and gone when it is closed', async () => {
    const time = driveTime(kit);
    const client = openClient(kit, { clientName: 'a', watchdogTimeoutMs: 30_000 });
    const holds = await Promise.all(Array.from({ length: 20 }, () => client.getLock(freshName()).acquire()));
    await time.advance(1);
    await registered(client);
    expect(await kit.admin.keys('holdfast_client:*')).toEqual([keyOf(client)]);
    await kit.admin.pexpire(keyOf(client), 5_000);
    await time.advance(11_000);
    await waitUntil(async () => (await kit.admin.pttl(keyOf(client))) > 20_000, { what: 'it is renewed' });
    await Promise.all(holds.map((hold) => hold.release()));
    time.flow();
    await client.close();
    expect(await kit.admin.keys('holdfast_client:*')).toEqual([]);
  });

  it('is named with its first lock, also where that waits for the connection, and again with the next connection', async () => {
    const time = driveTime(kit);
    const proxy = await openProxy(kit);
    proxy.hold('down');
    const client = openClient(kit, { clientName: 'a', redis: proxy.url });
    const taken = client.getLock(freshName()).acquire();
    await time.advance(1);
    await waitUntil(() => proxy.heldBytes > 0, { what: 'a connection that is being made' });
    await proxy.heal();
    const hold = await taken;
    await time.advance(1);
    await registered(client);
    // As by a server that has lost its data.
    await kit.admin.del(keyOf(client));
    const lostAt = time.now();
    proxy.reset();
    await waitUntil(
      async () => {
        await time.advance(50);
        return (await kit.admin.exists(keyOf(client))) === 1;
      },
      { what: 'the client is registered again' },
    );
    expect(time.now() - lostAt).toBeLessThan(5_000); // a third of the TTL are 10 s
    await hold.release();
  });

  it('sends nothing of it between the commands of a lock: an uncontended cycle still costs 2', async () => {
    const client = openClient(kit, { clientName: 'a' });
    await client.getLock(freshName()).withLock(() => undefined);
    await registered(client);
    const counter = await countCommands(kit.admin);
    for (let cycle = 0; cycle < 10; cycle++) await client.getLock(freshName()).withLock(() => undefined);
    expect((await counter.delta())['evalsha']).toBe(20);
  });

  it('locks all the same where the right to that key is missing: names are not known, and it is told once', async () => {
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~lock-*', '~holdfast_[^c]*', '&*', '+@all');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const { host, port } = kit.server;
    const errors: { message?: unknown }[] = [];
    const client = openClient(kit, { clientName: 'a', redis: { host, port, username: user, password: 'x' } });
    client.on('error', (error) => errors.push(error as Error));
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    await waitUntil(() => errors.length > 0, { what: 'it is told' });
    expect(errors[0]?.message).toMatch(/refuses to keep the name of this client; locks work/);
    expect((await client.inspect(name)).owner).toMatchObject({
      kind: 'this-client',
      client: undefined,
      ageMs: undefined,
    });
    await hold.release();
    await client.getLock(name).withLock(() => undefined);
    await client.close();
    expect(errors).toHaveLength(1);
  });

  it('whose entry somebody else has written is named only if that makes sense', async () => {
    const client = openClient(kit, { clientName: 'a' });
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    await registered(client);
    for (const text of ['', 'x', '[]', 'null', '{"name":1}', '{"name":"a","host":"b","pid":"1","epochMs":1}']) {
      await kit.admin.set(keyOf(client), text, 'PX', 60_000);
      expect((await client.inspect(name)).owner).toMatchObject({ client: undefined });
    }
    await kit.admin.del(keyOf(client));
    await kit.admin.hset(keyOf(client), 'a', 'b');
    expect((await client.inspect(name)).owner).toMatchObject({ client: undefined });
    await kit.admin.del(keyOf(client));
    await hold.release();
  });
});

describe('a client that says nothing of itself', () => {
  it('writes no key, has ids as ever, and is not asked about', async () => {
    const client = openClient(kit);
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const counter = await countCommands(kit.admin);
    const { owner } = await client.inspect(name);
    expect(owner?.id).toMatch(new RegExp(`^${client.clientId}:\\d+\\.[\\w-]{10}$`));
    expect(owner?.client).toBeUndefined();
    expect(await counter.delta()).not.toHaveProperty('get');
    expect(await kit.admin.keys('holdfast_client:*')).toEqual([]);
    await hold.release();
  });
});

it('who a client is has limits, told before anything is sent', () => {
  const make = (options: Record<string, unknown>) => () =>
    createLockClient({ redis: kit.server.url, ...options } as unknown as LockClientOptions);
  for (const clientName of [7, null, {}]) expect(make({ clientName })).toThrow(TypeError);
  for (const clientName of ['', 'a\nb', 'x'.repeat(129), '\uD800']) expect(make({ clientName })).toThrow(RangeError);
  for (const meta of ['a', [], { a: 1 }, null, new Map([['a', 'b']]), new Date()])
    expect(make({ meta })).toThrow(TypeError);
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v']));
  for (const meta of [many, { a: '' }, { a: 'x'.repeat(257) }]) expect(make({ meta })).toThrow(RangeError);
});
