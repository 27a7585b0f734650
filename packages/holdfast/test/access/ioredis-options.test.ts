import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, type RedisInput } from 'holdfast';
import { Redis, type RedisOptions } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';
import { isCommand, loadScripts } from '../support/scripts.js';

const kit = useRedis();

/** A Redis of the user's that has not connected. */
function lazy(options: RedisOptions): Redis {
  const redis = new Redis({ lazyConnect: true, ...options });
  kit.cleanup(() => redis.disconnect());
  return redis;
}

describe('refused with a TypeError before any I/O:', () => {
  const sentinels = { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'mymaster' };
  const plainText = /in plain text/;

  it.each<[string, () => RedisInput, RegExp]>([
    ['Sentinel with tls alone', () => ({ ...sentinels, tls: {} }), plainText],
    [
      'Sentinel with enableTLSForSentinelMode alone',
      () => ({ ...sentinels, enableTLSForSentinelMode: true }),
      plainText,
    ],
    ['a Redis behind Sentinel with tls alone', () => lazy({ ...sentinels, tls: {} }), plainText],
    ['options that would never reconnect', () => ({ retryStrategy: null as never }), /retryStrategy/],
    ['options for a monitor', () => ({ monitor: true }), /monitor/],
    ['a Redis that will be a monitor', () => lazy({ monitor: true }), /monitor/],
    ['a URL for a monitor', () => `${kit.server.url}?monitor=true`, /monitor/],
  ])('%s', async (_, open, reason) => {
    const connections = async () => /total_connections_received:(\d+)/.exec(await kit.admin.info('stats'))?.[1];
    const before = await connections();
    const redis = open();
    expect(() => createLockClient({ redis })).toThrow(TypeError);
    expect(() => createLockClient({ redis })).toThrow(reason);
    expect(await connections()).toBe(before);
  });

  it.each<[string, () => RedisInput]>([
    ['Sentinel with both', () => ({ ...sentinels, tls: {}, enableTLSForSentinelMode: true })],
    ['Sentinel with neither', () => sentinels],
    ['TLS without Sentinel', () => ({ host: 'localhost', tls: {} })],
    ['a Redis of the user that does not reconnect', () => lazy({ retryStrategy: () => null })],
  ])('but not %s', async (_, open) => {
    await createLockClient({ redis: open() }).close();
  });
});

/** Options that hang, lose or repeat what is sent through ioredis; here they must not matter. */
const awkward: readonly (readonly [title: string, options: RedisOptions])[] = [
  ['autoResendUnfulfilledCommands: false', { autoResendUnfulfilledCommands: false }],
  ['autoResubscribe: false', { autoResubscribe: false }],
  ['commandTimeout', { commandTimeout: 150 }],
  ['db', { db: 3 }],
  ['enableAutoPipelining', { enableAutoPipelining: true }],
  ['enableOfflineQueue: false', { enableOfflineQueue: false }],
  ['enableReadyCheck: false', { enableReadyCheck: false }],
  ['keyPrefix', { keyPrefix: 'app:' }],
  ['maxRetriesPerRequest: 0', { maxRetriesPerRequest: 0 }],
  ['maxRetriesPerRequest: null', { maxRetriesPerRequest: null }],
  ['reconnectOnError that sends again', { reconnectOnError: () => 2 }],
  ['socketTimeout', { socketTimeout: 200 }],
  ['stringNumbers', { stringNumbers: true }],
];

describe.each(awkward)('with %s', (_, options) => {
  it.each(['options', 'a Redis of the user'])(
    'in %s, a broken connection costs no hold, no wait and no count',
    async (way) => {
      await loadScripts(kit);
      const proxy = await openProxy(kit);
      const reach = { ...options, host: proxy.host, port: proxy.port, disconnectTimeout: 100 };
      const redis = way === 'options' ? reach : new Redis(reach);
      if (redis instanceof Redis) {
        redis.on('error', () => undefined);
        kit.cleanup(() => redis.disconnect());
      }
      const client = openClient(kit, { redis, reaskMs: 200, claimLeaseMs: 600 });
      const { keyPrefix = '', db = 0 } = options;
      const stranger = openClient(kit, { redis: { host: kit.server.host, port: kit.server.port, keyPrefix, db } });
      const [mine, theirs] = [freshName(), freshName()];

      const hold = await client.getLock(mine).acquire();
      const busy = await stranger.getLock(theirs).acquire();
      const waiting = client.getLock(theirs).acquire();
      await waitUntil(async () => (await stranger.inspect(theirs)).queue.length === 1, {
        what: 'the waiter is queued',
      });
      proxy.reset();
      await busy.release();
      await (await waiting).release();
      proxy.loseNextReply({ after: isCommand('again') });
      await hold.run(() =>
        client.getLock(mine).withLock(async () => {
          expect((await client.inspect(mine)).owner?.holdCount).toBe(2);
        }),
      );
      expect(hold.state).toBe('held');
      proxy.loseNextReply({ after: isCommand('release') });
      await hold.release();
      expect(await client.getLock(mine).isLocked()).toBe(false);
      expect(proxy.repliesLost).toBe(2);
      await client.close();
    },
  );
});
