import type { Redis } from 'ioredis';
import { isLockName } from '../lock-names.js';

/** What is on the server at one moment. */
export interface ServerSample {
  readonly usedMemoryBytes: number;
  readonly locks: number;
  /**
   * Keys of waiting lines: two for each lock that is waited for, but for read-write locks, which always have one of them; and the records of who holds the permit of a
   * semaphore.
   */
  readonly lineKeys: number;
  /** They outlast a command whose fate was unknown, by design. */
  readonly tombstones: number;
  /** Of fencing tokens. They outlast their lock for a day, by design. */
  readonly counters: number;
  readonly otherKeys: number;
  readonly keysWithoutTtl: number;
  readonly subscriptions: number;
  readonly connections: number;
}

/** Commands that were executed since the server started. */
export interface CommandTotals {
  /** Scripts, sent by clients. */
  readonly scripts: number;
  readonly all: number;
  readonly cpuUs: number;
}

const ownConnection = / name=holdfast-testkit /;

export async function serverSample(admin: Redis): Promise<ServerSample> {
  const memory = await admin.info('memory');
  const kinds = { locks: 0, lineKeys: 0, tombstones: 0, counters: 0, otherKeys: 0 };
  let cursor = '0';
  do {
    const [next, keys] = await admin.scan(cursor, 'COUNT', 500);
    cursor = next;
    for (const key of keys) kinds[kindOf(key)]++;
  } while (cursor !== '0');
  const clients = String(await admin.client('LIST'))
    .trim()
    .split('\n');
  return {
    ...kinds,
    keysWithoutTtl: await keysWithoutTtl(admin),
    usedMemoryBytes: Number(/^used_memory:(\d+)/m.exec(memory)?.[1]),
    subscriptions: (await admin.pubsub('CHANNELS')).length,
    connections: clients.filter((line) => !ownConnection.test(line)).length,
  };
}

async function keysWithoutTtl(admin: Redis): Promise<number> {
  const [, keys, expiring] = /^db0:keys=(\d+),expires=(\d+)/m.exec(await admin.info('keyspace')) ?? [];
  return Number(keys ?? 0) - Number(expiring ?? 0);
}

function kindOf(key: string): 'locks' | 'lineKeys' | 'tombstones' | 'counters' | 'otherKeys' {
  if (isLockName(key)) return 'locks';
  if (key.startsWith('redisson_lock_token:')) return 'counters';
  const kind = /^holdfast_(?:tagged_)?([a-z_]+):/.exec(key)?.[1] ?? '';
  if (
    ['queue', 'fresh', 'rw_writers', 'rw_readers', 'rw_fresh', 'sem_queue', 'sem_fresh', 'sem_permits'].includes(kind)
  )
    return 'lineKeys';
  return kind === 'dead' ? 'tombstones' : 'otherKeys';
}

export async function commandTotals(admin: Redis): Promise<CommandTotals> {
  const info = await admin.info('all');
  const calls = (command: string) => Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const number = (field: string) => Number(new RegExp(`^${field}:(.+)$`, 'm').exec(info)?.[1]);
  return {
    scripts: calls('evalsha') + calls('eval'),
    all: number('total_commands_processed'),
    cpuUs: (number('used_cpu_user') + number('used_cpu_sys')) * 1e6,
  };
}
