/** What is wrong with a connection stands in the message, and ends a call at once when it cannot pass by itself. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { canIssueCertificates, issueCertificate, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLockClient, createRedLockClient, type LockClient } from 'holdfast';
import { Cluster, type RedisOptions } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { redacted } from '../../src/connection/reply-errors.js';
import { ToldErrors } from '../../src/connection/told-errors.js';
import { describeTrouble, isLasting } from '../../src/connection/trouble.js';
import { freshName, openClient } from '../support/clients.js';
import { everyCall, givenConnections } from '../support/given-connections.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);

/** So long that no call ends by them while the test runs. */
const patient = { attemptTimeoutMs: 600_000, responseTimeoutMs: 600_000 };

beforeEach(async () => {
  await kit.admin.acl('SETUSER', 'app', 'reset', 'on', '>right', '~*', '&*', '+@all');
});

const ways = givenConnections(kit);

it('a server that hangs from the beginning is named by the event, and by calls from then on', async () => {
  const hung = await startPrivateRedis();
  kit.cleanup(() => hung.stop());
  await hung.stopProcess();
  kit.cleanup(() => hung.continueProcess());
  const client = openClient(kit, { redis: hung.url, attemptTimeoutMs: 300 });
  const told: string[] = [];
  client.on('error', ({ message }) => void told.push(message));
  const lock = client.getLock(freshName());
  expect(await failureOf(lock.tryLock())).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await waitUntil(() => told.length > 0, { what: 'the event' });
  const silent = `${new URL(hung.url).host} takes connections and did not answer in time`;
  expect(told[0]).toContain(silent);
  expect(await failureOf(lock.tryLock())).toMatchObject({ message: expect.stringContaining(silent) });
});

describe('a server that turns clients away', () => {
  const told = async (redis: string, reason: RegExp) => {
    const client = openClient(kit, { redis });
    const tellsWhy = async () => reason.test(String(await failureOf(client.connect({ timeoutMs: 300 }))));
    await waitUntil(tellsWhy, { what: 'the reason in the message', timeoutMs: 20_000 });
    return client;
  };

  it('is named with what it says, when it has as many as it may have; the client goes on when there is room', async () => {
    const full = await startPrivateRedis();
    kit.cleanup(() => full.stop());
    const admin = await full.admin();
    await admin.config('SET', 'maxclients', '1');
    const client = await told(full.url, /turns clients away .*max number of clients/);
    await admin.config('SET', 'maxclients', '100');
    await client.connect({ timeoutMs: 20_000 });
    expect(client.ready).toBe(true);
  });

  it('is named with the beginning of what it says, in protected mode', async () => {
    const said = '-DENIED Redis is running in protected mode because protected mode is enabled and no password is set';
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end(
        `${said}. ${'In this mode connections are only accepted from the loopback interface. '.repeat(9)}\r\n`,
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    kit.cleanup(() => new Promise((closed) => server.close(closed)));
    const { port } = server.address() as AddressInfo;
    await told(`redis://127.0.0.1:${port}`, /turns clients away \(127\.0\.0\.1:\d+ says: DENIED Redis .{50,150}\)/);
  });
});

describe('a server of another protocol', () => {
  it('is told as such', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    kit.cleanup(() => new Promise((closed) => server.close(closed)));
    const { port } = server.address() as AddressInfo;
    const client = openClient(kit, { redis: { port, host: '127.0.0.1' } });
    expect(await failureOf(client.getLock(freshName()).tryLock(1_000))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(/what listens there does not speak the protocol of Redis/),
    });
  });
});

describe.each(ways)('given as %s, a client', (_, give) => {
  it.each<[string, RedisOptions, RegExp]>([
    [
      'with a wrong password',
      { username: 'app', password: 'wrong' },
      /does not accept the user name or password.*WRONGPASS/,
    ],
    [
      'of an unknown user',
      { username: 'nobody', password: 'right' },
      /does not accept the user name or password.*WRONGPASS/,
    ],
    ['without a password where there is one', {}, /wants a password[^(]*\(NOAUTH Authentication required\.\)$/],
    [
      'of a database that does not exist',
      { username: 'app', password: 'right', db: 99 },
      /database in the options does not exist.*DB index/,
    ],
  ])('%s is told so at once by every call', async (__, options, reason) => {
    await kit.admin.acl('SETUSER', 'default', '>secret');
    kit.cleanup(() => kit.admin.acl('SETUSER', 'default', 'nopass'));
    const client = openClient(kit, { redis: give(options), ...patient });
    const failures = await Promise.all(everyCall(client, 500_000).map(failureOf));
    // And once more, when the reason is known already.
    failures.push(...(await Promise.all(everyCall(client, 500_000).map(failureOf))));
    for (const failure of failures) {
      expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', message: expect.stringMatching(reason) });
      expect((failure as Error).cause).toBeInstanceOf(Error);
    }
    expect(client.ready).toBe(false);
  });

  it('of a database that does not exist never takes a lock in another one', async () => {
    const name = freshName();
    const client = openClient(kit, { redis: give({ db: 99 }) });
    await failureOf(client.getLock(name).withLock(() => undefined));
    await failureOf(client.getLock(name).tryLock());
    expect(await kit.admin.exists(name)).toBe(0);
  });

  it('locks in the database that it names', async () => {
    const name = freshName();
    const client = openClient(kit, { redis: give({ db: 7 }) });
    const hold = await client.getLock(name).acquire();
    expect(await kit.admin.exists(name)).toBe(0);
    await kit.admin.select(7);
    expect(await kit.admin.exists(name)).toBe(1);
    await kit.admin.select(0);
    await hold.release();
  });

  it('is told that nothing listens, and that the host has no name, when its time is over', async () => {
    const cases: [RedisOptions, RegExp][] = [
      [{ port: 1 }, /nothing listens.*ECONNREFUSED/],
      [{ host: 'no-such-host.invalid' }, /host name is not known.*(ENOTFOUND|EAI_AGAIN)/],
    ];
    for (const [options, reason] of cases) {
      const client = openClient(kit, { redis: give(options) });
      expect(await failureOf(client.getLock(freshName()).tryLock(1_500))).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(reason),
      });
    }
  });
});

describe('options of TLS that Node refuses end every call at once,', () => {
  const refusedByNode: [RegExp, ConnectionOptions][] = [
    [/no start line/, { cert: 'no certificate' }],
    [/TLS protocol version/, { minVersion: 'TLSv1.9' as never }],
    [/no cipher match/, { ciphers: 'none' }],
    [/options\.ca/, { ca: 5 as never }],
  ];
  const target = { host: '127.0.0.1', port: 1 };

  it.each(refusedByNode)('of a server: %s', async (reason, tls) => {
    const client = openClient(kit, { redis: { ...target, tls }, ...patient });
    await endsAtOnce(client, reason);
  });

  it.each(refusedByNode)('of a Cluster: %s', async (reason, tls) => {
    const redis = new Cluster([target], { lazyConnect: true, redisOptions: { tls } });
    await endsAtOnce(openClient(kit, { redis, ...patient }), reason);
  });

  async function endsAtOnce(client: LockClient, reason: RegExp) {
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      const message = expect.stringMatching(
        new RegExp(`Node refuses the options of the connection .*${reason.source}`),
      ) as unknown;
      expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', message });
    }
  }
});

(canIssueCertificates() ? describe : describe.skip)('a certificate that is not accepted', () => {
  const tls = useRedis(() => startPrivateRedis({ tls: issueCertificate() }));

  it('is told at once by every call', async () => {
    const { host, port } = tls.server;
    const client = openClient(tls, { redis: { host, port, tls: { ca: issueCertificate().ca } }, ...patient });
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/TLS certificate is not accepted/),
      });
    }
  });
});

describe('a Cluster of which no node can be asked', () => {
  const open = (
    node: { host: string; port: number },
    redisOptions: RedisOptions = {},
    options = {},
    others: { host: string; port: number }[] = [],
  ) => {
    const cluster = new Cluster([node, ...others], { lazyConnect: true, redisOptions });
    kit.cleanup(() => cluster.disconnect());
    return openClient(kit, { redis: cluster, ...options });
  };

  it.each<[string, { host: string; port: number }, RegExp]>([
    ['nothing listens', { host: '127.0.0.1', port: 1 }, /nothing listens.*ECONNREFUSED/],
    [
      'the host has no name',
      { host: 'no-such-host.invalid', port: 6379 },
      /host name is not known.*(ENOTFOUND|EAI_AGAIN)/,
    ],
  ])('is told as such when the time of a call is over: %s', async (_, node, reason) => {
    const told: string[] = [];
    const client = open(node);
    client.on('error', (error) => told.push((error as Error).message));
    expect(await failureOf(client.getLock(freshName()).tryLock(1_500))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(reason),
    });
    // The connection for messages may have tried as well.
    expect(new Set(told.map((text) => reason.test(text)))).toEqual(new Set([true]));
  });

  (canIssueCertificates() ? it : it.skip)('ends every call at once where its certificate is not accepted', async () => {
    const server = await startPrivateRedis({ tls: issueCertificate() });
    kit.cleanup(() => server.stop());
    const client = open({ host: server.host, port: server.port }, { tls: { ca: issueCertificate().ca } }, patient);
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/TLS certificate is not accepted/),
      });
    }
  });

  (canIssueCertificates() ? it : it.skip)('is waited for while a node without that trouble may come back', async () => {
    const server = await startPrivateRedis({ tls: issueCertificate() });
    kit.cleanup(() => server.stop());
    const client = open({ host: server.host, port: server.port }, { tls: { ca: issueCertificate().ca } }, {}, [
      { host: '127.0.0.1', port: 1 },
    ]);
    expect(await failureOf(client.getLock(freshName()).tryLock(1_500))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(/has not answered for .*nothing listens/),
    });
  });

  describe.each<[string, () => Parameters<typeof startPrivateRedis>[0], () => RedisOptions, RegExp]>([
    [
      'speaks TLS, and its client does not',
      () => ({ tls: issueCertificate() }),
      () => ({}),
      /speaks TLS on that port, and the options have no tls/,
    ],
    [
      'speaks no TLS, and its client does',
      () => ({}),
      () => ({ tls: {} }),
      /does not speak TLS on that port, and the options have tls/,
    ],
  ])('because it %s', (_, server, redisOptions, reason) => {
    const start = async () => {
      const started = await startPrivateRedis(server());
      kit.cleanup(() => started.stop());
      return { host: started.host, port: started.port };
    };

    (canIssueCertificates() ? it : it.skip)('ends every call at once with that reason', async () => {
      const client = open(await start(), redisOptions(), patient);
      for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
        expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', message: expect.stringMatching(reason) });
      }
    });

    (canIssueCertificates() ? it : it.skip)('is waited for while another node may come back', async () => {
      const client = open(await start(), redisOptions(), {}, [{ host: '127.0.0.1', port: 1 }]);
      expect(await failureOf(client.getLock(freshName()).tryLock(3_000))).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/has not answered for /),
      });
    });
  });

  it('says that it keeps no slots, while nobody has given it any', async () => {
    const server = await startPrivateRedis({ args: ['--cluster-enabled', 'yes'] });
    kit.cleanup(() => server.stop());
    const client = open({ host: server.host, port: server.port });
    expect(await failureOf(client.getLock(freshName()).tryLock(1_000))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(/no node of the Cluster keeps the slot/),
    });
  });

  it('names the node where it hangs', async () => {
    const server = await startPrivateRedis({ args: ['--cluster-enabled', 'yes'] });
    kit.cleanup(() => server.stop());
    const { host, port } = server;
    await server.stopProcess();
    const client = open({ host, port });
    const message = expect.stringContaining(`${host}:${port}: no answer has come in time`);
    const told = new Promise((resolve) => client.on('error', resolve));
    void failureOf(client.connect({ timeoutMs: 500 }));
    expect(await told).toMatchObject({ message });
    expect(await failureOf(client.getLock(freshName()).tryLock())).toMatchObject({ code: 'LOCK_UNAVAILABLE', message });
    await server.continueProcess();
  });

  it('is asked again, and serves when it can', async () => {
    const server = await startPrivateRedis({
      args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    });
    kit.cleanup(() => server.stop());
    const admin = await server.admin();
    await admin.cluster('ADDSLOTSRANGE', 0, 16_383);
    await waitUntil(async () => /cluster_state:ok/.test(await admin.cluster('INFO')), { what: 'the cluster' });
    await server.kill();
    const client = open({ host: server.host, port: server.port });
    expect(await failureOf(client.connect({ timeoutMs: 500 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const waiting = client.connect({ timeoutMs: 30_000 });
    await server.restart();
    await waiting;
    expect(client.ready).toBe(true);
  }, 60_000);
});

(canIssueCertificates() ? describe : describe.skip)('a server that wants a certificate of its clients', () => {
  const server = issueCertificate();
  const tls = useRedis(() => startPrivateRedis({ tls: server }));

  it.each<[string, object]>([
    ['none is given', {}],
    ['it does not accept the one that is given', issueCertificate()],
  ])('says so in one line, where %s', async (_, certificate) => {
    await tls.admin.config('SET', 'tls-auth-clients', 'yes');
    tls.cleanup(() => tls.admin.config('SET', 'tls-auth-clients', 'no'));
    const { host, port } = tls.server;
    const client = openClient(tls, { redis: { host, port, tls: { ...certificate, ca: server.ca } }, ...patient });
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/^[^\n]*the server wants a TLS certificate of this client[^\n]*$/),
      });
    }
  });
});

describe('a client of another library is refused by its name:', () => {
  /** What the client of a library that is not installed here can be told by. */
  const like = (method: string) => Object.create({ [method]: () => undefined }) as object;

  it.each<[string, () => object, string]>([
    ['createClient of node-redis', () => createClient(), 'node-redis'],
    ['createClientPool of node-redis', () => createClientPool(), 'node-redis'],
    ['createCluster of node-redis', () => createCluster({ rootNodes: [] }), 'node-redis'],
    ['createSentinel of node-redis', () => createSentinel({ name: 'm', sentinelRootNodes: [] }), 'node-redis'],
    ['GlideClient', () => like('invokeScript'), 'GLIDE'],
    ['Redis of @upstash/redis', () => like('createScript'), '@upstash/redis'],
    ['ioredis-mock', () => Object.assign(like('duplicate'), { shaScripts: {} }), 'ioredis-mock (see holdfast/testing)'],
  ])('%s', (_, make, library) => {
    const words = `must be a redis:// or rediss:// URL, ioredis options, or an ioredis client, not one of ${library}`;
    const redis = make() as never;
    expect(() => createLockClient({ redis })).toThrow(new TypeError(`redis ${words}`));
    expect(() => createRedLockClient({ nodes: [redis, redis, redis] })).toThrow(`nodes[0] ${words}`);
  });
});

describe('a host whose name looks like other trouble', () => {
  it.each([
    ['getaddrinfo ENOTFOUND certificates-redis', 'the host name is not known'],
    ['connect ECONNREFUSED /run/TLS/certificate.sock', 'nothing listens at that address'],
    ['getaddrinfo EAI_AGAIN CERT', 'the host name is not known'],
  ])('is waited for, and told as what it is: %s', (text, words) => {
    const error = new Error(text);
    expect(isLasting(error)).toBe(false);
    expect(describeTrouble(error)).toBe(`${words} (${text})`);
    const ofSentinels = redacted(
      new Error(`All sentinels are unreachable. Retrying from scratch after 50ms. Last error: ${text}`),
    );
    expect(isLasting(ofSentinels)).toBe(false);
    expect(describeTrouble(ofSentinels)).toBe(`No sentinel names the master: ${words} (${text})`);
  });
});

describe('error events', () => {
  it('say which connection it is, and nothing secret', async () => {
    const client = openClient(kit, { redis: `redis://app:wrong@${kit.server.host}:${kit.server.port}/0`, ...patient });
    const told: Error[] = [];
    client.on('error', (error) => told.push(error as Error));
    await failureOf(client.connect());
    expect(told[0]?.message).toMatch(
      new RegExp(`^The connection for (commands to|messages from) ${kit.server.host}:${kit.server.port}: .*WRONGPASS`),
    );
    expect(told[0]?.cause).toMatchObject({ message: expect.stringContaining('WRONGPASS') });
  });

  it('repeat at most every ten seconds, each once when it is new', () => {
    let now = 0;
    const told: string[] = [];
    const errors = new ToldErrors(
      () => now,
      ({ message }) => told.push(message),
    );
    const refused = new Error('connect ECONNREFUSED');
    const commands = 'The connection for commands: nothing listens at that address (connect ECONNREFUSED)';
    for (let times = 0; times < 5; times++) errors.note('The connection for commands', refused);
    errors.note('The connection for messages', refused);
    errors.note('The connection for commands', new Error('read ECONNRESET'));
    errors.note('The connection for commands', refused);
    expect(told).toEqual([
      commands,
      'The connection for messages: nothing listens at that address (connect ECONNREFUSED)',
      'The connection for commands: read ECONNRESET',
    ]);
    now += 9_999;
    errors.note('The connection for commands', refused);
    expect(told).toHaveLength(3);
    now += 1;
    errors.note('The connection for commands', refused);
    expect(told.at(-1)).toBe(commands);
    expect(told).toHaveLength(4);
  });
});
