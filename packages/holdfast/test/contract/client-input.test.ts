import { once } from 'node:events';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClient, type LockClientOptions, type RedisInput } from 'holdfast';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { inParts } from '../support/parts.js';
import { Gate } from '../support/room.js';
import { usesIoredis5 } from '../support/workers.js';

const kit = useRedis();

/** Options by name that only ioredis 6 has types for. */
const six = (options: object) => options as RedisOptions;

const settings: readonly (readonly [title: string, options: RedisOptions])[] = [
  ['no options', {}],
  ['keyPrefix', { keyPrefix: 'app:' }],
  ['keyPrefix with a hash tag', { keyPrefix: '{app}:' }],
  ['stringNumbers', { stringNumbers: true }],
  ['enableAutoPipelining', { enableAutoPipelining: true }],
  ['db 3', { db: 3 }],
  ['db 3 and a keyPrefix', { db: 3, keyPrefix: 'app:' }],
  ['enableOfflineQueue false', { enableOfflineQueue: false }],
  ['commandTimeout', { commandTimeout: 1_000 }],
  ['maxRetriesPerRequest null', { maxRetriesPerRequest: null }],
  ['autoResubscribe false', { autoResubscribe: false }],
  ['connectionName', { connectionName: 'shop' }],
  ['dropBufferSupport', { dropBufferSupport: true } as RedisOptions],
  ...(usesIoredis5
    ? []
    : ([
        ['protocol 2', six({ protocol: 2 })],
        ['protocol 3', six({ protocol: 3 })],
        ['protocol 3 and replyMapping resp3', six({ protocol: 3, replyMapping: 'resp3' })],
        ['protocol 3, resp3 and stringNumbers', six({ protocol: 3, replyMapping: 'resp3', stringNumbers: true })],
        [
          'protocol 3, keyPrefix and auto-pipelining',
          six({ protocol: 3, keyPrefix: 'p:', enableAutoPipelining: true }),
        ],
      ] as const)),
];

/** A Redis of the user's, which only the user ends. */
function own(options: RedisOptions): Redis {
  const redis = new Redis(kit.server.url, { disconnectTimeout: 100, ...options });
  kit.cleanup(() => redis.disconnect());
  return redis;
}

/** Ways to hand over options; each call gives a new input. */
const ways: readonly (readonly [title: string, open: (options: RedisOptions) => Promise<RedisInput>])[] = [
  ['ioredis options', async (options) => ({ host: kit.server.host, port: kit.server.port, ...options })],
  ['a new Redis', async (options) => own(options)],
  ['a lazy Redis', async (options) => own({ lazyConnect: true, ...options })],
  [
    'a connected Redis',
    async (options) => {
      const redis = own(options);
      await once(redis, 'ready');
      return redis;
    },
  ],
];

const queueLength = async (client: LockClient, name: string) => (await client.inspect(name)).queue.length;

/** Everything a client does, with another one beside it. */
async function fullRound(client: LockClient, other: LockClient, name: string): Promise<void> {
  const lock = client.getLock(name);
  const theirs = other.getLock(name);
  const queued = (count: number) =>
    waitUntil(async () => (await queueLength(client, name)) === count, { what: `${count} in the queue` });

  // Nested, seen by both.
  await lock.withLock(async () => {
    await lock.withLock(async () => {
      expect(await lock.getHoldCount()).toBe(2);
      expect(await lock.isHeldByCurrentScope()).toBe(true);
      expect(await theirs.isLocked()).toBe(true);
      expect(await theirs.tryLock()).toBe(false);
      expect(await theirs.remainTimeToLive()).toBeGreaterThan(0);
      expect(await theirs.getHoldCount()).toBe(0);
    });
    expect(await lock.getHoldCount()).toBe(1);
  });
  expect(await lock.remainTimeToLive()).toBe(-2);

  // Waiting, and a handoff by message in each direction.
  let hold = await lock.acquire();
  const waiting = theirs.acquire({ waitMs: 15_000 });
  await queued(1);
  await hold.release();
  const granted = await waiting;
  expect(other.stats().handoffs.granted).toBe(1);
  const back = lock.acquire({ waitMs: 15_000, leaseMs: 30_000 });
  await queued(1);
  expect(await client.inspect(name)).toMatchObject({ owner: { kind: 'holdfast' }, queue: [{ thisClient: true }] });
  await granted.release();
  hold = await back;

  // Handoffs in this process, in memory and by script.
  const { handoffs } = client.stats();
  const fixed = lock.acquire({ leaseMs: 30_000 });
  await hold.release();
  hold = await fixed;
  expect(client.stats().handoffs.passed).toBe(handoffs.passed + 1);
  await hold.release();
  hold = await lock.acquire();
  // One of which it was not counted lately who else waits is by script: a slow machine may need several.
  const inMemory = async () => {
    const next = lock.acquire();
    await hold.release();
    hold = await next;
    return client.stats().handoffs.local > handoffs.local;
  };
  await waitUntil(inMemory, { what: 'a handoff in memory' });

  // Renewals.
  const { renewed } = client.stats().renewals;
  await waitUntil(() => client.stats().renewals.renewed > renewed, { what: 'a renewal' });
  expect(hold.state).toBe('held');

  // A force, told by message.
  expect(await theirs.forceUnlock()).toBe(true);
  await waitUntil(() => hold.signal.aborted, { what: 'the loss' });
  expect(hold.signal.reason).toMatchObject({ reason: 'force-unlocked' });
  await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });

  expect(await client.inspect(name)).toMatchObject({ owner: undefined, queue: [] });
  expect(await theirs.forceUnlock()).toBe(false);
}

/** A round is mostly waiting for a renewal: as many as this beside each other. */
const BESIDE = 9;
const quick: Partial<LockClientOptions> = { watchdogTimeoutMs: 3_000 };

describe.each(ways)('given as %s', (_, open) => {
  const round = async (options: RedisOptions) => {
    const inputs = [await open(options), await open(options)] as const;
    const clients = inputs.map((redis) => openClient(kit, { redis, ...quick })) as [LockClient, LockClient];
    const errors: unknown[] = [];
    for (const client of clients) client.on('error', (error) => errors.push(error));
    await fullRound(...clients, freshName());
    await Promise.all(clients.map((client) => client.close()));
    for (const input of inputs) if (input instanceof Redis) expect(await input.ping()).toBe('PONG');
    expect(errors).toEqual([]);
  };

  it.each(inParts(settings, BESIDE))(
    'with $told, a client does everything, and leaves a Redis of the user open',
    async ({ part }) => {
      const failed = (title: string) => (error: unknown) => {
        throw new Error(`with ${title}`, { cause: error });
      };
      await Promise.all(part.map(([title, options]) => round(options).catch(failed(title))));
    },
  );
});

describe('a URL', () => {
  it.each([
    ['with nothing but host and port', ''],
    ['with a database', '/4'],
    ['with a key prefix', '?keyPrefix=app:'],
  ])('%s serves a client that does everything', async (_, rest) => {
    const clients = [1, 2].map(() => openClient(kit, { redis: kit.server.url + rest, ...quick }));
    await fullRound(...(clients as [LockClient, LockClient]), freshName());
  });
});

it('clients given in different ways meet on one lock', async () => {
  const name = freshName();
  const clients = await Promise.all(ways.map(async ([, open]) => openClient(kit, { redis: await open({}) })));
  const all = [openClient(kit), ...clients];
  const [first] = all;
  await first?.getLock(name).lock();
  expect(await Promise.all(all.map((client) => client.getLock(name).tryLock()))).toEqual(all.map(() => false));
});

describe('keys in Redis', () => {
  /** The keys that exist while a lock is held and waited for. */
  async function keysOf(name: string, options: RedisOptions): Promise<string[]> {
    const { host, port } = kit.server;
    const [client, other] = [1, 2].map(() => openClient(kit, { redis: { host, port, ...options } })) as [
      LockClient,
      LockClient,
    ];
    const hold = await client.getLock(name).acquire();
    const waiting = other.getLock(name).acquire();
    await waitUntil(async () => (await queueLength(client, name)) === 1, { what: 'the queue' });
    const keys = (await kit.admin.keys('*')).sort();
    await hold.release();
    await (await waiting).release();
    expect(await kit.admin.keys('*')).toEqual([]);
    return keys;
  }

  it.each([
    ['', 'pay', ['pay', 'holdfast_queue:{pay}', 'holdfast_fresh:{pay}']],
    ['app:', 'pay', ['app:pay', 'app:holdfast_queue:{app:pay}', 'app:holdfast_fresh:{app:pay}']],
    ['{app}:', 'pay', ['{app}:pay', '{app}:holdfast_tagged_queue:{app}:pay', '{app}:holdfast_tagged_fresh:{app}:pay']],
    ['', 'pay:{7}', ['pay:{7}', 'holdfast_tagged_queue:pay:{7}', 'holdfast_tagged_fresh:pay:{7}']],
    [
      'app:',
      'pay:{7}',
      ['app:pay:{7}', 'app:holdfast_tagged_queue:app:pay:{7}', 'app:holdfast_tagged_fresh:app:pay:{7}'],
    ],
  ])('with prefix "%s", lock "%s" has these: %j', async (keyPrefix, name, keys) => {
    expect(await keysOf(name, { keyPrefix })).toEqual([...keys].sort());
  });

  it.each([
    [{ keyPrefix: '{app' }, '', '{app…'],
    [{ keyPrefix: 'holdfast_queue:' }, '', 'holdfast_queue:…'],
    [{ keyPrefix: 'hold' }, 'fast_', 'holdfast_…'],
    [{}, 'a{', 'a{…'],
  ])('%j and prefix "%s" spoil every name, which is said of them at once', async (options, prefix, key) => {
    const { host, port } = kit.server;
    const cluster = new Cluster([{ host, port }], { ...options, lazyConnect: true });
    const redis = new Redis({ host, port, ...options, lazyConnect: true });
    for (const given of [{ host, port, ...options }, redis, cluster]) {
      const open = () => createLockClient({ redis: given, prefix });
      expect(open).toThrow(
        expect.objectContaining({ name: 'RangeError', message: expect.stringMatching(/the prefix/) }),
      );
      expect(open).toThrow(`the key would be "${key}"`);
    }
    expect(redis.listenerCount('ready') + cluster.listenerCount('ready')).toBe(0);
  });

  it('what spoils a name behind its prefix is shown with the prefix', () => {
    const client = openClient(kit, { prefix: 'lock:holdfast_queue:' });
    expect(() => client.getLock('{x}')).toThrow('the key would be "lock:holdfast_queue:{x}"');
  });

  it('null as a prefix is none, as for ioredis', async () => {
    const options = { keyPrefix: null } as unknown as RedisOptions;
    expect(await keysOf('pay', options)).toEqual(['holdfast_fresh:{pay}', 'holdfast_queue:{pay}', 'pay']);
  });

  it('two prefixes and one name are two locks, in every message too', async () => {
    const name = freshName();
    const { host, port } = kit.server;
    const [a, b] = ['a:', 'b:'].map((keyPrefix) => openClient(kit, { redis: { host, port, keyPrefix } })) as [
      LockClient,
      LockClient,
    ];
    const plain = openClient(kit);
    const holds = await Promise.all([a, b, plain].map((client) => client.getLock(name).acquire({ waitMs: 10_000 })));
    const prefixed = openClient(kit, { redis: { host, port, keyPrefix: 'a:' } });
    const waiting = prefixed.getLock(name).acquire();
    await waitUntil(async () => (await queueLength(a, name)) === 1, { what: 'the queue' });
    expect(await b.getLock(name).forceUnlock()).toBe(true);
    expect(holds.map((hold) => hold.state)).toEqual(['held', 'lost', 'held']);
    await holds[0]?.release();
    expect((await waiting).state).toBe('held');
    // The same lock under its whole name.
    expect(await plain.getLock(`a:${name}`).tryLock()).toBe(false);
  });
});

describe('a Redis of the user', () => {
  it('that is lazy is connected by the first call, not before', async () => {
    const redis = own({ lazyConnect: true });
    const client = openClient(kit, { redis });
    client.getLock('lock');
    await new Promise((resolve) => setImmediate(resolve));
    expect(redis.status).toBe('wait');
    expect(await client.getLock(freshName()).isLocked()).toBe(false);
    expect(redis.status).toBe('ready');
  });

  it('serves several clients, each of which closes for itself', async () => {
    const redis = own({});
    const [client, other] = [openClient(kit, { redis }), openClient(kit, { redis })];
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const refused = failureOf(other.getLock(name).lock());
    await other.close();
    expect(await refused).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    await hold.release();
    expect(await client.getLock(name).withLock(() => redis.ping())).toBe('PONG');
  });

  it("goes on with the user's own commands while locks are waited for", async () => {
    const redis = own({});
    const client = openClient(kit, { redis });
    const name = freshName();
    const done = new Gate();
    const holder = openClient(kit)
      .getLock(name)
      .withLock(() => done.opened);
    await waitUntil(() => client.getLock(name).isLocked(), { what: 'the holder' });
    const waiting = client.getLock(name).withLock(() => redis.incr('count'));
    expect(await redis.incr('count')).toBe(1);
    done.open();
    await holder;
    expect(await waiting).toBe(2);
    await redis.del('count');
  });

  if (!usesIoredis5) {
    it('may be subscribed with RESP3, where it still sends ordinary commands', async () => {
      const redis = own(six({ protocol: 3 }));
      await redis.subscribe('news');
      await fullRound(openClient(kit, { redis, ...quick }), openClient(kit, quick), freshName());
    });
  }

  it('that the user has ended makes calls unavailable at once', async () => {
    const redis = own({ lazyConnect: true });
    const client = openClient(kit, { redis });
    await client.getLock('lock').isLocked();
    redis.disconnect();
    await once(redis, 'end');
    await expect(client.getLock('lock').lock()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
});

describe('is refused with a TypeError before any I/O:', () => {
  const connections = async () => /total_connections_received:(\d+)/.exec(await kit.admin.info('stats'))?.[1];
  const wrong = (value: unknown) => value as RedisInput;

  it.each<[string, () => RedisInput, RegExp]>([
    ["options with role 'slave'", () => ({ role: 'slave', sentinels: [{ port: 1 }], name: 'm' }), /slave/],
    ["a Redis with role 'slave'", () => own({ lazyConnect: true, role: 'slave' }), /slave/],
    ["a URL with role 'slave'", () => `${kit.server.url}?role=slave`, /slave/],
    ['readOnly options', () => ({ host: 'localhost', readOnly: true }), /readOnly/],
    ['a readOnly Redis', () => own({ lazyConnect: true, readOnly: true }), /readOnly/],
    ['a readOnly URL', () => `${kit.server.url}?readOnly=true`, /readOnly/],
    ['no URL', () => 'localhost:6379', /redis:\/\//],
    ['an empty string', () => '', /redis:\/\//],
    ['a URL of another protocol', () => 'http://localhost:6379', /redis:\/\//],
    ['a URL with a port that is none', () => 'redis://localhost:99999', /host and its port/],
    ['a URL with two hosts', () => 'redis://a b', /host and its port/],
    ['nothing', () => wrong(undefined), /redis:\/\//],
    ['null', () => wrong(null), /redis:\/\//],
    ['a port', () => wrong(6_379), /redis:\/\//],
    ['a list', () => wrong([kit.server.url]), /redis:\/\//],
    ['a URL object', () => wrong(new URL(kit.server.url)), /its href/],
    ['the promise of a client', () => wrong(Promise.resolve(own({ lazyConnect: true }))), /await it/],
    ['no place', () => ({}), /where Redis is/],
    [
      'a database alone',
      () => ({ db: 2 }),
      /no place; say where Redis is: host, port, path or sentinels \(beside them db/,
    ],
    ['encryption alone', () => ({ tls: {} }), /no place; say where Redis is: host, port, path or sentinels \(.*tls\)/],
    ['a place with a typing error', () => wrong({ hots: 'db1' }), /where Redis is/],
    ['no sentinel', () => ({ sentinels: [], name: 'm' }), /^redis: ioredis refuses these options: .*sentinel/],
    ['sentinels of no master', () => ({ sentinels: [{ port: 1 }] }), /^redis: ioredis refuses these options: .*master/],
    ["node-redis' options", () => wrong({ url: kit.server.url }), /ioredis ignores 'url'; say where Redis is/],
    ['its url beside a port', () => wrong({ url: kit.server.url, port: 1 }), /ioredis ignores 'url'/],
    ['its socket beside a host', () => wrong({ host: 'localhost', socket: { tls: true } }), /ioredis ignores 'socket'/],
    ['its database beside a host', () => wrong({ host: 'localhost', database: 2 }), /ioredis ignores 'database'/],
    ["its Cluster's options", () => wrong({ rootNodes: [{ url: kit.server.url }] }), /pass a URL or a Cluster/],
    [
      "GLIDE's database beside a host",
      () => wrong({ host: 'localhost', databaseId: 2 }),
      /ioredis ignores 'databaseId'/,
    ],
    ['a place without a value', () => ({ host: undefined }), /where Redis is/],
    ['an empty place', () => ({ host: '' }), /where Redis is/],
    ['sentinels without a value', () => ({ sentinels: undefined, name: 'm' }), /where Redis is/],
    ['a Map', () => wrong(new Map()), /where Redis is/],
    ['a pipeline', () => wrong(own({ lazyConnect: true }).pipeline()), /where Redis is/],
    ['a database with a name', () => `${kit.server.url}/cache`, /database/],
    ['half a database', () => ({ host: 'localhost', db: 1.5 }), /database/],
  ])('%s', async (_, open, reason) => {
    const before = await connections();
    const redis = open();
    const create = () => createLockClient({ redis });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(reason);
    expect(await connections()).toBe(before);
  });

  it('options beside each other: the second would be passed over', () => {
    const create = createLockClient as (...options: object[]) => LockClient;
    expect(() => create({ redis: kit.server.url }, { prefix: 'app:' })).toThrow(/one object of options/);
  });

  it('a Redis in subscriber mode, whose listeners stay as they were', async () => {
    const redis = own(six({ protocol: 2 }));
    await redis.subscribe('news');
    const listeners = redis.eventNames().map((name) => redis.listenerCount(name));
    expect(() => createLockClient({ redis })).toThrow(TypeError);
    expect(() => createLockClient({ redis })).toThrow(/subscriber mode/);
    expect(redis.eventNames().map((name) => redis.listenerCount(name))).toEqual(listeners);
  });

  it('a Redis in monitor mode', async () => {
    const redis = own({});
    const monitor = await redis.monitor();
    kit.cleanup(() => monitor.disconnect());
    expect(() => createLockClient({ redis: monitor })).toThrow(/monitor mode/);
  });
});
