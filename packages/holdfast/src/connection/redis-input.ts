import { shapeOf } from '@holdfast/core';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisInput } from '../options.js';
import { apart } from '../scopes/scope.js';
import type { OwnedRedis } from './connection.js';
import { guarded } from './guarded.js';
import { nameFor, ours, oursForSure, retryStrategy, swift } from './connection-options.js';
import { withCredentialsOf } from './live-credentials.js';

/** What the `redis` option came to: a client for one server (or the master behind Sentinel), or the map of a Cluster. */
export type OpenedRedis = ({ kind: 'node' } & OwnedRedis) | { kind: 'cluster'; template: Cluster };

/**
 * Turns the `redis` option into a client, without any I/O. A connection of ours is shown by CLIENT LIST under `connectionName`, unless yours has one.
 *
 * @throws TypeError when it is not usable as a lock's connection, with the reason.
 */
export function openRedis(input: RedisInput, connectionName?: string): OpenedRedis {
  const named = nameFor({}, connectionName);
  if (typeof input === 'string') {
    if (!/^rediss?:\/\//.test(input)) throw unusable('got another string');
    if (!URL.canParse(input)) throw new TypeError('redis: this URL cannot be read: are its host and its port right?');
    return open(() => {
      const redis = new Redis(input, { retryStrategy, ...named, ...ours });
      // What the query says has gone before, and as text. It connects later.
      const options = Object.assign(redis.options, ours) as Record<string, unknown>;
      options['connectTimeout'] &&= Number(options['connectTimeout']);
      const usual: Record<string, unknown> = Redis['defaultOptions'];
      for (const name in options)
        if (options[name] === 'false' && typeof usual[name] === 'boolean') options[name] = false;
      return redis;
    });
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw unusable(`got ${shapeOf(input)}`);
  if ('href' in input) throw new TypeError('redis: pass the text of a URL: its href');
  if ('then' in input) throw new TypeError('redis: this is a promise: await it');
  for (const [mark, library] of Object.entries(others)) if (mark in input) throw unusable(`not one of ${library}`);
  if (isClient(input)) {
    if (isCluster(input)) return { kind: 'cluster', template: input };
    refuseUnfit(input);
    if (!input.options.sentinels) return { kind: 'node', redis: input, ownership: 'yours' };
    const ownName = nameFor(input.options, connectionName);
    const options = { ...oursForSure, ...swift(input.options), ...ownName };
    return open(() => withCredentialsOf(input.duplicate(options), () => input.options));
  }
  // Read once: ioredis gets what was looked at.
  const given = { ...input };
  const opened = open(
    () => new Redis({ retryStrategy, ...named, ...given, ...ours, ...(given.sentinels ? swift(given) : {}) }),
  );
  refusePlaceless(given);
  return opened;
}

/** Clients of other libraries, by what each has and one of ioredis has not. */
const others = {
  isOpen: 'node-redis',
  server_info: 'node-redis',
  invokeScript: 'GLIDE',
  createScript: '@upstash/redis',
  shaScripts: 'ioredis-mock (see holdfast/testing)',
};

/**
 * ioredis ignores what it does not know, and where it finds nothing that it knows it connects to localhost: on every host another server, with
 * locks that exclude no process on another host. The place, the database and the encryption have other names elsewhere.
 */
function refusePlaceless(options: object): void {
  const has = (name: string) => options[name as keyof object];
  const ignored = ['url', 'socket', 'database', 'databaseId'].find(has);
  if (!ignored && ['host', 'port', 'path', 'sentinels', 'Connector'].some(has)) return;
  throw new TypeError(
    `redis: ${ignored ? `ioredis ignores '${ignored}'` : 'no place'}; say where Redis is: host, port, path or sentinels (beside them db, tls), or pass a URL or a Cluster`,
  );
}

/** ioredis has read the options, those in the query of a URL too. It connects later. */
function open(make: () => Redis): OpenedRedis {
  const redis = guarded(apart(() => made(make)));
  refuseUnsafe(redis.options);
  if (typeof redis.options.retryStrategy !== 'function') {
    throw new TypeError('redis: without a retryStrategy the first lost connection is the end; leave it out for ours');
  }
  return { kind: 'node', redis, ownership: 'ours' };
}

/** What ioredis refuses it says by errors of any kind. */
function made(make: () => Redis): Redis {
  // In a mock there is another class of that name, or none.
  if (!('mode' in Object((Redis as typeof Redis | undefined)?.prototype))) throw strange('the imported Redis');
  try {
    return make();
  } catch (error) {
    throw new TypeError(`redis: ioredis refuses these options: ${(error as Error).message}`, { cause: error });
  }
}

function unusable(found: string): TypeError {
  return new TypeError(`redis must be a redis:// or rediss:// URL, ioredis options, or an ioredis client, ${found}`);
}

function isClient(input: object): input is Redis | Cluster {
  return 'duplicate' in input && typeof input.duplicate === 'function';
}

function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster;
}

/** No client of ioredis 5 is without its mode. */
function strange(what: string): TypeError {
  return new TypeError(
    `redis: ${what} is not of ioredis 5.4 or newer; in a test that mocks ioredis, take a client of holdfast/testing`,
  );
}

function refuseUnfit(redis: Redis): void {
  if (!redis.mode) throw strange('this client');
  if (redis.mode !== 'normal') {
    throw new TypeError(`redis: this client is in ${redis.mode} mode; hand over one that sends ordinary commands`);
  }
  refuseUnsafe(redis.options);
}

function refuseUnsafe(options: RedisOptions): void {
  // It has one by now, by default.
  const { db = 0, port = 0, sentinels, path, connectTimeout } = options;
  // A socket throws where nobody can catch it.
  if (!Number.isFinite(connectTimeout ?? 0)) throw new TypeError('redis: connectTimeout must be a number');
  // Every attempt to connect would fail, and no call say why. Beside these ioredis does not look at it.
  if (!(sentinels || path || (port > 0 && port <= 65_535)))
    throw new TypeError('redis: the port must be a number from 1 to 65535');
  // ioredis sends it as it is, and does not survive the answer.
  if (!Number.isSafeInteger(db) || db < 0) throw new TypeError('redis: the database must be a whole number, from 0');
  if (options.monitor) throw new TypeError('redis: a monitor connection cannot take locks');
  if (sentinels && Boolean(options.tls) !== Boolean(options.enableTLSForSentinelMode)) {
    throw new TypeError(
      'redis: with Sentinel, tls and enableTLSForSentinelMode need each other: with one alone the master is asked in plain text',
    );
  }
  if (options.role === 'slave') throw new TypeError("redis: role 'slave' reads from replicas; a lock needs the master");
  if (options.readOnly) throw new TypeError('redis: a readOnly connection cannot take locks');
}
