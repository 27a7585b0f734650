/** Where Redis is, by the options of the command line and the environment. */

import type { RedisInput } from 'holdfast';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { UsageError } from './exit-codes.js';
import type { Io } from './io.js';

/** The options that say where Redis is. */
export const siteOptions = {
  redis: { type: 'string', multiple: true },
  cluster: { type: 'boolean' },
  sentinel: { type: 'string', multiple: true },
  master: { type: 'string' },
  'key-prefix': { type: 'string' },
} as const;

/** As they were given. */
export interface SiteValues {
  readonly redis?: string[] | undefined;
  readonly cluster?: boolean | undefined;
  readonly sentinel?: string[] | undefined;
  readonly master?: string | undefined;
  readonly 'key-prefix'?: string | undefined;
}

/** A place of Redis; connections to it are made when somebody asks for them. */
export interface Site {
  /** In words, without secrets. */
  readonly address: string;
  readonly kind: 'node' | 'sentinel' | 'cluster';
  /** For a lock client. */
  input(): RedisInput;
  /** Connections of its own, in a Cluster one to each master, which give each answer so much time. */
  connect(answerWithinMs: number): Promise<readonly Redis[]>;
  /** Ends what {@link Site.input} and {@link Site.connect} have made. */
  close(): void;
}

const DEFAULT_URL = 'redis://localhost:6379';
const CONNECT_MS = 5_000;
/** Asked for once: who sits there would rather read what is wrong than wait. */
const asking: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  retryStrategy: () => null,
  maxRetriesPerRequest: 0,
  disconnectTimeout: 100,
};

/** @throws UsageError */
export function siteOf(values: SiteValues, { env }: Io): Site {
  const urls = values.redis ?? [env['REDIS_URL'] || DEFAULT_URL];
  const keyPrefix = values['key-prefix'] ?? '';
  const [first, ...rest] = urls.map(optionsOf);
  if (first === undefined) throw new UsageError('--redis needs a URL');
  if (values.sentinel !== undefined) return sentinelSite(values, { ...first, keyPrefix }, env);
  if (values.master !== undefined) throw new UsageError('--master needs --sentinel');
  if (values.cluster) return clusterSite([first, ...rest], keyPrefix);
  if (rest.length > 0) throw new UsageError('several --redis are the nodes of a Cluster: add --cluster');
  const options = { ...first, keyPrefix };
  return nodeSite('node', `${first.host}:${first.port}`, options);
}

/** What a URL says, as options of ioredis. Of ours only the parts that every Redis tool knows: no query. */
function optionsOf(text: string): RedisOptions & { host: string; port: number } {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError('the address of Redis must be a URL, redis:// or rediss://');
  }
  const url = new URL(text);
  const db = Number(url.pathname.slice(1) || 0);
  if (!Number.isSafeInteger(db)) throw new UsageError('the path in the URL of Redis must be the number of a database');
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, '') || 'localhost',
    port: Number(url.port || 6379),
    db,
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function addressOf(text: string): { host: string; port: number } {
  const [, host = '', port = '26379'] = /^(.+?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === '') throw new UsageError(`--sentinel must be HOST:PORT, not "${text}"`);
  return { host, port: Number(port) };
}

function sentinelSite(values: SiteValues, options: RedisOptions, env: Io['env']): Site {
  const { master, sentinel = [], cluster } = values;
  if (master === undefined) throw new UsageError('--sentinel needs --master, the name that the sentinels know');
  if (cluster) throw new UsageError('--sentinel and --cluster are two different things');
  const { host: _, port: __, tls, ...rest } = options;
  const [username, password] = [env['HOLDFAST_SENTINEL_USERNAME'], env['HOLDFAST_SENTINEL_PASSWORD']];
  return nodeSite('sentinel', `master ${master}`, {
    ...rest,
    ...(tls === undefined ? {} : { tls, enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinels: sentinel.map(addressOf),
    name: master,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
  });
}

function nodeSite(kind: 'node' | 'sentinel', address: string, options: RedisOptions): Site {
  const opened: Redis[] = [];
  return {
    kind,
    address,
    input: () => options,
    connect: async (commandTimeout) => {
      const redis = new Redis({
        ...{ ...options, ...asking, commandTimeout },
        ...{ sentinelRetryStrategy: () => null, keyPrefix: '' },
      });
      opened.push(redis);
      redis.on('error', () => undefined);
      await redis.connect();
      return [redis];
    },
    close: () => {
      for (const redis of opened) redis.disconnect();
    },
  };
}

function clusterSite(nodes: (RedisOptions & { host: string; port: number })[], keyPrefix: string): Site {
  const { host: _, port: __, db: ___, ...shared } = nodes[0] as RedisOptions;
  const opened: (Redis | Cluster)[] = [];
  const open = (prefix: string, more: RedisOptions = {}) => {
    const cluster = new Cluster(nodes, {
      lazyConnect: true,
      keyPrefix: prefix,
      clusterRetryStrategy: () => null,
      redisOptions: { ...shared, connectTimeout: CONNECT_MS, disconnectTimeout: 100, ...more },
    });
    cluster.on('error', () => undefined);
    opened.push(cluster);
    return cluster;
  };
  return {
    kind: 'cluster',
    address: nodes.map(({ host, port }) => `${host}:${port}`).join(', '),
    input: () => open(keyPrefix),
    connect: async (commandTimeout) => {
      const cluster = open('', { commandTimeout });
      await cluster.connect();
      return cluster.nodes('master');
    },
    close: () => {
      for (const connection of opened) connection.disconnect();
    },
  };
}
