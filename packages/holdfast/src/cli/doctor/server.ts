/** What a server says of itself, as far as it matters to locks. */

import { performance } from 'node:perf_hooks';
import type { Redis } from 'ioredis';
import type { Site } from '../site.js';
import { fieldOf, type Finding, unseen } from './finding.js';

/** Below this the scripts do not run. */
const OLDEST = 6.2;
/** Clocks that differ by more than this make times in logs hard to compare. Locks do not mind. */
const CLOCKS_MS = 1_000;
const SLOW_MS = 50;
const ROUNDS = 9;

/** Of one server. */
export async function examineServer(redis: Redis, node: string, kind: Site['kind']): Promise<Finding[]> {
  const of = (finding: Finding): Finding => ({ ...finding, node });
  const info = await redis.info().catch((error: unknown) => error);
  const findings = typeof info === 'string' ? fromInfo(info, kind) : [unseen('version', 'INFO', '+info', info)];
  findings.push(await minReplicas(redis), await roundTrip(redis), await clocks(redis));
  return findings.map(of);
}

function fromInfo(info: string, kind: Site['kind']): Finding[] {
  const version = fieldOf(info, 'valkey_version') ?? fieldOf(info, 'redis_version') ?? '';
  const isOld = Number.parseFloat(version) < OLDEST;
  const policy = fieldOf(info, 'maxmemory_policy') ?? 'noeviction';
  const limited = Number(fieldOf(info, 'maxmemory') ?? 0) > 0;
  const evicts = policy !== 'noeviction';
  const replicas = fieldOf(info, 'connected_slaves') ?? '0';
  const role = fieldOf(info, 'role') ?? 'unknown';
  const isNodeOnly = kind !== 'cluster' && fieldOf(info, 'redis_mode') === 'cluster';
  const scripts = fieldOf(info, 'number_of_cached_scripts');
  return [
    { check: 'version', status: isOld ? 'bad' : 'ok', detail: isOld ? `${version}; ${OLDEST} is the oldest` : version },
    {
      check: 'role',
      status: role === 'master' ? 'ok' : 'bad',
      detail: role === 'master' ? role : `${role}: takes no locks`,
    },
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
    { check: 'replicas', status: 'ok', detail: replicas },
    scripts === undefined
      ? { check: 'scripts', status: 'unknown', detail: 'this server does not say how many scripts it knows' }
      : { check: 'scripts', status: 'ok', detail: `${scripts} known` },
  ];
}

async function minReplicas(redis: Redis): Promise<Finding> {
  const check = 'min-replicas-to-write';
  const reply: unknown = await redis.config('GET', check).catch((error: unknown) => error);
  const value = Array.isArray(reply) ? String(reply[1] ?? '') : '';
  if (value === '') return unseen(check, 'CONFIG GET', '+config|get to have it looked at', reply);
  const detail =
    value === '0' ? '0: a master that has lost its replicas goes on taking locks until it is replaced' : value;
  return { check, status: 'ok', detail };
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
  const check = 'clock';
  const sent = wallMs();
  const reply = await redis.time().catch((error: Error) => error);
  if (reply instanceof Error) return unseen(check, 'TIME', '+time', reply);
  const [seconds, micros] = reply.map(Number) as [number, number];
  const ms = Math.round(seconds * 1_000 + micros / 1_000 - (sent + wallMs()) / 2);
  const differs = Math.abs(ms) > CLOCKS_MS;
  const detail = `the server's is ${Math.abs(ms)} ms ${ms < 0 ? 'behind' : 'ahead of'} this machine's`;
  return {
    check,
    status: differs ? 'warn' : 'ok',
    detail: differs ? `${detail}; locks do not mind, logs do` : detail,
    ms,
  };
}

const wallMs = () => performance.timeOrigin + performance.now();
