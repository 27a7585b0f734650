import { Wait } from '@holdfast/notify';
import { Backend } from '../backend.js';
import { ClientBase, hostOf } from '../client-base.js';
import { checkConnect, checkHandle } from '../client-calls.js';
import type { LockParts } from '../client-parts.js';
import { begin } from '../common-parts.js';
import { whenOver } from '../connection/reading.js';
import type { Topology } from '../connection/topology.js';
import { unavailable } from '../connection/unavailable.js';
import { LockClientClosedError, LockNodesError } from '../errors.js';
import { reentrantPolicy } from '../exclusive/policy.js';
import { none } from '../lists.js';
import type { ConnectOptions, LockHandleOptions } from '../lock-client.js';
import type { RedisInput } from '../options.js';
import type { LockHost } from '../primitives/acquisition.js';
import { LockHandle } from '../primitives/lock-handle.js';
import type { RLock } from '../primitives/rlock.js';
import { shown } from '../reports/caller.js';
import { type Surroundings, systemSurroundings } from '../surroundings.js';
import { Electorate } from './electorate.js';
import { LockNode } from './lock-node.js';
import { Quorum } from './quorum.js';
import { QuorumQuestions } from './quorum-questions.js';
import { RedLockOperations } from './redlock-operations.js';
import type { RedLockClient, RedLockNode } from './redlock-client-members.js';
import { type RedLockClientOptions, resolveRedLockSettings } from './redlock-options.js';
import { Standing } from './standing.js';

/** How long a client looks again after what it waits for, should no news of a node come. */
const LOOK_MS = 100;

class Client extends ClientBase implements RedLockClient {
  readonly #electorate: Electorate;
  readonly #host: LockHost;

  constructor(options: RedLockClientOptions, surroundings: Surroundings) {
    const { settings, times, nodes, longestLeaseMs, durable } = resolveRedLockSettings(options);
    const { clientId, common, background } = begin(settings, surroundings, () => host.registry.coordinators());
    const { clock } = common;
    const lockNodes = openEach(nodes, surroundings).map((opened) => {
      const backend = new Backend(opened, common, {
        clientId,
        grants: 'asked about',
        heldOn: ({ operations: { name } }) => host.registry.find({ name, primitive: 'redlock' })?.holds.all ?? none,
      });
      const standing: Standing = new Standing(opened.redis, {
        now: () => clock.now(),
        at: (time, action) => background.at(time, action),
        longestLeaseMs,
        durable,
        connection: () => node.connection,
        onNews: () => electorate.onNews(),
        onError: (error) => node.note(error),
      });
      backend.parts.topology.listen({ onDemoted: () => standing.demoted() });
      const node: LockNode = new LockNode(opened.redis, { backend, standing, silentAfterMs: times.nodeTimeoutMs });
      return node;
    });
    const parts: LockParts = {
      ...common,
      openStake: (operations, wish, listener) =>
        new Quorum(electorate, operations as RedLockOperations, wish, listener),
      topology: {
        reachOf: () => electorate.reach,
        troubleWith: () => electorate.trouble,
        keyPrefix: lockNodes[0]?.backend.prefixes.keyPrefix ?? '',
      },
      // Handing over is a message, a question to the first in line, and one to the others.
      sender: {
        roundTripMs: (key) => 3 * Math.max(...lockNodes.map(({ backend }) => backend.parts.sender.roundTripMs(key))),
        together: (work) => work(),
        behind: () => undefined,
      },
      wakeup: { blind: false, hears: false, foreignOwners: undefined },
    };
    const electorate = new Electorate(lockNodes, parts, background, times);
    const host = hostOf(parts, new QuorumQuestions(electorate));
    super(host, {
      refuseWaiting: () => {
        for (const { backend } of lockNodes) backend.refuseWaiting();
      },
      disconnect: async () => {
        await Promise.all(lockNodes.map(({ backend }) => backend.close()));
        for (const { standing } of lockNodes) standing.close();
      },
      background,
    });
    this.#electorate = electorate;
    this.#host = host;
  }

  getRedLock(name: string, options: LockHandleOptions = {}): RLock {
    const operations = new RedLockOperations(name, this.#electorate.nodes);
    return new LockHandle(this.#host, operations, reentrantPolicy, checkHandle('getRedLock', options));
  }

  get nodes(): readonly RedLockNode[] {
    return this.#electorate.nodes.map(({ address, state }) => ({ address, state }));
  }

  get ready(): boolean {
    return this.#isReadyWhere(() => true);
  }

  #isReadyWhere(fits: (topology: Topology) => boolean): boolean {
    const { nodes, majority } = this.#electorate;
    const able = nodes.filter(({ mayVote, backend }) => mayVote && backend.ready && fits(backend.parts.topology));
    return able.length >= majority;
  }

  async connect(options: ConnectOptions = {}): Promise<void> {
    const { parts, registry } = this.#host;
    const { clock, waits, aborts } = parts;
    const { timeoutMs, signal } = checkConnect(options, parts);
    registry.admit(undefined);
    const wait = new Wait<void>({ aborts, signal });
    const limit = whenOver(timeoutMs, parts, () =>
      wait.reject(
        unavailable('The client could not reach a majority of its nodes in time', undefined, this.#electorate.trouble),
      ),
    );
    const waiting = { refuseWaiting: () => void wait.reject(new LockClientClosedError()) };
    registry.enlist(waiting);
    const look = () => {
      const { mistake, nodes } = this.#electorate;
      if (mistake !== undefined) wait.reject(new LockNodesError(mistake));
      else if (this.#isReadyWhere((topology) => topology.stir())) wait.resolve();
      else for (const node of nodes) node.connect();
    };
    // What hears messages, too.
    for (const { backend } of this.#electorate.nodes) void backend.whenReady({ timeoutMs }).then(look, () => undefined);
    const again = () => {
      look();
      if (!wait.settled) next = waits.at(clock.now() + LOOK_MS, again);
    };
    let next = waits.at(clock.now(), () => undefined);
    again();
    try {
      await shown(wait.promise);
    } finally {
      limit.cancel();
      next.cancel();
      registry.leave(waiting);
    }
  }
}

function openEach(nodes: readonly RedisInput[], surroundings: Surroundings) {
  return nodes.map((input, index) => {
    const node = `nodes[${index}]`;
    const opened = openOne(node, () => surroundings.openRedis(input));
    const same = nodes.indexOf(input);
    if (same < index) throw new TypeError(`nodes[${same}] and ${node} are the same server`);
    if (opened.kind === 'node' && !opened.redis.options.sentinels) return opened;
    throw new TypeError(
      `${node} must be one server: behind Sentinel, or in a Cluster, another one may take its place that has never heard of a lock`,
    );
  });
}

/** What is said of the option `redis` is said of the node. */
function openOne<T>(node: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new TypeError((error as TypeError).message.replace(/^redis\b/, node), { cause: error });
  }
}

/**
 * A client for locks that are held by a majority of independent servers (Redlock). No I/O happens before the first call that needs Redis. When it is worth its price, and
 * what it does not give: `docs/redlock.md`.
 *
 * @throws TypeError or RangeError for options that cannot work, with the reason.
 */
export function createRedLockClient(options: RedLockClientOptions): RedLockClient {
  return new Client(options, systemSurroundings());
}

/** A client that lives in other surroundings than those of this process. For this repository's own packages. */
export function createRedLockClientIn(surroundings: Surroundings, options: RedLockClientOptions): RedLockClient {
  return new Client(options, surroundings);
}
