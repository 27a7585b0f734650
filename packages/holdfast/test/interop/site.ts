/**
 * Java and Node on one Redis: what the tests of both topologies stand on.
 *
 * One JVM with one Redisson client lives as long as the test file, since starting one takes seconds; tests use threads and names of their
 * own. After each test no key may be left that lasts, and none of a queue: nobody queues in Redisson mode.
 */
import { randomUUID } from 'node:crypto';
import {
  spawnWorker,
  startCluster,
  startPrivateRedis,
  type TestCluster,
  type TestWorker,
  waitUntil,
} from '@holdfast/testkit';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';
import { Cluster, Redis } from 'ioredis';
import { JavaPeer, type JavaSettings, type JavaThread } from './java-peer.js';
import type { methods, NodeSettings } from './node.worker.js';

/** Another Node process with a client in Redisson mode. */
export type NodeWorker = TestWorker<typeof methods>;

/** Servers that have been started. */
export interface Servers {
  readonly topology: 'single' | 'cluster';
  /** `redis://host:port`; of a Cluster, every node. */
  readonly nodes: readonly string[];
  /** How a lock client reaches them; called once for each client. */
  input(): LockClientOptions['redis'];
  stop(): Promise<void>;
}

/** Re-asks far away, so that only messages can be quick. */
export const patient = { reaskMs: 20_000, claimLeaseMs: 30_000 } as const;

/** A lock name of the test's own. */
export const freshName = (): string => `lock-${randomUUID()}`;

export class Site {
  readonly topology: Servers['topology'];
  readonly #servers: Servers;
  readonly #admins: readonly Redis[];
  readonly #undo: (() => unknown)[] = [];
  readonly #java: JavaPeer;
  #threads = 0;

  private constructor(servers: Servers, java: JavaPeer) {
    this.topology = servers.topology;
    this.#servers = servers;
    this.#java = java;
    this.#admins = servers.nodes.map((url) => new Redis(url));
  }

  static async open(servers: Servers): Promise<Site> {
    const { topology, nodes } = servers;
    return new Site(servers, await JavaPeer.start({ topology, nodes }));
  }

  /** In words. */
  get where(): string {
    return this.topology === 'cluster' ? 'a Cluster' : 'one Redis';
  }

  get nodes(): readonly string[] {
    return this.#servers.nodes;
  }

  /** The Redisson client of the file, with Redisson's defaults. */
  get java(): JavaPeer {
    return this.#java;
  }

  /** A thread of that client which no other test uses. */
  thread(): JavaThread {
    return this.#java.thread(`thread-${++this.#threads}`);
  }

  /** A JVM of the test's own. */
  async startJava(settings: Partial<JavaSettings> = {}): Promise<JavaPeer> {
    const { topology, nodes } = this.#servers;
    const peer = await JavaPeer.start({ topology, nodes, ...settings });
    this.#undo.push(() => peer.kill());
    return peer;
  }

  /** A client in Redisson mode in this process. */
  client(options: Partial<LockClientOptions> = {}): LockClient {
    const client = createLockClient({ redis: this.#servers.input(), wakeup: 'redisson', ...options });
    this.#undo.push(() => client.close());
    return client;
  }

  async startNode(options: Omit<NodeSettings, 'topology' | 'nodes'> = {}): Promise<NodeWorker> {
    const { topology, nodes } = this.#servers;
    const settings: NodeSettings = { topology, nodes, ...options };
    const file = new URL('./node.worker.ts', import.meta.url);
    const worker = await spawnWorker<typeof methods>(file, { args: [JSON.stringify(settings)] });
    this.#undo.push(() => worker.stop());
    return worker;
  }

  /** Runs a command on the node that serves `key`. */
  async onNodeOf<Value>(key: string, command: (redis: Redis) => Promise<Value>): Promise<Value> {
    let moved: unknown;
    for (const admin of this.#admins) {
      try {
        return await command(admin);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('MOVED'))) throw error;
        moved = error;
      }
    }
    throw new Error(`no node serves ${key}`, { cause: moved });
  }

  pttl(name: string): Promise<number> {
    return this.onNodeOf(name, (redis) => redis.pttl(name));
  }

  fields(name: string): Promise<Record<string, string>> {
    return this.onNodeOf(name, (redis) => redis.hgetall(name));
  }

  /** How many connections listen to Redisson's channel of a lock, in both worlds of pub/sub. */
  async listeners(channel: string): Promise<number> {
    const worlds = this.topology === 'cluster' ? ['NUMSUB', 'SHARDNUMSUB'] : ['NUMSUB'];
    const questions = this.#admins.flatMap((admin) => worlds.map((world) => admin.call('PUBSUB', world, channel)));
    const answers = (await Promise.all(questions)) as [string, number][];
    return answers.reduce((sum, [, count]) => sum + count, 0);
  }

  /**
   * Resolves when a call of this side waits for a lock and listens to its channel, where nobody listened before. In a Cluster Node listens
   * in both worlds of pub/sub.
   */
  async listened(side: 'java' | 'node', channel: string): Promise<void> {
    const worlds = side === 'node' && this.topology === 'cluster' ? 2 : 1;
    await waitUntil(async () => (await this.listeners(channel)) >= worlds, { what: `${side} listens to ${channel}` });
  }

  /** Resolves when more listen than did before. */
  async joined(channel: string, before: number): Promise<void> {
    await waitUntil(async () => (await this.listeners(channel)) > before, { what: `one more listens to ${channel}` });
  }

  /** Resolves when nobody listens any more. */
  async deserted(name: string): Promise<void> {
    await this.abandoned(channelOf(name));
  }

  /** As {@link deserted}, of any channel. */
  async abandoned(channel: string): Promise<void> {
    await waitUntil(async () => (await this.listeners(channel)) === 0, { what: `nobody listens to ${channel}` });
  }

  /** Deletes the counter of a fenced lock, which lasts for ever by Redisson's design. */
  async forgetTokens(name: string): Promise<void> {
    const key = `redisson_lock_token:{${name}}`;
    await this.onNodeOf(key, (redis) => redis.del(key));
  }

  async endTest(): Promise<void> {
    for (const undo of this.#undo.splice(0).toReversed()) await undo();
    const left = await Promise.all(
      this.#admins.map(async (admin) => {
        const [role] = await admin.role();
        if (role !== 'master') return [];
        const keys = await admin.keys('*');
        const ttls = await Promise.all(keys.map((key) => admin.pttl(key)));
        await admin.flushall();
        return keys.filter((key, i) => ttls[i] === -1 || /holdfast_(queue|fresh)/.test(key));
      }),
    );
    expect(left.flat()).toEqual([]);
  }

  async close(): Promise<void> {
    await this.#java.kill();
    for (const admin of this.#admins) admin.disconnect();
    await this.#servers.stop();
  }
}

/** One Redis. */
export async function oneRedis(): Promise<Servers> {
  const server = await startPrivateRedis();
  return { topology: 'single', nodes: [server.url], input: () => server.url, stop: () => server.stop() };
}

/** A Redis Cluster of three masters and their replicas. */
export async function redisCluster(started: (cluster: TestCluster) => void): Promise<Servers> {
  const cluster = await startCluster();
  started(cluster);
  const nodes = cluster.nodes.map(({ url }) => url);
  // A client of the user's is a template: it is never connected itself.
  const input = () => new Cluster(nodes, { lazyConnect: true });
  return { topology: 'cluster', nodes, input, stop: () => cluster.stop() };
}

/** Redisson's channel of a lock with a plain name. */
export const channelOf = (name: string): string => `redisson_lock__channel:{${name}}`;

/** The site of a test file; it stands during tests only. */
export function useSite(start: () => Promise<Servers>): () => Site {
  let site: Site | undefined;
  beforeAll(async () => {
    site = await Site.open(await start());
  }, 60_000);
  afterEach(() => site?.endTest());
  afterAll(() => site?.close());
  return () => {
    if (site === undefined) throw new Error('the site stands only during tests');
    return site;
  };
}
