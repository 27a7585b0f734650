import {
  driveTime,
  issueCertificate,
  type RedisKit,
  type RedisServer,
  startPrivateRedis,
  useRedis,
  waitUntil,
} from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { RedisInput } from 'holdfast';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { lostAlerts } from '../support/lost-alert.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';
import { certificate, describeByTls } from '../support/tls.js';

const startTls = () => startPrivateRedis({ tls: certificate });

describeByTls('by TLS', () => {
  describe('a client that trusts the authority of the server', () => {
    const kit = useRedis(startTls);
    const trusting = () => ({ host: kit.server.host, port: kit.server.port, tls: { ca: kit.server.ca } });

    it.each<[string, () => RedisInput]>([
      ['ioredis options', trusting],
      ['a Redis of the user', () => ownRedis(kit, trusting())],
    ])('given by %s, locks, waits and is woken by message', async (_, input) => {
      const [client, other] = [openClient(kit, { redis: input() }), openClient(kit, { redis: input() })];
      const name = freshName();
      const hold = await client.getLock(name).acquire();
      const waiting = other.getLock(name).acquire();
      await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'the queue' });
      await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
        what: 'both listen',
      });
      await hold.release();
      await (await waiting).release();
      expect(other.stats().handoffs.granted).toBe(1);
    });
  });

  const misfits: [title: string, serve: () => Promise<RedisServer>, options: () => RedisOptions, cause: RegExp][] = [
    ['trusts another authority', startTls, () => ({ tls: { ca: issueCertificate().ca } }), /certificate/],
    ['knows the server by another name', startTls, () => ({ tls: byName('redis.example') }), /does not match/],
    ['speaks no TLS to a server that does', startTls, () => ({}), /closed|ECONNRESET|no connection|TLS/],
    // Either side may wait for the other to say something it understands.
    [
      'speaks TLS to a server that does not',
      startPrivateRedis,
      () => ({ tls: {}, connectTimeout: 100 }),
      /SSL|ETIMEDOUT|plain text/,
    ],
  ];

  describe.each(misfits)('a client that %s', (_, serve, options, cause) => {
    const kit = useRedis(serve);
    const reach = () => ({ host: kit.server.host, port: kit.server.port, ...options() });
    const inputs: [string, () => RedisInput][] = [
      ['ioredis options', reach],
      ['a Redis of the user', () => ownRedis(kit, reach())],
    ];

    it.each(inputs)('given by %s, is told the reason, and leaves nothing', async (__, input) => {
      const client = openClient(kit, { redis: input(), attemptTimeoutMs: 250, responseTimeoutMs: 300 });
      const errors: unknown[] = [];
      client.on('error', (error) => errors.push(error));
      const lock = client.getLock(freshName());
      const calls = [
        () => lock.tryLock(),
        () => lock.tryLock(250),
        () => lock.lock(),
        () => lock.withLock(() => undefined),
        () => lock.isLocked(),
        () => lock.forceUnlock(),
        () => client.inspect(lock.name),
      ];
      const failures = await Promise.all(calls.map((call) => failureOf(call())));
      for (const failure of failures) {
        expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { message: expect.stringMatching(cause) } });
      }
      // ioredis 5 tells nobody when a server hangs up.
      for (const error of errors) expect(String(error)).toMatch(cause);
      await client.close();
    });
  });

  describe('a client that speaks TLS to a server that waits for something else', () => {
    const kit = useRedis(startPrivateRedis);

    it('is told that TLS may be the matter', async () => {
      const redis = { host: kit.server.host, port: kit.server.port, tls: {} };
      const client = openClient(kit, { redis, attemptTimeoutMs: 250 });
      expect(await failureOf(client.getLock(freshName()).tryLock())).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/TLS/),
      });
    });
  });

  const mismatches: [title: string, serve: () => Promise<RedisServer>, options: () => RedisOptions, told: RegExp][] = [
    [
      'TLS to a server that speaks plain text',
      startPrivateRedis,
      () => ({ tls: {} }),
      /does not speak TLS on that port/,
    ],
    ['plain text to a server that speaks TLS', startTls, () => ({}), /speaks TLS on that port/],
  ];

  describe.each(mismatches)('a client that speaks %s', (_, serve, options, told) => {
    const kit = useRedis(serve);
    const reach = () => ({ host: kit.server.host, port: kit.server.port, ...options() });
    const inputs: [string, () => RedisInput][] = [
      ['ioredis options', reach],
      ['a Redis of the user', () => ownRedis(kit, reach())],
    ];

    it.each(inputs)('given by %s: a call ends at once when the port has proven it, and says so', async (__, input) => {
      const client = openClient(kit, { redis: input(), attemptTimeoutMs: 60_000, responseTimeoutMs: 60_000 });
      expect(await failureOf(client.getLock(freshName()).tryLock(60_000))).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(told),
      });
      await client.close();
    });
  });

  describe('a client that shows no certificate to a server that wants one, and speaks before the server has said so', () => {
    const kit = useRedis(() => startPrivateRedis({ tls: certificate, args: ['--tls-auth-clients', 'yes'] }));
    const inputs: [string, (options: RedisOptions) => RedisInput][] = [
      ['ioredis options', (options) => options],
      ['a Redis of the user', (options) => ownRedis(kit, options)],
      ['a Cluster', ({ host, port, tls }) => ownCluster(kit, { host, port }, { tls })],
    ];

    it.each(inputs)(
      'given by %s: the port is asked by a handshake alone, and calls end with what it says',
      async (_, input) => {
        const redis = input({ ...(await lostAlerts(kit)), tls: { ca: kit.server.ca } });
        const client = openClient(kit, { redis, attemptTimeoutMs: 10_000, responseTimeoutMs: 10_000 });
        expect(await failureOf(client.getLock(freshName()).tryLock(10_000))).toMatchObject({
          code: 'LOCK_UNAVAILABLE',
          message: expect.stringContaining('the server wants a TLS certificate of this client'),
        });
        await client.close();
      },
    );
  });

  describe('a client that waits for a TLS handshake with a server that stands still', () => {
    const kit = useRedis(startTls);

    it('does not call that a server without TLS, and locks when the server goes on', async () => {
      const time = driveTime(kit);
      const proxy = await openProxy(kit);
      const redis = { host: proxy.host, port: proxy.port, tls: { ca: kit.server.ca }, connectTimeout: 60_000 };
      const client = openClient(kit, { redis });
      const told: string[] = [];
      client.on('error', (error) => told.push(String(error)));
      proxy.hold('both');
      const hold = client.getLock(freshName()).acquire();
      await waitUntil(() => proxy.connections > 0, { what: 'a connection' });
      await time.advance(500);
      await waitUntil(() => proxy.connections > 1, { what: 'the port to be asked' });
      await time.advance(5_000);
      await proxy.heal();
      await (await hold).release();
      expect(told).toEqual([]);
    });
  });

  describe('a client that is closed while it shakes hands with a server it does not trust', () => {
    const kit = useRedis(startTls);

    it('never ends the process', async () => {
      for (let turn = 0; turn < 40; turn++) {
        const redis = { host: kit.server.host, port: kit.server.port, tls: {} };
        const client = openClient(kit, { redis, attemptTimeoutMs: 1 });
        const refused = failureOf(client.getLock(freshName()).tryLock());
        await turns(turn);
        await client.close();
        expect(await refused).toMatchObject({ code: expect.stringMatching(/^LOCK_(UNAVAILABLE|CLIENT_CLOSED)$/) });
      }
    }, 20_000);
  });

  const byName = (servername: string) => ({ ca: certificate?.ca, servername });
});

function ownCluster(kit: RedisKit, node: { host?: string; port?: number }, redisOptions: RedisOptions): Cluster {
  const cluster = new Cluster([node], { lazyConnect: true, redisOptions });
  cluster.on('error', () => undefined);
  kit.cleanup(() => cluster.disconnect());
  return cluster;
}

function ownRedis(kit: RedisKit, options: RedisOptions): Redis {
  const redis = new Redis({ disconnectTimeout: 100, ...options });
  redis.on('error', () => undefined);
  kit.cleanup(() => {
    // As the library does with its own: ioredis leaves the second error of a socket to the process.
    redis.stream?.on('error', () => undefined);
    redis.disconnect();
  });
  return redis;
}
