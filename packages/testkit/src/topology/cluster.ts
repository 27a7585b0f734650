/** Three masters and their replicas as a Redis Cluster, on free ports of this machine. */
import type { Certificate } from '../redis/certificate.mjs';
import { freePort, highestFreePort, isPortFree } from '../redis/tcp.mjs';
import { startPrivateRedis } from '../redis/server.js';
import type { RedisServer } from '../redis/server.js';
import { waitUntil } from '../wait-until.js';
import { ask, askAll, pairsOf } from './ask.js';
import { accountOf } from './cluster-account.js';
import { joinCluster, shortcomings } from './cluster-setup.js';
import { parseClusterNodes, serves } from './cluster-view.js';
import type { ClusterNode } from './cluster-view.js';
import { Elections } from './elections.js';
import { moveSlot } from './slot-migration.js';
import type { WhileMigrating } from './slot-migration.js';
import { replicationArgs, startTogether, stopTogether } from './start-together.js';

const masterCount = 3;
/** Nodes talk to each other on their port plus this. */
const busOffset = 10_000;
/** When a manual failover that nobody voted for is asked for again. */
const failoverTryMs = 3_000;
/** Beyond the minute after which a replica gives up a replication that has come to a standstill (`repl-timeout`), and begins again. */
const patience = { timeoutMs: 90_000, everyMs: 20 };

/** How to start a cluster. */
export interface StartClusterOptions {
  /** Further command line arguments of every node. */
  args?: string[];
  /** Path of a server program, for another version. */
  server?: string;
  /** `cluster-node-timeout`: after which silence a node is taken for dead. Default 1 000 ms. */
  nodeTimeoutMs?: number;
  /** Speaks TLS alone, with clients and among its nodes. */
  tls?: Certificate;
}

/** How to move a slot. */
export interface MigrateSlotOptions {
  /** Runs when both nodes know of the move and no key has moved yet, and again after each key. */
  between?: (progress: WhileMigrating) => unknown;
}

/**
 * A Redis Cluster. It ends with `stop()`, and with the test process however that ends. A single node's faults are its own:
 * `kill()`, `stopProcess()`, `continueProcess()`, `restart()` (it comes back as the member it was, without data).
 *
 * Who is master of what is asked anew each time; where nodes differ, the newest configuration counts.
 */
export class TestCluster implements AsyncDisposable {
  /** All nodes, whichever is master now. */
  readonly nodes: readonly RedisServer[];
  readonly #elections: Elections;

  /** Tests call {@link startCluster}. */
  constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
    const ports = nodes.map(({ port }) => port);
    this.#elections = new Elections(ports.slice(0, masterCount), () => nodeTimeoutOf(nodes));
  }

  /** The nodes that serve slots now. */
  async masters(): Promise<RedisServer[]> {
    const view = await this.#view();
    return view.filter((node) => node.role === 'master' && node.slots.length > 0).map((node) => this.#serverOf(node));
  }

  /** The hash slot of a key. */
  async slotOf(key: string): Promise<number> {
    for (const { answer } of await askAll(this.nodes, 'CLUSTER', 'KEYSLOT', key)) return Number(answer);
    throw new Error('no node of the cluster answers');
  }

  /** The master that serves this key now. @throws Error when none does. */
  async nodeOfKey(key: string): Promise<RedisServer> {
    return this.#serverOf(await this.#masterOfSlot(await this.slotOf(key)));
  }

  /** The living replicas of the master that serves this key now. */
  async replicasOfKey(key: string): Promise<RedisServer[]> {
    const master = await this.#masterOfSlot(await this.slotOf(key));
    const replicas = (await this.#view()).filter((node) => node.masterId === master.id && !node.isFailed);
    return replicas.map((node) => this.#serverOf(node));
  }

  /**
   * `CLUSTER FAILOVER` on a replica of the key's master. Resolves with the new master when every node that answers names it.
   *
   * Nodes vote for the replicas of one master no faster than every two node timeouts, and a replica holds no second election sooner than
   * four of them after its last one: a third failover at once takes some seconds.
   */
  async failover(key: string): Promise<RedisServer> {
    const before = await this.nodeOfKey(key);
    let said: unknown = 'there is none';
    let nextTry = performance.now();
    const done = async (): Promise<RedisServer | undefined> => {
      if (performance.now() >= nextTry) {
        const candidates = await this.#replicasKnownTo(before);
        const [replica] = await this.#elections.rested(candidates);
        if (replica !== undefined) {
          said = await ask(replica, 'CLUSTER', 'FAILOVER').catch((error: unknown) => error);
          // One that refuses, because it is not linked to its master yet, has begun nothing that a second call would disturb.
          if (!(said instanceof Error)) nextTry = performance.now() + failoverTryMs;
        } else if (candidates.length > 0) said = 'it was elected a moment ago';
      }
      return this.#newNodeOfKey(key, before);
    };
    return this.#explained(
      waitUntil(done, { what: 'a replica to take over', ...patience }),
      key,
      () => `no replica took over from ${before.port}; the last one said: ${String(said)}`,
    );
  }

  /** Resolves with the key's new master when every node that answers names one other than `before`: after a kill, for example. */
  async nodeOfKeyAfter(key: string, before: RedisServer): Promise<RedisServer> {
    return this.#explained(
      waitUntil(() => this.#newNodeOfKey(key, before), { what: 'all nodes to name a new master', ...patience }),
      key,
      () => `not all nodes name one new master in place of ${before.port}`,
    );
  }

  /** Moves a slot with all its keys to the master `to`, as a resharding tool does. Clients meet MOVED, ASK and TRYAGAIN. */
  async migrateSlot(
    slot: number,
    to: RedisServer,
    { between = () => undefined }: MigrateSlotOptions = {},
  ): Promise<void> {
    const { source, target } = await this.#endsOfMove(slot, to);
    await moveSlot({
      slot,
      from: { id: source.id, server: this.#serverOf(source) },
      to: { id: target.id, server: to },
      masters: await this.masters(),
      between,
    });
  }

  /** Has the server move a slot with all its keys in one step, as Valkey does from 9 on. Clients meet MOVED, and nothing in between. */
  async moveSlotAtOnce(slot: number, to: RedisServer): Promise<void> {
    const { source, target } = await this.#endsOfMove(slot, to);
    await ask(this.#serverOf(source), 'CLUSTER', 'MIGRATESLOTS', 'SLOTSRANGE', slot, slot, 'NODE', target.id);
    const isThere = async () => (await this.#masterOfSlot(slot)).id === target.id;
    await waitUntil(isThere, { what: 'the slot to have moved', ...patience });
  }

  /**
   * Gives up moves of slots that came to no end, on all nodes that answer. A node that imports a slot learns from nobody who serves it, so
   * that one left over from a move which a failover crossed keeps the cluster from agreeing for ever.
   */
  async closeSlots(): Promise<void> {
    const areClosed = async (): Promise<boolean> => {
      const views = await askAll(this.nodes, 'CLUSTER', 'NODES');
      const open = views.flatMap(({ node, answer }) =>
        parseClusterNodes(answer).flatMap(({ openSlots }) => openSlots.map((slot) => ({ node, slot }))),
      );
      // A node that is too busy to answer is asked again.
      for (const { node, slot } of open) await ask(node, 'CLUSTER', 'SETSLOT', slot, 'STABLE').catch(() => undefined);
      return open.length === 0;
    };
    await waitUntil(areClosed, { what: 'no slot to be on its way', ...patience });
  }

  /**
   * Resolves when all nodes are up and agree, every replica is linked, and none would take itself for elected by the votes of an election that
   * is over: before and after faults.
   */
  async whenReady(): Promise<void> {
    await this.#without(async () => [...(await shortcomings(this.nodes, masterCount)), ...(await this.#oldVotes())]);
  }

  /**
   * As {@link whenReady}, but not yet ready for the death of a master: where node timeouts are long, and masters do not die, nobody need wait
   * until old votes no longer count.
   */
  async whenAgreed(): Promise<void> {
    await this.#without(() => shortcomings(this.nodes, masterCount));
  }

  /** Resolves when the votes of earlier elections count no longer: before a master is killed while other faults go on. */
  async whenOldVotesLapse(): Promise<void> {
    await this.#without(() => this.#oldVotes());
  }

  /** Ends all of it. Calling it again does nothing. */
  async stop(): Promise<void> {
    await stopTogether(this.nodes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #without(find: () => Promise<string[]>): Promise<void> {
    let missing: string[] = [];
    const isReady = async (): Promise<boolean> => {
      missing = await find();
      return missing.length === 0;
    };
    await waitUntil(isReady, { what: 'the cluster to be ready', ...patience }).catch((error: unknown) => {
      throw new Error(`the cluster is not ready: ${missing.join('; ')}`, { cause: error });
    });
  }

  /** Rejects as `waiting` does, with what each node says of the key's slot. */
  async #explained<T>(waiting: Promise<T>, key: string, complaint: () => string): Promise<T> {
    return waiting.catch(async (error: unknown) => {
      const account = await accountOf(this.nodes, await this.slotOf(key));
      throw new Error(`${complaint()}\n${account}`, { cause: error });
    });
  }

  /** Its replicas as it sees them itself: it ignores the others when they ask for a failover. Once it is a replica it has none. */
  async #replicasKnownTo(master: RedisServer): Promise<RedisServer[]> {
    const view = parseClusterNodes(await ask(master, 'CLUSTER', 'NODES').catch(() => ''));
    const self = view.find(({ isSelf }) => isSelf);
    const replicas = view.filter(({ masterId, isFailed }) => self !== undefined && masterId === self.id && !isFailed);
    return replicas.map((node) => this.#serverOf(node));
  }

  async #oldVotes(): Promise<string[]> {
    await this.#view();
    return this.#elections.oldVotes();
  }

  /** The view of the node that has seen the newest configuration. */
  async #view(): Promise<ClusterNode[]> {
    return this.#newest((await askAll(this.nodes, 'CLUSTER', 'NODES')).map(({ answer }) => parseClusterNodes(answer)));
  }

  #newest(views: readonly ClusterNode[][]): ClusterNode[] {
    const epochOf = (view: ClusterNode[]): number => Math.max(...view.map(({ epoch }) => epoch));
    const [view] = views.toSorted((a, b) => epochOf(b) - epochOf(a));
    if (view === undefined) throw new Error('no node of the cluster answers');
    this.#elections.see(view);
    return view;
  }

  /** Whom all nodes that answer agree on, unless it is still the one of `before`. */
  async #newNodeOfKey(key: string, before: RedisServer): Promise<RedisServer | undefined> {
    const slot = await this.slotOf(key);
    const witnesses = this.nodes.filter((node) => node !== before);
    const views = (await askAll(witnesses, 'CLUSTER', 'NODES')).map(({ answer }) => parseClusterNodes(answer));
    if (views.length > 0) this.#newest(views);
    const ports = new Set(views.map((view) => view.find((node) => serves(node, slot))?.port));
    const [port] = ports;
    return ports.size === 1 && port !== before.port ? this.nodes.find((node) => node.port === port) : undefined;
  }

  async #endsOfMove(slot: number, to: RedisServer) {
    const view = await this.#view();
    const source = view.find((node) => serves(node, slot));
    const target = view.find((node) => node.port === to.port);
    if (source === undefined || target === undefined) throw new Error(`slot ${slot} has no such source or target`);
    return { source, target };
  }

  async #masterOfSlot(slot: number): Promise<ClusterNode> {
    const master = (await this.#view()).find((node) => serves(node, slot));
    if (master === undefined) throw new Error(`nobody serves slot ${slot}`);
    return master;
  }

  #serverOf({ port }: ClusterNode): RedisServer {
    const server = this.nodes.find((node) => node.port === port);
    if (server === undefined) throw new Error(`no node of this cluster listens on port ${port}`);
    return server;
  }
}

/**
 * A free port whose bus port is free as well, and as safe from outgoing connections: a node that tries to come back to the bus of a dead one and
 * is connected to itself takes that one's address for gone, and looks no more whether it lives. Nobody finds it failed then.
 */
async function freePortWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + busOffset <= highestFreePort && (await isPortFree(port + busOffset))) return port;
  }
}

/** The setting of the first node that answers. */
async function nodeTimeoutOf(nodes: readonly RedisServer[]): Promise<number> {
  for (const { answer } of await askAll(nodes, 'CONFIG', 'GET', 'cluster-node-timeout'))
    return Number(pairsOf(answer).get('cluster-node-timeout'));
  throw new Error('no node of the cluster answers');
}

/**
 * Starts 3 masters and 3 replicas and waits until all slots are served and all replicas linked. About two seconds.
 *
 * @throws Error without a server program on this machine: this does not run in Docker.
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { args = [], server, nodeTimeoutMs = 1_000, tls } = options;
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-config-file': 'nodes.conf',
    'cluster-node-timeout': String(nodeTimeoutMs),
    'cluster-replica-validity-factor': '0',
    ...(tls && { 'tls-cluster': 'yes' }),
  };
  const nodeArgs = [
    ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ...replicationArgs,
    ...args,
  ];
  const start = (): Promise<RedisServer> =>
    startPrivateRedis({ args: nodeArgs, server, tls, findPort: freePortWithBus });
  const cluster = new TestCluster(await startTogether(Array.from({ length: 2 * masterCount }, start)));
  try {
    await joinCluster(cluster.nodes, masterCount);
    await cluster.whenReady();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
