/** Where Redis is, by the options of the command line and the environment. */

import { isIPv6 } from 'node:net';
import { performance } from 'node:perf_hooks';
import { systemClock } from '@holdfast/watchdog';
import type { RedisInput } from 'holdfast';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { addressOf, inWords } from './address.js';
import { type Certificates, certificateOptions, certificatesOf, type CertificateValues } from './certificates.js';
import { UsageError } from './exit-codes.js';
import type { Io } from './io.js';
import { Opened } from './opened.js';
import { DEFAULT_URL, type Place, placeOf } from './place.js';

/** The options that say where Redis is. */
export const siteOptions = {
  redis: { type: 'string', multiple: true },
  cluster: { type: 'boolean' },
  sentinel: { type: 'string', multiple: true },
  master: { type: 'string' },
  'key-prefix': { type: 'string' },
  ...certificateOptions,
} as const;

/** As they were given. */
export interface SiteValues extends CertificateValues {
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
  /** Of its lock clients; {@link Site.connect} leaves it to who asks. */
  readonly keyPrefix: string;
  /** For a lock client. */
  input(): RedisInput;
  /** Connections of its own, in a Cluster one to each master, which give each answer so much time. @throws where there would be none */
  connect(answerWithinMs: number): Promise<Connected>;
  /** Ends what {@link Site.input} and {@link Site.connect} have made. */
  close(): void;
}

/** What {@link Site.connect} came to. */
export interface Connected {
  /** Those that answer, at least one. */
  readonly servers: readonly [Redis, ...Redis[]];
  /** Masters of a Cluster that do not. */
  readonly failures: readonly { readonly node: string; readonly why: Error }[];
  /** Before {@link Site.close}, where they are asked for again and again. */
  readonly end: () => void;
}

const CONNECT_MS = 5_000;
/** A command without an answer ends first, which says more. */
const SAYS_WHY_MS = 200;
/** What ioredis says of that, by its version. */
const saysNoMore = /^(?:Command timed out|Connection is closed)\.?$/;
const SENTINEL_PORT = 26_379;
const MOST_PORT = 65_535;
/** Asked for once: who sits there would rather read what is wrong than wait. */
const asking: RedisOptions = {
  lazyConnect: true,
  retryStrategy: () => null,
  maxRetriesPerRequest: 0,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 300,
};

/** @throws UsageError */
export function siteOf(values: SiteValues, { env }: Io): Site {
  const certificates = certificatesOf(values);
  const urls = values.redis ?? [env['REDIS_URL'] || DEFAULT_URL];
  const [first, ...rest] = urls.map((url) => withCertificates(placeOf(url), certificates));
  if (first === undefined) throw new UsageError('--redis needs a URL');
  const keyPrefix = values['key-prefix'] ?? first.keyPrefix ?? '';
  if (values.sentinel !== undefined) return sentinelSite(values, { ...first, keyPrefix }, env);
  if (values.master !== undefined) throw new UsageError('--master needs --sentinel');
  if (values.cluster) return clusterSite([first, ...rest], keyPrefix);
  if (rest.length > 0) throw new UsageError('several --redis are the nodes of a Cluster: add --cluster');
  return nodeSite('node', first.path ?? inWords(`${first.host}:${first.port}`), { ...first, keyPrefix });
}

/** @throws UsageError where they would not be used, and secrets travel in plain text. */
function withCertificates(place: Place, certificates: Certificates | undefined): Place {
  if (certificates === undefined) return place;
  if (!place.tls) throw new UsageError('--cacert, --cert and --key need a rediss:// URL');
  return { ...place, tls: certificates };
}

/** An address of IPv6 has colons of its own: a port is told from it by brackets. */
function sentinelAt(text: string): { host: string; port: number } {
  if (isIPv6(text)) return { host: text, port: SENTINEL_PORT };
  const [, inBrackets, name, said] = /^(?:\[([^\]\s]+)\]|([^:\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = inBrackets ?? name;
  const port = said === undefined ? SENTINEL_PORT : Number(said);
  if (host === undefined || port > MOST_PORT) throw new UsageError(`--sentinel must be HOST:PORT, not "${text}"`);
  return { host, port };
}

function sentinelSite(values: SiteValues, options: RedisOptions, env: Io['env']): Site {
  const { master, sentinel = [], cluster } = values;
  if (master === undefined) throw new UsageError('--sentinel needs --master, the name that the sentinels know');
  if (cluster) throw new UsageError('--sentinel and --cluster are two different things');
  const { host: _, port: __, tls, ...rest } = options;
  const [username, password] = [env['HOLDFAST_SENTINEL_USERNAME'], env['HOLDFAST_SENTINEL_PASSWORD']];
  return nodeSite('sentinel', `master ${master}`, {
    ...rest,
    ...(tls === undefined ? {} : { tls, enableTLSForSentinelMode: true, sentinelTLS: { ...tls } }),
    sentinels: sentinel.map(sentinelAt),
    name: master,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
  });
}

function nodeSite(kind: 'node' | 'sentinel', address: string, options: RedisOptions): Site {
  const opened = new Opened<Redis>();
  return {
    kind,
    address,
    keyPrefix: options.keyPrefix ?? '',
    input: () => options,
    connect: (answerWithinMs) => {
      const ask = (more: RedisOptions = {}) => {
        const redis = opened.add(
          new Redis({
            ...{ ...options, ...asking, commandTimeout: answerWithinMs, connectTimeout: answerWithinMs },
            ...{ sentinelCommandTimeout: answerWithinMs, sentinelRetryStrategy: () => null, keyPrefix: '', ...more },
          }),
        );
        return opened.unlessInVain(redis, async (): Promise<Connected> => {
          await connected(redis, answerWithinMs);
          return { servers: [redis], failures: [], end: () => opened.end(redis) };
        });
      };
      // Of a server that does not know INFO ioredis never says that it is ready.
      return ask().catch((error: Error) => {
        if (!/unknown command/i.test(error.message)) throw error;
        return ask({ enableReadyCheck: false });
      });
    },
    close: () => opened.close(),
  };
}

/**
 * In the end ioredis says of a server that is busy or hangs only that the connection is closed, and for one that loads its data it waits however long that takes.
 *
 * @throws what it told before, or that it gives no answer where that is all there is to tell
 */
async function connected(connection: Redis | Cluster, withinMs: number): Promise<void> {
  let why: unknown;
  let isThere = false;
  connection.on('connect', () => (isThere = true));
  connection.on('error', (error: Error & { lastNodeError?: Error }) => (why = error.lastNodeError ?? error));
  const clock = systemClock();
  const startedAt = performance.now();
  const limit = clock.setTimer(() => connection.disconnect(), withinMs + SAYS_WHY_MS);
  try {
    await connection.connect();
  } catch (error) {
    const cause = (why ?? error) as Error;
    const isOver = performance.now() - startedAt >= withinMs - 1;
    if (!isThere || !isOver || !saysNoMore.test(cause.message)) throw cause;
    throw new Error('it takes connections and did not answer in time', { cause: error });
  } finally {
    clock.clearTimer(limit);
  }
}

function clusterSite(places: readonly [Place, ...Place[]], keyPrefix: string): Site {
  if (places.some(({ db }) => db)) throw new UsageError('a Cluster has no database but 0: leave it out of the URL');
  // It belongs to the whole, and each node has none.
  const nodes = places.map((place) => ({ ...place, keyPrefix: '' }));
  const { host: _, port: __, ...shared } = { ...places[0], keyPrefix: '' };
  // A certificate is for a name that was given, and ioredis would go by the address behind it.
  const asGiven: ClusterOptions = places[0].tls ? { dnsLookup: (host, found) => found(null, host) } : {};
  const opened = new Opened<Cluster>();
  const open = (prefix: string, more: RedisOptions = {}, ofCluster: ClusterOptions = {}, asked = nodes) => {
    const needed = { connectTimeout: CONNECT_MS, disconnectTimeout: 100, ...more };
    const cluster = new Cluster(
      asked.map((node) => ({ ...node, ...needed })),
      {
        lazyConnect: true,
        keyPrefix: prefix,
        clusterRetryStrategy: () => null,
        redisOptions: { ...shared, ...needed },
        ...asGiven,
        ...ofCluster,
      },
    );
    cluster.on('error', () => undefined);
    return opened.add(cluster);
  };
  return {
    kind: 'cluster',
    keyPrefix,
    address: nodes.map(({ host, port }) => inWords(`${host}:${port}`)).join(', '),
    input: () => open(keyPrefix),
    connect: async (answerWithinMs) => {
      const times = { commandTimeout: answerWithinMs, connectTimeout: answerWithinMs };
      // Where that check fails, as while a master is busy, connect() never ends.
      const ask = (asked: typeof nodes) => {
        const cluster = open('', times, { enableReadyCheck: false }, asked);
        return opened.unlessInVain(cluster, () => mastersBy(cluster, answerWithinMs, () => opened.end(cluster)));
      };
      const found = await ask(nodes);
      if (found !== undefined) return found;
      // One of them was asked, and may have left the Cluster of the others.
      for (const node of nodes.length > 1 ? nodes : []) {
        const foundThere = await ask([node]).catch(() => undefined);
        if (foundThere !== undefined) return foundThere;
      }
      throw new Error('no node of the Cluster keeps any slot');
    },
    close: () => opened.close(),
  };
}

/** Connections to the masters of a Cluster; undefined where the node that was asked names none. @throws where none answers */
async function mastersBy(cluster: Cluster, answerWithinMs: number, end: () => void): Promise<Connected | undefined> {
  await connected(cluster, answerWithinMs);
  const failures: Connected['failures'][number][] = [];
  const attempts = cluster.nodes('master').map(async (server) => {
    try {
      // It may have connected to some by itself.
      if (server.status === 'wait') await connected(server, answerWithinMs);
      return [server];
    } catch (error) {
      failures.push({ node: addressOf(server), why: error as Error });
      return [];
    }
  });
  const [first, ...rest] = (await Promise.all(attempts)).flat();
  if (first !== undefined) return { servers: [first, ...rest], failures, end };
  if (failures[0] !== undefined) throw failures[0].why;
  return undefined;
}
