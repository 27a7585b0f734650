import { getHeapSpaceStatistics, queryObjects } from 'node:v8';
import type { PendingTimers } from '@holdfast/testkit';
import type { Redis } from 'ioredis';

/** What a process and its server have in hand at one moment. */
export interface Footprint {
  /** Reachable JavaScript objects: exact, whatever V8 has compiled meanwhile. Sees no strings and numbers. */
  readonly objects: number;
  /** What is reachable, in bytes, machine code apart. */
  readonly bytes: number;
  /** Timers that were set and have neither run nor been cleared, unref'd ones included. */
  readonly timers: number;
  /** Channels with a subscriber. */
  readonly subscriptions: number;
  readonly connections: number;
  /** Tombstones apart: they outlast a call that was given up, by design. */
  readonly keys: number;
  /** Keys of any kind that would stay for ever. */
  readonly lastingKeys: number;
}

const TOMBSTONE = 'holdfast_dead:';

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function collect(): Promise<void> {
  if (gc === undefined) throw new Error('Run node with --expose-gc');
  // Finalizers and settled promises of one collection free more in the next.
  for (let i = 0; i < 4; i++) {
    await turn();
    gc();
  }
}

/** What is reachable, in bytes, machine code apart. Needs `--expose-gc`. */
export async function liveBytes(): Promise<number> {
  await collect();
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('code'));
  return spaces.reduce((bytes, { space_used_size }) => bytes + space_used_size, 0);
}

/** @param admin - a connection of the caller's; it counts among the connections. */
export async function footprint(admin: Redis, timers: PendingTimers): Promise<Footprint> {
  const channels = await admin.pubsub('CHANNELS');
  const clients = String(await admin.client('LIST'));
  const keys = await allKeys(admin);
  const bytes = await liveBytes();
  return {
    bytes,
    objects: queryObjects(Object, { format: 'count' }),
    timers: timers.count,
    subscriptions: channels.length,
    connections: clients.trim().split('\n').length,
    keys: [...keys.keys()].filter((key) => !key.startsWith(TOMBSTONE)).length,
    lastingKeys: [...keys.values()].filter((ttlMs) => ttlMs === -1).length,
  };
}

/** Keys that are there, tombstones apart: see {@link Footprint.keys}. */
export async function liveKeys(admin: Redis): Promise<number> {
  return (await admin.keys('*')).filter((key) => !key.startsWith(TOMBSTONE)).length;
}

/** All keys with their PTTL. */
async function allKeys(admin: Redis): Promise<Map<string, number>> {
  const keys = await admin.keys('*');
  const pipeline = admin.pipeline();
  for (const key of keys) pipeline.pttl(key);
  const replies = (await pipeline.exec()) ?? [];
  return new Map(keys.map((key, index) => [key, Number(replies[index]?.[1])]));
}
