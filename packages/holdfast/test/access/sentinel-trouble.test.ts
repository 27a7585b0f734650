/** What sentinels refuse ends calls at once; what one of them does not know yet, or cannot say, is waited for. */

import {
  canIssueCertificates,
  guardLeaks,
  issueCertificate,
  type RedisServer,
  startPrivateRedis,
  waitUntil,
} from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { Redis, type RedisOptions } from 'ioredis';
import { FakeSentinel } from '../support/fake-sentinel.js';
import { everyCall } from '../support/given-connections.js';
import { failureOf } from '../support/outcomes.js';
import { freshName } from '../support/clients.js';
import { turns } from '../support/room.js';

/** So long that no call ends by them while the test runs. */
const patient = { attemptTimeoutMs: 600_000, responseTimeoutMs: 600_000 };

describe('behind sentinels', () => {
  const leaks = guardLeaks({ graceMs: 5_000 });
  let master: RedisServer;
  let watchers: RedisServer[] = [];

  beforeAll(async () => {
    master = await startPrivateRedis();
    const config = `sentinel monitor mymaster ${master.host} ${master.port} 1\n`;
    watchers = await Promise.all([1, 2].map(() => startPrivateRedis({ args: ['--sentinel'], config })));
    await Promise.all([master, ...watchers].map((server) => server.admin()));
  }, 60_000);
  afterAll(() => Promise.all([...watchers, master].map((server) => server?.stop())));

  const sentinels = () => watchers.map(({ host, port }) => ({ host, port }));
  const ways: [string, (options: RedisOptions) => Redis | RedisOptions][] = [
    ['ioredis options', (options) => options],
    ['a Redis of the user', (options) => new Redis({ ...options, lazyConnect: true })],
  ];

  const open = (redis: Redis | RedisOptions) => {
    const client = createLockClient({ redis, ...patient });
    leaks.cleanup(() => client.close());
    const told: string[] = [];
    client.on('error', (error) => told.push((error as Error).message));
    return { client, told };
  };

  describe.each(ways)('given as %s, a client', (_, give) => {
    it.each<[string, RedisOptions, RegExp]>([
      [
        'with a wrong password for them',
        { name: 'mymaster', sentinelUsername: 'watcher', sentinelPassword: 'wrong' },
        /: No sentinel names the master: the server does not accept the user name or password \(WRONGPASS [^)]*\)$/,
      ],
      [
        'of a master that none of them knows',
        { name: 'nope' },
        /the sentinels know no master of that name \(No such master "nope"\)$/,
      ],
      [
        'of such a master that asks them for nothing else',
        { name: 'nope', updateSentinels: false },
        /the sentinels know no master of that name \(No such master "nope"\)$/,
      ],
    ])('%s is told so at once by every call', async (__, options, reason) => {
      const { client, told } = open(give({ sentinels: sentinels(), ...options }));
      const failures = await Promise.all(everyCall(client, 500_000).map(failureOf));
      failures.push(...(await Promise.all(everyCall(client, 500_000).map(failureOf))));
      for (const failure of failures) {
        expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', message: expect.stringMatching(reason) });
      }
      expect(told.length).toBeGreaterThan(0);
    });
  });

  (canIssueCertificates() ? it : it.skip)(
    'whose certificate is not accepted here: every call is told so at once',
    async () => {
      const config = `sentinel monitor mymaster ${master.host} ${master.port} 1\n`;
      const strange = await startPrivateRedis({ args: ['--sentinel'], config, tls: issueCertificate() });
      leaks.cleanup(() => strange.stop());
      const { host, port } = strange;
      const { client } = open({
        sentinels: [{ host, port }],
        name: 'mymaster',
        sentinelTLS: { ca: issueCertificate().ca },
      });
      for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
        expect(failure).toMatchObject({
          code: 'LOCK_UNAVAILABLE',
          message: expect.stringMatching(
            /: No sentinel names the master: the server's TLS certificate is not accepted here/,
          ),
        });
      }
    },
  );

  it.each<[string, () => RedisOptions, RegExp]>([
    [
      'where none of them listens',
      () => ({ sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'mymaster' }),
      /No sentinel names the master: nothing listens at that address/,
    ],
    [
      'where the master that they name does not listen',
      () => ({ sentinels: sentinels(), name: 'gone' }),
      /: nothing listens at that address/,
    ],
  ])('%s: the call is told so in the end, and the events say nothing else', async (_, options, reason) => {
    await Promise.all(
      watchers.map(async (one) => (await one.admin()).call('SENTINEL', 'MONITOR', 'gone', '127.0.0.1', 1, 1)),
    );
    leaks.cleanup(() =>
      Promise.all(watchers.map(async (one) => (await one.admin()).call('SENTINEL', 'REMOVE', 'gone'))),
    );
    const { client, told } = open(options());
    expect(await failureOf(client.getLock(freshName()).tryLock(1_500))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(reason),
    });
    // One that ioredis asks before ours has been refused is told without the reason.
    for (const text of told) expect(text).toMatch(/nothing listens|Connection is closed/);
  });

  it('what is wrong with one of them ends no call when the connection to the master breaks', async () => {
    const config = `sentinel monitor mymaster ${master.host} ${master.port} 1\nrequirepass secret\n`;
    const closed = await startPrivateRedis({ args: ['--sentinel'], config });
    leaks.cleanup(() => closed.stop());
    const others = [closed, master].map(({ host, port }) => ({ host, port }));
    const { client } = open({ sentinels: [...sentinels().slice(0, 1), ...others], name: 'mymaster' });
    const admin = await master.admin();
    for (let i = 0; i < 5; i++) {
      await (await client.getLock(freshName()).acquire()).release();
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    }
    await (await client.getLock(freshName()).acquire()).release();
  });

  it('what is no sentinel is told so at once', async () => {
    const { client } = open({ sentinels: [{ host: master.host, port: master.port }], name: 'mymaster' });
    for (const failure of await Promise.all(everyCall(client, 500_000).map(failureOf))) {
      expect(failure).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/: No sentinel names the master: the server there is no sentinel/),
      });
    }
  });

  describe('where one is no sentinel, the call waits', () => {
    const opened = async (fake: FakeSentinel) => {
      await fake.listen();
      leaks.cleanup(() => fake.close());
      const { host, port } = master;
      return open({ sentinels: [fake.address, { host, port }], name: 'mymaster' });
    };

    it('for the other, which may be back at any moment', async () => {
      const fake = new FakeSentinel([master.host, master.port]);
      const { client, told } = await opened(fake);
      await fake.close();
      const waiting = client.getLock(freshName()).tryLock(500_000);
      await waitUntil(() => told.some((text) => text.includes('commands')), { what: 'a round' });
      await fake.listen();
      expect(await waiting).toBe(true);
    });

    it('for the master that the other names, in a failover', async () => {
      const fake = new FakeSentinel(['127.0.0.1', 1]);
      const { client } = await opened(fake);
      const waiting = client.getLock(freshName()).tryLock(500_000);
      await waitUntil(() => fake.asked > 8, { what: 'some rounds' });
      fake.master = [master.host, master.port];
      expect(await waiting).toBe(true);
    });
  });

  it('a sentinel that was given as the server of the locks is told as such', async () => {
    const [first] = watchers as [RedisServer];
    const { client } = open({ host: first.host, port: first.port });
    expect(await failureOf(client.getLock(freshName()).tryLock())).toMatchObject({
      code: 'LOCK_REFUSED',
      message: expect.stringMatching(/does not know a command .*, or it is a sentinel/),
    });
  });

  it('a round in which one of them cannot be asked says nothing of the name: the call waits', async () => {
    const gone = await startPrivateRedis();
    await gone.stop();
    const { client } = open({ sentinels: [{ host: gone.host, port: gone.port }, ...sentinels()], name: 'late' });
    const waiting = client.getLock(freshName()).tryLock(500_000);
    const before = await questions();
    await waitUntil(async () => (await questions()) - before >= 4, { what: 'some rounds' });
    await monitor('late');
    expect(await waiting).toBe(true);
  });

  it('a name that is known by now is no reason any more when the connection is cut later', async () => {
    const { client } = open({ sentinels: sentinels(), name: 'soon' });
    expect(await failureOf(client.connect())).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await monitor('soon');
    const lock = client.getLock(freshName());
    await waitUntil(async () => (await failureOf(lock.isLocked())) === undefined, { what: 'the name to be known' });
    await (await master.admin()).call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    // Some of them before the loss is seen, some after it, whenever that is.
    const asked = Array.from({ length: 300 }, async (_, turn) => {
      await turns(turn);
      return lock.isLocked();
    });
    expect(new Set(await Promise.all(asked))).toEqual(new Set([false]));
  });

  it('the same trouble, tried again and again, is told once by each connection', async () => {
    const redis = { sentinels: sentinels(), name: 'nope' };
    const { client, told } = open(redis);
    await failureOf(client.connect());
    const before = await questions();
    await waitUntil(async () => (await questions()) - before >= 8, { what: 'some more rounds', timeoutMs: 20_000 });
    expect(new Set(told).size).toBe(told.length);
    expect(told.length).toBeLessThanOrEqual(2);
  }, 30_000);

  /** Every sentinel learns of the master by one more name. */
  const monitor = async (name: string) => {
    for (const watcher of watchers) {
      const admin = await watcher.admin();
      await admin.call('SENTINEL', 'MONITOR', name, master.host, master.port, 1);
      leaks.cleanup(() => admin.call('SENTINEL', 'REMOVE', name));
    }
  };

  const questions = async () => {
    const [first] = watchers as [RedisServer];
    const info = await (await first.admin()).info('stats');
    return Number(/total_connections_received:(\d+)/.exec(info)?.[1]);
  };
});
