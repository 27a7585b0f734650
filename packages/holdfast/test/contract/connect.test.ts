import { driveTime, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { everyWay, openProxy } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);

describe('connect()', () => {
  it.each(everyWay)('resolves when the client is ready to lock: given by $title', async (way) => {
    const client = openClient(kit, { redis: way.open(kit, kit.server) });
    expect(client.ready).toBe(false);
    await client.connect();
    expect(client.ready).toBe(true);
    expect(await kit.admin.pubsub('CHANNELS', `holdfast_inbox:${client.clientId}`)).toHaveLength(1);
    expect(await client.getLock(freshName()).tryLock(5_000)).toBe(true);
  });

  it('may be called as often as you like, and shares what it does', async () => {
    const client = openClient(kit);
    await Promise.all([client.connect(), client.connect()]);
    const connections = await kit.admin.client('LIST');
    await client.connect();
    expect(String(await kit.admin.client('LIST')).split('\n')).toHaveLength(String(connections).split('\n').length);
  });

  it('rejects in time when the server hangs behind a connection that stands, and resolves when it answers again', async () => {
    const time = driveTime(kit);
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: { host: proxy.host, port: proxy.port } });
    await client.connect();
    proxy.blackHole();
    await time.advance(1_000);
    const waiting = failureOf(client.connect({ timeoutMs: 500 }));
    await time.advance(500);
    const failure = await waiting;
    expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect((failure as Error).message).toMatch(/^Redis did not answer in time: is Redis up/);
    expect(client.ready).toBe(true);
    await proxy.heal();
    await client.connect();
  });

  it('asks a server that has been quiet for a second once, for all calls, and one that has just answered nothing', async () => {
    const time = driveTime(kit);
    const client = openClient(kit);
    const pings = async () => Number(/cmdstat_ping:calls=(\d+)/.exec(await kit.admin.info('commandstats'))?.[1] ?? 0);
    await client.connect();
    const before = await pings();
    await client.connect();
    expect(await pings()).toBe(before);
    await time.advance(1_000);
    await Promise.all([client.connect(), client.connect()]);
    await client.connect();
    expect(await pings()).toBe(before + 1);
    await time.advance(1_000);
    await client.getLock(freshName()).withLock(() => undefined);
    await client.connect();
    expect(await pings()).toBe(before + 1);
  });

  it('takes a refusal for an answer: not every user may PING', async () => {
    const time = driveTime(kit);
    await kit.admin.acl('SETUSER', 'no-ping', 'on', '>secret', '~*', '&*', '+@all', '-ping');
    const { host, port } = kit.server;
    const client = openClient(kit, { redis: { host, port, username: 'no-ping', password: 'secret' } });
    await client.connect();
    await time.advance(1_000);
    await client.connect();
  });

  it('rejects when there is no server in time, and works when there is one again', async () => {
    const proxy = await openProxy(kit);
    proxy.refuse();
    const client = openClient(kit, { redis: { host: proxy.host, port: proxy.port } });
    expect(await failureOf(client.connect({ timeoutMs: 200 }))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(/^The client could not connect in time: nothing listens/),
    });
    await proxy.heal();
    await client.connect();
    expect(client.ready).toBe(true);
    proxy.refuse();
    proxy.reset();
    await waitUntil(() => !client.ready, { what: 'the loss is seen' });
    await proxy.heal();
    await client.connect();
    expect(client.ready).toBe(true);
  });

  it('rejects with the reason of its signal, before and while it waits', async () => {
    const proxy = await openProxy(kit);
    proxy.blackHole();
    const client = openClient(kit, { redis: { host: proxy.host, port: proxy.port } });
    const abort = new AbortController();
    const waiting = client.connect({ signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(client.connect({ signal: abort.signal })).rejects.toThrow('enough');
    await proxy.heal();
  });

  it('rejects while the client closes, and after that', async () => {
    const proxy = await openProxy(kit);
    proxy.blackHole();
    const client = openClient(kit, { redis: { host: proxy.host, port: proxy.port } });
    const waiting = failureOf(client.connect());
    await client.close();
    expect(await waiting).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    expect(await failureOf(client.connect())).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    expect(client.ready).toBe(false);
    await proxy.heal();
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: 1.5 }, { signal: 'now' }, { timeout: 5 }])('refuses %j', async (options) => {
    const client = openClient(kit);
    const failure = await failureOf(client.connect(options as never));
    expect(['TypeError', 'RangeError']).toContain((failure as Error).name);
  });
});
