import { type RedisKit, type RedisServer, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LockClient, LockClientEvents, LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { createUser, password } from '../support/acl-rules.js';

type Found = LockClientEvents['unsafe-setting'][0];

let warn: jest.SpiedFunction<typeof process.emitWarning>;

beforeEach(() => {
  warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => warn.mockRestore());

/** What the process was warned of. */
const warned = () => warn.mock.calls.map(([message]) => message);

/** A client and what it says of its server. */
function openWatched(kit: RedisKit, options: Partial<LockClientOptions> = {}): { client: LockClient; found: Found[] } {
  const client = openClient(kit, options);
  const found: Found[] = [];
  client.on('unsafe-setting', (event) => found.push(event));
  return { client, found };
}

const lockOnce = (client: LockClient) => client.getLock(freshName()).withLock(() => undefined);

/** After this the client has read all that the server has to say on the present connection. */
async function looked(kit: RedisKit, { clientId }: LockClient): Promise<void> {
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', `holdfast_inbox:${clientId}`))[1]) === 1, {
    what: 'the client is connected',
  });
}

const startWith =
  (...args: string[]) =>
  () =>
    startPrivateRedis({ args });

describe.each(['allkeys-lru', 'allkeys-random', 'volatile-lru', 'volatile-ttl'])(
  'a server that evicts by %s',
  (value) => {
    const kit = useRedis(startWith('--maxmemory', '100mb', '--maxmemory-policy', value));

    it('is told of once for each of its runs, by an event and one process warning; locks work', async () => {
      const { client, found } = openWatched(kit);
      await lockOnce(client);
      await waitUntil(() => found.length > 0, { what: 'the event' });
      expect(found).toEqual([{ setting: 'maxmemory-policy', value, advice: expect.stringContaining('noeviction') }]);
      await looked(kit, client);
      await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await lockOnce(client);
      expect(found).toHaveLength(1);
      await kit.server.restart();
      await lockOnce(client);
      await waitUntil(() => found.length > 1, { what: 'the event of the next run' });
      await lockOnce(client);
      expect(found).toHaveLength(2);
      expect(warn.mock.calls).toEqual([
        [
          expect.stringContaining(`maxmemory-policy ${value}`),
          { type: 'HoldfastWarning', code: 'HOLDFAST_UNSAFE_SETTING' },
        ],
      ]);
    });
  },
);

describe('a server with a memory limit that does not evict', () => {
  const kit = useRedis(startWith('--maxmemory', '100mb', '--maxmemory-policy', 'noeviction'));

  it('is nothing to tell of, until it is found changed on the next connection', async () => {
    const { client, found } = openWatched(kit);
    await lockOnce(client);
    await looked(kit, client);
    await kit.admin.config('SET', 'maxmemory-policy', 'allkeys-lfu');
    await lockOnce(client);
    expect([found, warned()]).toEqual([[], []]);
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await lockOnce(client);
    await waitUntil(() => found.length > 0, { what: 'the event' });
    await kit.admin.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('is told of with the first lock when a Redis of the user was connected before', async () => {
    await kit.admin.config('SET', 'maxmemory-policy', 'allkeys-lfu');
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    await redis.ping();
    const { client, found } = openWatched(kit, { redis });
    await lockOnce(client);
    await waitUntil(() => found.length > 0, { what: 'the event' });
    await kit.admin.config('SET', 'maxmemory-policy', 'noeviction');
  });
});

describe('a server without a memory limit', () => {
  const kit = useRedis(startWith('--maxmemory-policy', 'allkeys-lru'));

  it('evicts nothing, whatever its policy: nothing to tell of', async () => {
    const { client, found } = openWatched(kit);
    await lockOnce(client);
    await looked(kit, client);
    await lockOnce(client);
    expect([found, warned()]).toEqual([[], []]);
  });
});

describe('a user that may not ask', () => {
  const kit = useRedis(startWith('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'));

  it('hears nothing, and has its locks', async () => {
    await createUser(kit.admin, 'limited', 'locks', '+info');
    kit.cleanup(() => kit.admin.acl('DELUSER', 'limited'));
    const { host, port } = kit.server;
    const enableReadyCheck = false;
    const { client, found } = openWatched(kit, {
      redis: { host, port, username: 'limited', password, enableReadyCheck },
    });
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    await client.getLock('lock:1').withLock(() => undefined);
    await looked(kit, client);
    await client.getLock('lock:1').withLock(() => undefined);
    expect([found, errors, warned()]).toEqual([[], [], []]);
  });
});

describe('a replica behind a plain URL', () => {
  const kit = useRedis(startPrivateRedis);

  async function startReplica(): Promise<RedisServer> {
    const { host, port } = kit.server;
    const replica = await startPrivateRedis({ args: ['--replicaof', `${host} ${port}`] });
    kit.cleanup(() => replica.stop());
    const admin = await replica.admin();
    await waitUntil(async () => (await admin.info('replication')).includes('master_link_status:up'), {
      what: 'the replica has what its master has',
    });
    return replica;
  }

  it('is told of, and calls end in time with the reason', async () => {
    const replica = await startReplica();
    const { client, found } = openWatched(kit, { redis: replica.url, attemptTimeoutMs: 1_000, responseTimeoutMs: 500 });
    // The reason is what the replica answers: an answer that is late because the connection is new would have another one.
    await failureOf(client.connect({ timeoutMs: 300 }));
    const lock = client.getLock(freshName());
    for (const call of [() => lock.tryLock(), () => lock.tryLock(400), () => lock.lock(), () => lock.forceUnlock()]) {
      await expect(call()).rejects.toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        cause: { message: expect.stringMatching(/READONLY/) },
      });
    }
    expect(found).toEqual([{ setting: 'role', value: 'slave', advice: expect.stringContaining('master') }]);
    await client.close();
  });

  describe.each<[string, (url: string) => Partial<LockClientOptions>]>([
    ['by its URL', (redis) => ({ redis })],
    [
      'as a Redis of the user',
      (url) => {
        const redis = new Redis(url);
        kit.cleanup(() => redis.disconnect());
        return { redis };
      },
    ],
  ])('given %s', (_way, given) => {
    it('is not ready, and connect() waits until it is a master', async () => {
      const replica = await startReplica();
      const { client } = openWatched(kit, given(replica.url));
      expect(await failureOf(client.connect({ timeoutMs: 300 }))).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringContaining('the server is a replica, and takes no locks'),
      });
      expect(client.ready).toBe(false);
      const connected = client.connect();
      await (await replica.admin()).replicaof('NO', 'ONE');
      await connected;
      expect(client.ready).toBe(true);
      await lockOnce(client);
      await client.close();
    });

    it('is not ready any more when it has become one', async () => {
      const server = await startPrivateRedis();
      kit.cleanup(() => server.stop());
      const { client } = openWatched(kit, { ...given(server.url), attemptTimeoutMs: 300 });
      await client.connect();
      await (await server.admin()).replicaof(kit.server.host, kit.server.port);
      await failureOf(client.getLock(freshName()).tryLock());
      await waitUntil(() => !client.ready, { what: 'the role is seen' });
      // Not only while a new connection is made.
      expect(await failureOf(client.connect({ timeoutMs: 300 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(client.ready).toBe(false);
      await client.close();
    });

    it('can be asked about locks', async () => {
      const replica = await startReplica();
      const { client } = openWatched(kit, given(replica.url));
      for await (const { name } of client.listLocks()) throw new Error(`there is no lock, and none called "${name}"`);
      await client.close();
    });
  });
});
