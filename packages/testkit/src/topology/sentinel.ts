/**
 * A master with two replicas, and three Sentinels that watch them, on free ports of this machine.
 *
 * Each node has a configuration file, which the Sentinels have it rewrite when they change its role: a node that comes
 * back is what it was told to be last, as in production. Its data is gone, for nothing is saved.
 */
import { startPrivateRedis } from '../redis/server.js';
import type { RedisServer } from '../redis/server.js';
import { waitUntil } from '../wait-until.js';
import { ask, askAll, fieldsOf } from './ask.js';
import { replicationArgs, startTogether, stopTogether } from './start-together.js';

const masterName = 'mymaster';
const replicas = 2;
const quorum = 2;

/** How to start a master, its replicas and Sentinels. */
export interface StartSentinelOptions {
  /** Further command line arguments of the master and the replicas. */
  args?: string[];
  /** Path of a server program, for another version. */
  server?: string;
  /** After which silence a Sentinel takes a node for dead. Default 1 000 ms. */
  downAfterMs?: number;
  /** Sentinel's `failover-timeout`. Default 5 000 ms. */
  failoverTimeoutMs?: number;
}

/** What a master-name lookup needs: ioredis' `sentinels`. */
export interface SentinelAddress {
  readonly host: string;
  readonly port: number;
}

type Fields = ReadonlyMap<string, string>;

/** A reply of names and values in turn, or the same as a RESP3 map. */
function pairsOf(reply: unknown): Fields {
  if (!Array.isArray(reply))
    return new Map(Object.entries(Object(reply)).map(([name, value]) => [name, String(value)]));
  const flat = reply.map(String);
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [])));
}

const epochOf = (master: Fields): number => Number(master.get('config-epoch'));

/**
 * Servers under Sentinel. They end with `stop()`, and with the test process however that ends. A single node's faults are
 * its own: `kill()`, `stopProcess()`, `continueProcess()`, `restart()`.
 */
export class TestSentinel implements AsyncDisposable {
  /** The name of the master, as Sentinel knows it. */
  readonly name = masterName;
  /** The master and the replicas, whichever is which now. */
  readonly nodes: readonly RedisServer[];
  /** The Sentinels as servers, to stop or kill them. */
  readonly watchers: readonly RedisServer[];

  /** Tests call {@link startSentinel}. */
  constructor(nodes: readonly RedisServer[], watchers: readonly RedisServer[]) {
    this.nodes = nodes;
    this.watchers = watchers;
  }

  /** For ioredis: `new Redis({ sentinels: kit.sentinels, name: kit.name })`. */
  get sentinels(): SentinelAddress[] {
    return this.watchers.map(({ host, port }) => ({ host, port }));
  }

  /**
   * The node that Sentinel calls master now; where Sentinels differ, the one with the newest configuration counts.
   *
   * @throws Error when no Sentinel answers.
   */
  async master(): Promise<RedisServer> {
    const [epochs, addresses] = await Promise.all([this.#masters(), this.#addresses()]);
    const newestFirst = epochs.toSorted((a, b) => epochOf(b.master) - epochOf(a.master));
    for (const { watcher } of newestFirst) {
      const node = this.nodes.find(({ port }) => port === addresses.get(watcher));
      if (node !== undefined) return node;
    }
    throw new Error('no Sentinel answers');
  }

  /** `SENTINEL FAILOVER`. Resolves with the new master when every Sentinel that answers names it. */
  async failover(): Promise<RedisServer> {
    const before = await this.master();
    let said: unknown;
    const begun = async (): Promise<boolean> => {
      // Refused while one is under way, and until the Sentinel has seen a replica that will do.
      for (const watcher of this.watchers) {
        said = await ask(watcher, 'SENTINEL', 'FAILOVER', this.name).catch((error: unknown) => error);
        if (said === 'OK') return true;
      }
      return false;
    };
    await waitUntil(begun, { what: 'a Sentinel to begin a failover', timeoutMs: 30_000, everyMs: 100 }).catch(() => {
      throw new Error(`no Sentinel began a failover: ${String(said)}`);
    });
    return this.masterAfter(before);
  }

  /**
   * Resolves with the new master when every Sentinel that answers names one other than `before`, and it says itself that
   * it is one: after a kill, for example. The old master, when it lives, is told after 10 s more: until then it takes writes.
   */
  async masterAfter(before: RedisServer): Promise<RedisServer> {
    const changed = async (): Promise<RedisServer | undefined> => {
      const ports = new Set((await this.#addresses()).values());
      const [port] = ports;
      if (ports.size !== 1 || port === before.port) return undefined;
      const node = this.nodes.find((candidate) => candidate.port === port);
      if (node === undefined) return undefined;
      const replication = fieldsOf(await ask(node, 'INFO', 'replication').catch(() => ''));
      return replication.get('role') === 'master' ? node : undefined;
    };
    return waitUntil(changed, { what: 'all Sentinels to name a new master', timeoutMs: 30_000, everyMs: 20 });
  }

  /** Resolves when every node is up, every replica is linked to the master and every Sentinel knows them all and is ready to fail over. */
  async whenReady(): Promise<void> {
    const isReady = async (): Promise<boolean> => {
      const links = (await askAll(this.nodes, 'INFO', 'replication')).map(({ answer }) => fieldsOf(answer));
      const linked = links.filter((link) => link.get('master_link_status') === 'up').length;
      const knowing = (await this.#masters()).filter(
        ({ master }) =>
          master.get('num-slaves') === String(replicas) &&
          master.get('num-other-sentinels') === String(this.watchers.length - 1) &&
          master.get('flags') === 'master', // and not also: down, or in the middle of a failover
      ).length;
      return linked === replicas && knowing === this.watchers.length;
    };
    await waitUntil(isReady, { what: 'the Sentinels to know all nodes', timeoutMs: 30_000, everyMs: 20 });
  }

  /** Ends all of it. Calling it again does nothing. */
  async stop(): Promise<void> {
    await stopTogether([...this.watchers, ...this.nodes]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** What each Sentinel that answers knows of the master; during a failover its leader still has the old address here. */
  async #masters(): Promise<{ watcher: RedisServer; master: Fields }[]> {
    const replies = await askAll(this.watchers, 'SENTINEL', 'MASTER', this.name);
    return replies.map(({ node, answer }) => ({ watcher: node, master: pairsOf(answer) }));
  }

  /** The port that each Sentinel that answers gives to clients. */
  async #addresses(): Promise<Map<RedisServer, number>> {
    const replies = await askAll(this.watchers, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.name);
    return new Map(replies.map(({ node, answer }) => [node, Array.isArray(answer) ? Number(answer[1]) : 0]));
  }
}

/**
 * Starts 1 master, 2 replicas and 3 Sentinels, and waits until they are ready for a failover.
 *
 * @throws Error without a server program on this machine: this does not run in Docker.
 */
export async function startSentinel(options: StartSentinelOptions = {}): Promise<TestSentinel> {
  const { args = [], server, downAfterMs = 1_000, failoverTimeoutMs = 5_000 } = options;
  const node = (config: string): Promise<RedisServer> =>
    startPrivateRedis({ args: [...replicationArgs, ...args], server, config });
  const [master] = await startTogether([node('')]);
  if (master === undefined) throw new Error('a master was started');
  const servers = [master];
  try {
    const replicaOf = `replicaof ${master.host} ${master.port}\n`;
    servers.push(...(await startTogether(Array.from({ length: replicas }, () => node(replicaOf)))));
    const watch = [
      `sentinel monitor ${masterName} ${master.host} ${master.port} ${quorum}`,
      `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
      `sentinel failover-timeout ${masterName} ${failoverTimeoutMs}`,
      `sentinel parallel-syncs ${masterName} 1`,
    ];
    const watcher = (): Promise<RedisServer> =>
      startPrivateRedis({ args: ['--sentinel'], server, config: `${watch.join('\n')}\n` });
    const watchers = await startTogether([watcher(), watcher(), watcher()]);
    const started = new TestSentinel([...servers], watchers);
    servers.push(...watchers);
    await started.whenReady();
    return started;
  } catch (error) {
    await stopTogether(servers);
    throw error;
  }
}
