import { serveWorker } from '@holdfast/testkit';
import { createLockClient, type LockClientOptions, type RedisInput } from 'holdfast';
import { Cluster, Redis } from 'ioredis';

/** Where the servers are. */
export type Site =
  | { kind: 'cluster'; nodes: { host: string; port: number }[] }
  | { kind: 'sentinel'; sentinels: { host: string; port: number }[]; name: string };

/** What a {@link methods} worker is started with, as its argument. */
export interface TopologyWorkerOptions {
  site: Site;
  client: Partial<LockClientOptions>;
}

const { site, client: options } = JSON.parse(process.argv[2] ?? '') as TopologyWorkerOptions;
const redis =
  site.kind === 'cluster' ? new Cluster(site.nodes) : new Redis({ sentinels: site.sentinels, name: site.name });
redis.on('error', () => undefined);
const client = createLockClient({ redis: redis as RedisInput, ...options });

export const methods = {
  /** Adds 1 to a number `times` times, by reading and writing it: two at once would lose one. */
  add: async (lockName: string, key: string, times: number): Promise<void> => {
    const lock = client.getLock(lockName);
    for (let i = 0; i < times; i++) {
      await lock.withLock(async () => {
        const before = Number(await redis.get(key));
        await redis.set(key, before + 1, 'EX', 60);
      });
    }
  },
  close: async (): Promise<void> => {
    await client.close();
    redis.disconnect();
  },
};

serveWorker({ methods });
