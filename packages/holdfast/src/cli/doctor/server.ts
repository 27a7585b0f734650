/** What a server says of itself, as far as it matters to locks. */

import { performance } from 'node:perf_hooks';
import type { Redis, RedisOptions } from 'ioredis';
import { inWords } from '../address.js';
import type { Site } from '../site.js';
import { fieldOf, type Finding, modeIn, unseen } from './finding.js';

/** Below this the scripts do not run. */
const OLDEST = 6.2;
/** Clocks that differ by more than this make times in logs hard to compare. Those of a master and its replicas are what leases end by after a failover. */
const CLOCKS_MS = 1_000;
/** A third of the default lease: for so long a connection of a client that holds locks may have nothing to send. */
const QUIET_S = 10;
/** Replicas report every second. */
const SILENT_S = 5;
const SLOW_MS = 50;
const ROUNDS = 9;
/** A replica by its address, wherever its master was found. */
const asReplica = {
  sentinels: null,
  path: undefined,
  lazyConnect: true,
  enableReadyCheck: false,
  connectTimeout: 2_000,
  disconnectTimeout: 100,
  retryStrategy: () => null,
} as unknown as RedisOptions;

/** Of one server. */
export async function examineServer(redis: Redis, node: string, kind: Site['kind']): Promise<Finding[]> {
  const of = (finding: Finding): Finding => ({ ...finding, node });
  const info = await redis.info().catch((error: unknown) => error);
  const findings = typeof info === 'string' ? fromInfo(info, kind) : [unseen('version', 'INFO', '+info', info)];
  if (typeof info !== 'string' || fieldOf(info, 'role') !== 'slave') findings.push(await minReplicas(redis, info));
  findings.push(...(await idleLimit(redis)), await roundTrip(redis), await clocks(redis));
  const ofReplicas = typeof info === 'string' ? await replicaClocks(redis, info) : [];
  return [...findings.map(of), ...ofReplicas];
}

function fromInfo(info: string, kind: Site['kind']): Finding[] {
  const version = fieldOf(info, 'valkey_version') ?? fieldOf(info, 'redis_version') ?? '';
  const isOld = Number.parseFloat(version) < OLDEST;
  const policy = fieldOf(info, 'maxmemory_policy') ?? 'noeviction';
  const limited = Number(fieldOf(info, 'maxmemory') ?? 0) > 0;
  const evicts = policy !== 'noeviction';
  const isReplica = fieldOf(info, 'role') === 'slave';
  const isNodeOnly = kind !== 'cluster' && modeIn(info) === 'cluster';
  const scripts = fieldOf(info, 'number_of_cached_scripts');
  return [
    version === ''
      ? { check: 'version', status: 'unknown', detail: 'this server does not say which version it is' }
      : {
          check: 'version',
          status: isOld ? 'bad' : 'ok',
          detail: isOld ? `${version}; ${OLDEST} is the oldest` : version,
        },
    roleIn(info),
    {
      check: 'eviction',
      status: evicts ? (limited ? 'bad' : 'warn') : 'ok',
      detail: evicts ? `${policy}: a full server deletes locks that are held; set noeviction` : policy,
    },
    ...(isNodeOnly
      ? [
          {
            check: 'mode',
            status: 'bad',
            detail: 'a node of a Cluster keeps only some of the locks: add --cluster',
          } as const,
        ]
      : []),
    // What counts of a replica is its master's.
    ...(isReplica ? [] : [inStep(info)]),
    scripts === undefined
      ? { check: 'scripts', status: 'unknown', detail: 'this server does not say how many scripts it knows' }
      : { check: 'scripts', status: 'ok', detail: `${scripts} known` },
  ];
}

function roleIn(info: string): Finding {
  const check = 'role';
  const isSentinel = modeIn(info) === 'sentinel';
  if (isSentinel)
    return { check, status: 'bad', detail: 'a sentinel, which takes no locks: say --sentinel and --master' };
  const role = fieldOf(info, 'role') ?? 'unknown';
  if (role === 'master') return { check, status: 'ok', detail: role };
  if (role !== 'slave') return { check, status: 'bad', detail: `${role}: takes no locks` };
  const [host, port] = [fieldOf(info, 'master_host'), fieldOf(info, 'master_port')];
  const link = fieldOf(info, 'master_link_status') === 'down' ? ', to which it has no connection now' : '';
  const replica = host === undefined ? 'a replica' : `a replica of ${inWords(`${host}:${port}`)}${link}`;
  if (fieldOf(info, 'slave_read_only') === '0') return { check, status: 'ok', detail: `${replica}; it takes writes` };
  return { check, status: 'bad', detail: `${replica}: takes no locks, ask its master` };
}

/** How many replicas there are. One that hangs stays connected for `repl-timeout`, a minute by default. */
function inStep(info: string): Finding {
  const check = 'replicas';
  const count = fieldOf(info, 'connected_slaves') ?? '0';
  const behind = [...info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+),state=([^,]+),.*\blag=(\d+)/gm)].flatMap(
    ([, host, port, state, lag]) => {
      const replica = inWords(`${host}:${port}`);
      if (state !== 'online') return [`${replica} is still being filled (${state})`];
      return Number(lag) >= SILENT_S ? [`${replica} has said nothing for ${lag} s`] : [];
    },
  );
  if (behind.length === 0) return { check, status: 'ok', detail: count };
  return { check, status: 'warn', detail: `${count}, but ${behind.join(', ')}: it confirms no lock now` };
}

/** What it insists on, and whether it has so many. `info`: where it may be looked at. */
async function minReplicas(redis: Redis, info: unknown): Promise<Finding> {
  const check = 'min-replicas-to-write';
  const { value, reply } = await setting(redis, check);
  if (value === undefined) return unseen(check, 'CONFIG GET', '+config|get to have it looked at', reply);
  // Told only where it insists on some.
  const inStepNow = typeof info === 'string' ? fieldOf(info, 'min_slaves_good_slaves') : undefined;
  if (inStepNow !== undefined && Number(inStepNow) < Number(value)) {
    const detail = `${value}, and ${inStepNow} of its replicas keep up: until they do it takes no lock (NOREPLICAS)`;
    return { check, status: 'bad', detail };
  }
  const detail =
    value === '0' ? '0: a master that has lost its replicas goes on taking locks until it is replaced' : value;
  return { check, status: 'ok', detail };
}

async function setting(redis: Redis, name: string): Promise<{ value: string | undefined; reply: unknown }> {
  const reply: unknown = await redis.config('GET', name).catch((error: unknown) => error);
  const value = Array.isArray(reply) && reply[1] !== undefined ? String(reply[1]) : undefined;
  return { value, reply };
}

/** Nothing where it may not be looked at, which is told of another setting, or does no harm. */
async function idleLimit(redis: Redis): Promise<Finding[]> {
  const check = 'timeout';
  const { value = '0' } = await setting(redis, check);
  const seconds = Number(value);
  if (!(seconds > 0 && seconds <= QUIET_S)) return [];
  const detail = `${value}: the server closes connections that are quiet for ${value} s, also those of holders between two renewals (suspect); set 0, or more than ${QUIET_S}`;
  return [{ check, status: 'warn', detail }];
}

/** The middle one of some. */
async function roundTrip(redis: Redis): Promise<Finding> {
  const check = 'round-trip';
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const answer: unknown = await redis.ping().catch((error: unknown) => error);
    if (answer instanceof Error) return unseen(check, 'PING', '+ping', answer);
    times.push(performance.now() - start);
  }
  const ms = Math.round((times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] as number) * 100) / 100;
  return { check, status: ms > SLOW_MS ? 'warn' : 'ok', detail: `${ms} ms`, ms };
}

async function clocks(redis: Redis): Promise<Finding> {
  const ms = await aheadMs(redis);
  if (ms instanceof Error) return unseen('clock', 'TIME', '+time', ms);
  return clock(ms, "the server's", "this machine's", 'locks do not mind while it runs evenly, logs do');
}

/** How far its clock is from this machine's. */
async function aheadMs(redis: Redis): Promise<number | Error> {
  const sent = wallMs();
  const reply = await redis.time().catch((error: Error) => error);
  if (reply instanceof Error) return reply;
  const [seconds, micros] = reply.map(Number) as [number, number];
  return Math.round(seconds * 1_000 + micros / 1_000 - (sent + wallMs()) / 2);
}

function clock(ms: number, whose: string, than: string, matter: string): Finding {
  const differs = Math.abs(ms) > CLOCKS_MS;
  const detail = `${whose} is ${Math.abs(ms)} ms ${ms < 0 ? 'behind' : 'ahead of'} ${than}`;
  return { check: 'clock', status: differs ? 'warn' : 'ok', detail: differs ? `${detail}; ${matter}` : detail, ms };
}

/** Leases are replicated as times: a replica that is made the master ends them by its own clock. */
async function replicaClocks(master: Redis, info: string): Promise<Finding[]> {
  const addresses = [...info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+)/gm)];
  return Promise.all(
    addresses.map(async ([, host = '', port = '']): Promise<Finding> => {
      const node = inWords(`${host}:${port}`);
      const replica = master.duplicate({ ...asReplica, host, port: Number(port) });
      let why: Error | undefined;
      replica.on('error', (error) => (why = error));
      try {
        await replica.connect();
        const [theirs, ours] = [await aheadMs(replica), await aheadMs(master)];
        if (theirs instanceof Error) throw theirs;
        if (ours instanceof Error) throw ours;
        const matter = 'a failover to it ends leases early, and lets two in, or late: set both by NTP';
        return { ...clock(theirs - ours, "this replica's", "its master's", matter), node };
      } catch (error) {
        const { message } = why ?? (error as Error);
        const detail = `this replica cannot be asked from here (${message}): compare TIME of it and of its master`;
        return { check: 'clock', status: 'unknown', detail, node };
      } finally {
        replica.disconnect();
      }
    }),
  );
}

const wallMs = () => performance.timeOrigin + performance.now();
