/**
 * A master with two replicas, and three Sentinels that watch them, on free ports of this machine.
 *
 * Each node has a configuration file, which the Sentinels have it rewrite when they change its role: a node that comes
 * back is what it was told to be last, as in production. Its data is gone, for nothing is saved.
 */
import type { Certificate } from '../redis/certificate.mjs';
import { startPrivateRedis } from '../redis/server.js';
import type { RedisServer } from '../redis/server.js';
import { waitUntil } from '../wait-until.js';
import { ask, askAll, fieldsOf, pairsOf } from './ask.js';
import { replicationArgs, startTogether, stopTogether } from './start-together.js';

const masterName = 'mymaster';
const replicas = 2;
const quorum = 2;
/**
 * How often Sentinels look and talk, in milliseconds: by themselves up to every ten seconds, which is most of what a failover takes. A replica is
 * promoted only when what is known of it is younger than five ping periods, and in a failover it is asked every second.
 */
const periods = { 'info-period': 200, 'ping-period': 500, 'ask-period': 100, 'publish-period': 200 };
const hasty = Object.entries(periods).flatMap(([name, ms]) => [name, String(ms)]);

/** How to start a master, its replicas and Sentinels. */
export interface StartSentinelOptions {
  /** Further command line arguments of the master and the replicas. */
  args?: string[];
  /** Path of a server program, for another version. */
  server?: string;
  /** After which silence the first Sentinel takes a node for dead; the others need one and a half times and three times as much. Default 1 000 ms. */
  downAfterMs?: number;
  /** Sentinel's `failover-timeout`; twice that lies between two failovers. Default 2 000 ms. */
  failoverTimeoutMs?: number;
  /** All of them speak TLS alone, with clients and with each other. */
  tls?: Certificate;
}

/** What a master-name lookup needs: ioredis' `sentinels`. */
export interface SentinelAddress {
  readonly host: string;
  readonly port: number;
}

type Fields = ReadonlyMap<string, string>;

/** What a Sentinel does not know yet, or is not done with. */
function knowledgeGaps(master: Fields, watchers: number): string[] {
  return [
    ...(master.get('num-slaves') === String(replicas) ? [] : ['does not know all replicas']),
    ...(master.get('num-other-sentinels') === String(watchers - 1) ? [] : ['does not know all Sentinels']),
    // Also down, or in the middle of a failover.
    ...(master.get('flags') === 'master' ? [] : [`calls the master ${master.get('flags')}`]),
  ];
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
    let leader: RedisServer | undefined;
    let said: unknown;
    const begun = async (watchers: readonly RedisServer[]): Promise<boolean> => {
      // Refused while one is under way, and until the Sentinel has seen a replica that will do.
      for (const watcher of watchers) {
        said = await ask(watcher, 'SENTINEL', 'FAILOVER', this.name).catch((error: unknown) => error);
        if (said === 'OK') {
          leader = watcher;
          return true;
        }
      }
      return false;
    };
    const beginning = { what: 'a Sentinel to begin a failover', timeoutMs: 30_000, everyMs: 100 };
    await waitUntil(() => begun(this.watchers), beginning).catch(() => {
      throw new Error(`no Sentinel began a failover: ${String(said)}`);
    });
    const done = async (): Promise<RedisServer | undefined> => {
      const after = await this.#masterOtherThan(before);
      // On a busy machine it gives up when the replica takes too long: then it names the old master and has nothing under way.
      const port = leader && (await this.#addresses()).get(leader);
      if (after === undefined && leader !== undefined && port === before.port) await begun([leader]);
      return after;
    };
    return waitUntil(done, { what: 'all Sentinels to name a new master', timeoutMs: 60_000, everyMs: 100 });
  }

  /**
   * Resolves with the new master when every Sentinel that answers names one other than `before`, and it says itself that
   * it is one: after a kill, for example. The old master, when it lives, is told later: until then it takes writes.
   */
  async masterAfter(before: RedisServer): Promise<RedisServer> {
    const changed = () => this.#masterOtherThan(before);
    return waitUntil(changed, { what: 'all Sentinels to name a new master', timeoutMs: 30_000, everyMs: 20 });
  }

  async #masterOtherThan(before: RedisServer): Promise<RedisServer | undefined> {
    const ports = new Set((await this.#addresses()).values());
    const [port] = ports;
    if (ports.size !== 1 || port === before.port) return undefined;
    const node = this.nodes.find((candidate) => candidate.port === port);
    if (node === undefined) return undefined;
    const replication = fieldsOf(await ask(node, 'INFO', 'replication').catch(() => ''));
    return replication.get('role') === 'master' ? node : undefined;
  }

  /**
   * Resolves when every node is up, every replica is linked, and every Sentinel knows them all, names the same master, which says itself
   * that it is one, and is ready to fail over.
   */
  async whenReady(): Promise<void> {
    let missing: string[] = [];
    const isReady = async (): Promise<boolean> => {
      missing = await this.#shortcomings();
      return missing.length === 0;
    };
    await waitUntil(isReady, { what: 'the Sentinels to be ready', timeoutMs: 30_000, everyMs: 20 }).catch(
      (error: unknown) => {
        throw new Error(`the Sentinels are not ready: ${missing.join('; ')}`, { cause: error });
      },
    );
  }

  async #shortcomings(): Promise<string[]> {
    const roles = new Map(
      (await askAll(this.nodes, 'INFO', 'replication')).map(({ node, answer }) => [node.port, fieldsOf(answer)]),
    );
    const linked = [...roles.values()].filter((fields) => fields.get('master_link_status') === 'up').length;
    const views = await this.#masters();
    const named = await this.#addresses();
    const ports = [...new Set(named.values())];
    return [
      ...(linked === replicas ? [] : [`${linked} replicas are linked`]),
      ...(views.length === this.watchers.length ? [] : [`${views.length} Sentinels answer`]),
      ...views.flatMap(({ watcher, master }) =>
        knowledgeGaps(master, this.watchers.length).map((gap) => `${watcher.port} ${gap}`),
      ),
      ...(ports.length === 1 && named.size === this.watchers.length ? [] : [`masters are said to be ${ports.join()}`]),
      ...ports
        .filter((port) => roles.get(port)?.get('role') !== 'master')
        .map((port) => `${port} is named as master and is none`),
    ];
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
  const { args = [], server, downAfterMs = 1_000, failoverTimeoutMs = 2_000, tls } = options;
  const node = (config: string): Promise<RedisServer> =>
    startPrivateRedis({ args: [...replicationArgs, ...args], server, tls, config });
  const [master] = await startTogether([node('')]);
  if (master === undefined) throw new Error('a master was started');
  const servers = [master];
  try {
    const replicaOf = `replicaof ${master.host} ${master.port}\n`;
    servers.push(...(await startTogether(Array.from({ length: replicas }, () => node(replicaOf)))));
    const watch = (silenceMs: number) => [
      `sentinel monitor ${masterName} ${master.host} ${master.port} ${quorum}`,
      `sentinel down-after-milliseconds ${masterName} ${silenceMs}`,
      `sentinel failover-timeout ${masterName} ${failoverTimeoutMs}`,
      `sentinel parallel-syncs ${masterName} 1`,
    ];
    const watcher = (silenceMs: number): Promise<RedisServer> =>
      startPrivateRedis({ args: ['--sentinel'], server, tls, config: `${watch(silenceMs).join('\n')}\n` });
    // Those that see a dead master at the same time vote for themselves, and the next election is seconds later.
    const watchers = await startTogether([watcher(downAfterMs), watcher(1.5 * downAfterMs), watcher(3 * downAfterMs)]);
    // Not every version has it: those without take their time.
    await Promise.all(watchers.map((one) => ask(one, 'SENTINEL', 'DEBUG', ...hasty).catch(() => undefined)));
    const started = new TestSentinel([...servers], watchers);
    servers.push(...watchers);
    await started.whenReady();
    return started;
  } catch (error) {
    await stopTogether(servers);
    throw error;
  }
}
