import { beforeAll, afterAll } from '@jest/globals';
import {
  guardLeaks,
  type LeakGuard,
  type RedisServer,
  startCluster,
  type StartClusterOptions,
  startSentinel,
  type StartSentinelOptions,
  type TestCluster,
  type TestSentinel,
  waitUntil,
} from '@holdfast/testkit';
import { createLockClient, type LockClient, type LockClientOptions, type RedisInput } from 'holdfast';
import { Cluster, Redis } from 'ioredis';
import { freshName } from './clients.js';

/** Short leases and periods, so that what takes a lease takes a second or two. */
export const quick: Partial<LockClientOptions> = {
  watchdogTimeoutMs: 2_000,
  claimLeaseMs: 1_000,
  reaskMs: 400,
  attemptTimeoutMs: 300,
};

/** Times that no machine is too slow for, where nothing goes wrong. */
export const calm: Partial<LockClientOptions> = {
  watchdogTimeoutMs: 6_000,
  claimLeaseMs: 6_000,
  reaskMs: 2_000,
  attemptTimeoutMs: 5_000,
};

/** By this name the servers know the connections under test. */
const UNDER_TEST = 'under-test';
const START_MS = 60_000;

/** Several servers for the tests of a file, and a way to open clients on them. */
export interface TopologyKit {
  readonly nodes: readonly RedisServer[];
  /** A client of the user's, which never connects by itself: it is a template. */
  template(): Redis | Cluster;
  /** A lock client, closed when the test has ended. */
  open(options?: Partial<LockClientOptions>): LockClient;
  /** Connections of lock clients on all servers that answer. */
  connections(): Promise<string[]>;
  connectionsTo(node: RedisServer): Promise<string[]>;
  /** Resolves when every replica of the lock's server has what it has. */
  replicated(name: string): Promise<void>;
  cleanup: LeakGuard['cleanup'];
}

/** A Cluster for the tests of a file. */
export function useCluster(options: StartClusterOptions = {}): TopologyKit & { readonly cluster: TestCluster } {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster(options);
  }, START_MS);
  const kit = kitOn({
    replicas: 1,
    nodes: () => cluster.nodes,
    master: (name) => cluster.nodeOfKey(name),
    template: () => {
      const startupNodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
      return new Cluster(startupNodes, {
        lazyConnect: true,
        redisOptions: { connectionName: UNDER_TEST, ...(options.tls && { tls: options.tls }) },
      });
    },
  });
  afterAll(() => cluster?.stop());
  return Object.defineProperty(kit, 'cluster', { get: () => cluster }) as typeof kit & { cluster: TestCluster };
}

/** Servers behind Sentinel for the tests of a file. */
export function useSentinel(options: StartSentinelOptions = {}): TopologyKit & { readonly sentinel: TestSentinel } {
  let sentinel: TestSentinel;
  beforeAll(async () => {
    sentinel = await startSentinel(options);
  }, START_MS);
  const kit = kitOn({
    replicas: 2,
    nodes: () => sentinel.nodes,
    master: () => sentinel.master(),
    template: () => {
      const { sentinels, name } = sentinel;
      const { tls } = options;
      return new Redis({
        ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
        sentinels,
        name,
        lazyConnect: true,
        connectionName: UNDER_TEST,
      });
    },
  });
  afterAll(() => sentinel?.stop());
  return Object.defineProperty(kit, 'sentinel', { get: () => sentinel }) as typeof kit & { sentinel: TestSentinel };
}

interface World {
  readonly replicas: number;
  nodes(): readonly RedisServer[];
  master(name: string): Promise<RedisServer>;
  template(): Redis | Cluster;
}

function kitOn(world: World): TopologyKit {
  const leaks = guardLeaks({ graceMs: 5_000 });
  const template = () => {
    const redis = world.template();
    leaks.cleanup(() => redis.disconnect());
    return redis;
  };
  const connectionsTo = async (node: RedisServer) => {
    const list = String(await (await node.admin()).client('LIST'));
    return list.split('\n').filter((line) => line.includes(`name=${UNDER_TEST} `));
  };
  return {
    get nodes() {
      return world.nodes();
    },
    template,
    open: (options = {}) => {
      const client = createLockClient({ redis: template() as RedisInput, ...quick, ...options });
      leaks.cleanup(() => client.close());
      return client;
    },
    connections: async () => (await Promise.all(world.nodes().map(connectionsTo))).flat(),
    connectionsTo,
    replicated: async (name) => {
      const admin = await (await world.master(name)).admin();
      // WAIT speaks of what its own connection has written, and replicas get everything in one order.
      await admin.set(`{${name}}:mark`, 1, 'PX', 1_000);
      await admin.wait(world.replicas, 10_000);
    },
    cleanup: (undo) => leaks.cleanup(undo),
  };
}

/** How many wait for the lock in Redis. */
export async function queueOf(client: LockClient, name: string): Promise<number> {
  return (await client.inspect(name)).queue.length;
}

/** Resolves when `count` processes wait for the lock. */
export async function whenQueued(client: LockClient, name: string, count: number): Promise<void> {
  await waitUntil(async () => (await queueOf(client, name)) === count, { what: `${count} to queue`, everyMs: 20 });
}

/** The second waits for what the first has, while `happens`; then it is handed over. */
export async function handedOverBehind(
  kit: TopologyKit,
  [holder, waiter]: readonly [LockClient, LockClient],
  happens: (name: string) => Promise<unknown>,
): Promise<void> {
  const name = freshName();
  const hold = await holder.getLock(name).acquire();
  const waiting = waiter.getLock(name).acquire({ waitMs: 60_000 });
  await whenQueued(holder, name, 1);
  await kit.replicated(name);
  await happens(name);
  await hold.release();
  await (await waiting).release();
}
