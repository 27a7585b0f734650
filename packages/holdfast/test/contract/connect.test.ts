import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
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
