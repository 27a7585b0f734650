import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, issueCertificate, useRedis } from '@holdfast/testkit';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { UsageError } from '../../src/cli/exit-codes.js';
import type { Io } from '../../src/cli/io.js';
import { type Site, siteOf, type SiteValues } from '../../src/cli/site.js';
import { freshName, openClient } from '../support/clients.js';
import { certificate, describeByTls } from '../support/tls.js';
import { holdfast } from './terminal.js';

const kit = useRedis();

function site(values: SiteValues): Site {
  const made = siteOf(values, { env: {} } as Io);
  kit.cleanup(() => made.close());
  return made;
}

describe('the query of the URL of Redis', () => {
  it.each(['/1', '?db=1', '/?db=1', '/?keyPrefix=app:', '/?db=2&keyPrefix=app:&family=0'])(
    'is read as the lock client reads it: %s',
    async (query) => {
      const url = `redis://${kit.server.host}:${kit.server.port}${query}`;
      const call = (...args: string[]) => holdfast(kit, args, { env: { REDIS_URL: url } });
      const [name, pool] = [freshName(), freshName()];
      const client = openClient(kit, { redis: url });
      const redis = new Redis(url);
      kit.cleanup(() => redis.del(pool).then(() => redis.disconnect()));
      const hold = await client.getLock(name).acquire();
      const permit = await client.getSemaphore(pool, { permits: 2 }).acquire();
      expect(await call('run', name, '--wait', '0', '--', 'true')).toMatchObject({ code: 75 });
      expect(await call('inspect', name)).toMatchObject({ code: 0 });
      expect((await call('ls', name, '--json')).json).toEqual([expect.objectContaining({ name })]);
      expect((await call('ls', pool, '--kind', 'semaphore', '--json')).json).toHaveLength(1);
      expect((await call('doctor', '--json')).json).toEqual([expect.objectContaining({ fit: true })]);
      expect(await call('unlock', name, '--yes')).toMatchObject({ code: 0 });
      await permit.release();
      await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    },
  );

  it('gives way to --key-prefix', () => {
    const redis = ['redis://a/?keyPrefix=app:'];
    expect(site({ redis, 'key-prefix': 'b:' })).toMatchObject({ keyPrefix: 'b:' });
    expect(site({ redis, 'key-prefix': 'b:' }).input()).toMatchObject({ keyPrefix: 'b:' });
    expect(site({ redis, 'key-prefix': '' })).toMatchObject({ keyPrefix: '' });
  });

  it('is not shown: it may hold a password', () => {
    const { address } = site({ redis: ['redis://a:1/?password=secret&db=2'] });
    expect(address).toBe('a:1');
    expect(site({ redis: ['redis://a/?password=secret'] }).input()).toMatchObject({ password: 'secret', host: 'a' });
  });

  it.each([
    ['?keyprefix=app:', '"keyprefix", which is no option of ioredis: do you mean keyPrefix?'],
    ['?db=1&pool_size=5', '"pool_size", which is no option of ioredis'],
  ])(
    'is refused where it says what ioredis passes over, and other locks would be looked at: %s',
    async (query, why) => {
      const { host, port } = kit.server;
      for (const command of [['ls'], ['inspect', 'x'], ['doctor']]) {
        const env = { REDIS_URL: `redis://${host}:${port}/${query}` };
        const { code, errors } = await holdfast(kit, command, { env });
        expect({ code, errors }).toEqual({ code: 2, errors: `holdfast: the query of the URL of Redis has ${why}\n` });
      }
    },
  );

  it('holds for the master behind sentinels', () => {
    const redis = ['redis://:x@ignored/?db=3&keyPrefix=app:'];
    const options = site({ redis, sentinel: ['s:1'], master: 'm' }).input() as RedisOptions;
    expect(options).toMatchObject({ db: 3, keyPrefix: 'app:', password: 'x', name: 'm', sentinels: [{ host: 's' }] });
    expect(options).not.toHaveProperty('host');
  });

  it('holds for the nodes of a Cluster, which has no database but 0', () => {
    const cluster = site({ redis: ['redis://a/0?keyPrefix=app:&username=u', 'redis://b'], cluster: true });
    const { options } = cluster.input() as Cluster;
    expect([options.keyPrefix, options.redisOptions]).toEqual(['app:', expect.objectContaining({ username: 'u' })]);
    expect(cluster.address).toBe('a:6379, b:6379');
    for (const url of ['redis://a/?db=1', 'redis://a/1'])
      expect(() => site({ redis: ['redis://b', url], cluster: true })).toThrow(UsageError);
  });

  it('leaves what it does not say to the lock client, and can take nothing from the command line that it needs', async () => {
    expect(site({ redis: ['redis://a'] }).input()).toEqual({ host: 'a', port: 6379, keyPrefix: '' });
    const { host, port } = kit.server;
    const connecting = site({ redis: [`redis://${host}:${port}/?lazyConnect=&keyPrefix=a:&commandTimeout=0`] });
    const { servers } = await connecting.connect(1_234);
    expect(servers[0].options).toMatchObject({ lazyConnect: true, keyPrefix: '', commandTimeout: 1_234 });
  });

  it('gives numbers as numbers: sockets take no other', () => {
    const options = site({
      redis: ['redis://a/?connectTimeout=1000&keepAlive=5&tls=true&maxRetriesPerRequest=null'],
    }).input();
    expect(options).toMatchObject({ connectTimeout: 1_000, keepAlive: 5, tls: 'true', maxRetriesPerRequest: 'null' });
  });

  it.each(['redis://a/?db=x', 'redis://a/-1', 'redis://a/?Connector=x', 'redis://%@a'])(
    'is refused where it cannot be: %s',
    (url) => {
      expect(() => site({ redis: [url] })).toThrow(UsageError);
    },
  );
});

describeByTls('the certificates that the command line names', () => {
  // Without them nothing runs.
  const tls = certificate as Certificate;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-site-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const cacert = () => file('ca', tls.ca);
  const own = () => ({ cert: file('cert', tls.cert), key: file('key', tls.key) });
  const redis = ['rediss://a'];

  it('are those of the server, of each node and of the sentinels', () => {
    const files = { cacert: cacert(), ...own() };
    expect(site({ redis, ...files }).input()).toMatchObject({ tls });
    expect(site({ redis, cacert: cacert() }).input()).toMatchObject({ tls: { ca: tls.ca } });
    const { options } = site({ redis: [...redis, 'rediss://b'], cluster: true, ...files }).input() as Cluster;
    expect(options.redisOptions).toMatchObject({ tls });
    const behind = site({ redis, sentinel: ['s:1'], master: 'm', ...files }).input();
    expect(behind).toMatchObject({ tls, sentinelTLS: tls, enableTLSForSentinelMode: true });
  });

  it.each<[string, RegExp, () => SiteValues]>([
    [
      'without TLS: what they are for would travel in plain text',
      /rediss:/,
      () => ({ redis: ['redis://a'], ...own() }),
    ],
    ['without the key', /--cert and --key/, () => ({ redis, cert: own().cert })],
    ['without what the key belongs to', /--cert and --key/, () => ({ redis, key: own().key })],
    ['of a file that is not there', /--cacert .*ENOENT/, () => ({ redis, cacert: `${folder}/no` })],
    ['of a file that is something else', /--cacert is no PEM/, () => ({ redis, cacert: file('other', 'ca') })],
    ['of a key in place of a certificate', /--cacert has no certificate/, () => ({ redis, cacert: own().key })],
    ['with the key of another', /mismatch/, () => ({ redis, ...own(), key: file('other', issueCertificate().key) })],
  ])('are refused %s', (_, why, values) => {
    expect(() => site(values())).toThrow(UsageError);
    expect(() => site(values())).toThrow(why);
  });
});

describe('the address of a sentinel', () => {
  const sentinels = (text: string) => (site({ sentinel: [text], master: 'm' }).input() as RedisOptions).sentinels;

  it.each([
    ['redis.internal:7000', 'redis.internal', 7_000],
    ['10.0.0.1', '10.0.0.1', 26_379],
    ['[2001:db8::1]:7000', '2001:db8::1', 7_000],
    ['[::1]', '::1', 26_379],
    ['2001:db8::1', '2001:db8::1', 26_379],
  ])('may be one of IPv6 too: %s', (text, host, port) => {
    expect(sentinels(text)).toEqual([{ host, port }]);
  });

  it.each(['', 'a:b', 'a:70000', 'a:1:2', '[::1'])('is refused where it is none: "%s"', (text) => {
    expect(() => sentinels(text)).toThrow(UsageError);
  });
});

it.each(['node', 'cluster'] as const)(
  'a site that is asked again and again keeps no connection that has ended, or never was: %s',
  async (kind) => {
    const { host, port } = kit.server;
    const nowhere = site({ redis: ['redis://127.0.0.1:1'], cluster: kind === 'cluster' });
    const there = site({ redis: [`redis://${host}:${port}`] });
    for (let look = 0; look < 3; look++) {
      await expect(nowhere.connect(200)).rejects.toThrow();
      (await there.connect(1_000)).end();
    }
    const ended = [Redis, Cluster].map((type) => jest.spyOn(type.prototype, 'disconnect'));
    for (const each of [nowhere, there]) each.close();
    const calls = ended.flatMap((spy) => spy.mock.calls);
    for (const spy of ended) spy.mockRestore();
    expect(calls).toEqual([]);
  },
);
