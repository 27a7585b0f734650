import type { Redis } from 'ioredis';
import { adminConnectionName } from '../redis/server.js';

/** What can be left on a server: clients by id, channels, and keys that will never expire. */
export interface ServerState {
  clients: ReadonlyMap<string, string>;
  channels: ReadonlySet<string>;
  lastingKeys: ReadonlySet<string>;
}

/** The testkit itself, Sentinels, and what nodes keep open among each other: replication, and MIGRATE's idle connections. */
const belongsToTheSetting = new RegExp(` name=(${adminConnectionName}|sentinel-\\S*) | flags=[SM]| cmd=restore`);

async function clientsOf(admin: Redis): Promise<Map<string, string>> {
  const lines = String(await admin.client('LIST'))
    .trim()
    .split('\n');
  const others = lines.filter((line) => !belongsToTheSetting.test(line));
  return new Map(others.map((line): [string, string] => [/\bid=(\d+)/.exec(line)?.[1] ?? line, line]));
}

async function channelsOf(admin: Redis): Promise<Set<string>> {
  const plain = await admin.pubsub('CHANNELS');
  // Only Redis 7 and later know sharded channels.
  const sharded = await admin.pubsub('SHARDCHANNELS').catch(() => []);
  const patterns = Number(await admin.pubsub('NUMPAT'));
  const named = [...plain, ...sharded].map(String);
  return new Set(patterns === 0 ? named : [...named, `(${patterns} patterns)`]);
}

async function lastingKeysOf(admin: Redis): Promise<Set<string>> {
  const lasting = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await admin.scan(cursor, 'COUNT', 1_000);
    const ttls = await Promise.all(keys.map((key) => admin.pttl(key)));
    keys.filter((_, index) => ttls[index] === -1).forEach((key) => lasting.add(key));
    cursor = next;
  } while (cursor !== '0');
  return lasting;
}

/** What is on the server now, the testkit's own connections left out. */
export async function serverState(admin: Redis): Promise<ServerState> {
  const [clients, channels, lastingKeys] = await Promise.all([
    clientsOf(admin),
    channelsOf(admin),
    lastingKeysOf(admin),
  ]);
  return { clients, channels, lastingKeys };
}

const isNew = (known: ReadonlySet<string>) => (item: string) => !known.has(item);

/** What `after` has and `before` had not, as sentences. */
export function addedOnServer(before: ServerState, after: ServerState): string[] {
  return [
    ...[...after.clients]
      .filter(([id]) => !before.clients.has(id))
      .map(([, line]) => `a client is still connected: ${line}`),
    ...[...after.channels].filter(isNew(before.channels)).map((channel) => `still subscribed: ${channel}`),
    ...[...after.lastingKeys].filter(isNew(before.lastingKeys)).map((key) => `a key without expiry: ${key}`),
  ];
}
