/**
 * Which server of a Cluster keeps which slot.
 *
 * ioredis finds out: a duplicate of the user's `Cluster` knows the startup nodes, addresses behind a NAT, TLS and passwords, and asks one of the nodes it knows for
 * CLUSTER SLOTS. No lock command goes through it. It would send them again by itself after a redirection, out of our sight; we have to know what was sent where.
 *
 * Different nodes may answer differently while a change spreads through the cluster. What a server says of its own slots (MOVED) is newer
 * than what others say, so it is taken over in the next turn of the event loop, and the whole map is asked for again. Not at once: whoever renews thousands
 * of leases after a failover hears it of each, and each change has all of them looked at.
 */

import { SLOTS } from '@holdfast/core';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { none } from '../lists.js';
import { apart } from '../scopes/scope.js';
import { inWords, hostAndPort, partsOf, reachedAs } from './address.js';
import { connect } from './connect.js';
import type { ConnectionTools, Reminder } from './connection-tools.js';
import { disconnect } from './disconnect.js';
import { guarded } from './guarded.js';
import { retryStrategy, swift } from './connection-options.js';
import { withCredentialsOf } from './live-credentials.js';
import { PortProbe } from './port-probe.js';
import { redacted } from './reply-errors.js';
import { closedConnection, isLasting } from './trouble.js';
import { type Attempt, connectOnce } from './why-closed.js';

/** A server, `host:port`, as we reach it. */
export type NodeAddress = string;

/** What is new in a map. */
export interface MapChange {
  /** Slots that have an owner, or another one. */
  readonly slots: ReadonlySet<number>;
  /** Servers that own no slot any more. */
  readonly deposed: readonly NodeAddress[];
}

/** Told by a {@link ClusterMap}. */
export interface ClusterMapListener {
  /** Of the first map too. */
  onChange(change: MapChange): void;
  /** No node can be asked as things are, and that stays so until the options or the servers are changed. */
  onLastingTrouble(error: Error): void;
}

/** No more questions than one in this time. */
const REFRESH_PAUSE_MS = 100;
/** In peace too, at the latest: servers may all be replaced, one after the other. Clients that a failover has had ask at once part from each other. */
const MAP_AGE_MS = 30_000;

/** See the module comment. */
export class ClusterMap {
  readonly #cluster: Cluster;
  readonly #tools: ConnectionTools;
  readonly #listener: ClusterMapListener;
  /** Of each slot; empty before the first map. */
  #owners: readonly (NodeAddress | undefined)[] = [];
  #keepers: ReadonlySet<NodeAddress> = new Set();
  /** What servers have said of their own slots in this turn. */
  readonly #corrections = new Map<number, NodeAddress>();
  #refreshedAt = -Infinity;
  /** The next question. */
  #refresh: Reminder | undefined;
  /** Every connection to a node that is there: those on which ioredis asks them, and all that were made here. */
  readonly #opened = new Set<Redis>();
  #closed = false;
  #trouble: Error | undefined;
  /** How many maps in a row have named no server: those of a node that is alone, or of a Cluster that has yet to be made. ioredis begins anew after each. */
  #barren = 0;
  /** The nodes that could not be asked, and the attempts to learn why. */
  readonly #unasked = new Map<NodeAddress, Redis>();
  #attempts: readonly Attempt[] = none;
  /** Of the nodes before the first map, when one could not be asked. */
  readonly #probes = new Map<NodeAddress, PortProbe>();

  constructor(template: Cluster, tools: ConnectionTools, listener: ClusterMapListener) {
    this.#tools = tools;
    this.#listener = listener;
    const { slotsRefreshTimeout } = template.options;
    const redisOptions = { ...template.options.redisOptions };
    this.#cluster = apart(() =>
      template.duplicate([], {
        lazyConnect: true,
        enableReadyCheck: false,
        enableOfflineQueue: false,
        clusterRetryStrategy: (times: number, reason?: Error) => {
          // A host without an address is told nowhere else.
          if (reason !== undefined) this.#tell(redacted(reason));
          // To ioredis every map is a success, and it counts from the beginning.
          return retryStrategy(Math.max(times, this.#barren));
        },
        redisOptions: { ...redisOptions, ...swift(redisOptions), disconnectTimeout: 200 },
        // One node that hangs costs half of a single attempt, which has a third of that silence: the rest is for the lock.
        slotsRefreshTimeout: Math.min(slotsRefreshTimeout as number, tools.silenceMs / 6),
      }),
    );
    this.#cluster.on('+node', guarded);
    this.#cluster.on('+node', (redis: Redis) => {
      this.#mind(withCredentialsOf(redis, () => template.options.redisOptions, redisOptions));
      const duplicate = redis.duplicate.bind(redis);
      redis.duplicate = (options) => this.#mind(duplicate(options));
    });
    this.#cluster.on('refresh', () => this.#learn());
    this.#cluster.on('node error', (error: Error, node: NodeAddress) => {
      // What ioredis says of a node that hangs, and no more.
      if (error.message === 'timeout') {
        error.message = `${inWords(node)}: no answer has come in time`;
        // It may be the network that is slow.
        this.#cluster.options.slotsRefreshTimeout = slotsRefreshTimeout;
      }
      const nodes = this.#cluster.nodes();
      const unasked = nodes.find((redis) => hostAndPort(redis) === node);
      if (unasked !== undefined) this.#unasked.set(node, unasked);
      // Later the connection to each server does that.
      if (!this.#isLearnt && !this.#closed) this.#probe(nodes, error);
    });
    this.#cluster.on('error', (error) => {
      // It says that no node could be asked; why, says the error of one of them.
      const trouble = redacted(error);
      this.#failed(trouble.cause instanceof Error ? trouble.cause : trouble);
    });
  }

  get keyPrefix(): string {
    return this.#cluster.options.keyPrefix ?? '';
  }

  /** Why there is no way to the owner of a slot, as far as is known. */
  troubleWith(slot: number): Error | undefined {
    const isKept = !this.#isLearnt || this.ownerOf(slot) !== undefined;
    const unkept = isKept ? undefined : new Error('no node of the Cluster keeps the slot and has an address');
    return this.#finding ?? this.#trouble ?? unkept;
  }

  get #isLearnt(): boolean {
    return this.#owners.length > 0;
  }

  get ended(): boolean {
    return this.#closed;
  }

  ownerOf(slot: number): NodeAddress | undefined {
    return this.#owners[slot];
  }

  /** The servers that keep slots. */
  get owners(): ReadonlySet<NodeAddress> {
    return this.#keepers;
  }

  /** Every server that is known to belong to the cluster, replicas too. */
  get nodes(): NodeAddress[] {
    return this.#cluster.nodes().map(hostAndPort);
  }

  /** Fetches the first map. Does nothing when that has begun. */
  connect(): void {
    connect(this.#cluster, this.#tools);
  }

  /** Asks for the map again, soon. */
  refresh(): void {
    if (this.#cluster.status === 'ready')
      this.#refresh?.move(Math.max(this.#tools.now(), this.#refreshedAt + REFRESH_PAUSE_MS));
  }

  /** A server has said that this slot is at `address` now, by the name the cluster has for it. */
  correct(slot: number, address: NodeAddress): void {
    if (this.#corrections.size === 0) this.#tools.nextTurn(() => this.#correctAll());
    this.#corrections.set(slot, this.reachable(address));
  }

  /** The address at which we reach the server that the cluster calls `address`. */
  reachable(address: NodeAddress): NodeAddress {
    return reachedAs(address, this.#cluster.options.natMap);
  }

  /** A client for one server, lazily connected; undefined when no server is known to copy the options from. */
  open(address: NodeAddress, options: RedisOptions): Redis | undefined {
    const nodes = this.#cluster.nodes();
    const template = nodes.find((node) => hostAndPort(node) === address) ?? nodes[0];
    const [host, port] = partsOf(address);
    const target = { ...options, host, port: Number(port) };
    return template && withCredentialsOf(template.duplicate(target), () => template.options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#refresh?.cancel();
    for (const probe of this.#probes.values()) probe.close();
    this.#cluster.disconnect();
    await Promise.all([...this.#opened].map(disconnect));
  }

  #mind(redis: Redis): Redis {
    const there = () => this.#opened.add(redis);
    const gone = () => this.#opened.delete(redis);
    there();
    // Those to servers of locks connect again by themselves. One that never had a socket, as with options of TLS that Node refuses, only ends.
    return redis.on('connecting', there).on('close', gone).on('end', gone);
  }

  #ask(): void {
    this.#refreshedAt = this.#tools.now();
    this.#refresh?.move(this.#refreshedAt + MAP_AGE_MS * (1 - this.#tools.random() / 4));
    if (this.#cluster.status !== 'ready') return;
    apart(() =>
      this.#cluster.refreshSlotsCache((error) => {
        // None of the servers we know answers: begin again with those the user named, whose addresses may have changed.
        if (error && this.#cluster.status === 'ready') this.#cluster.disconnect(true);
      }),
    );
  }

  #failed(error: Error): void {
    const unasked = [...this.#unasked.values()];
    this.#unasked.clear();
    if (error.message !== closedConnection || unasked.length === 0) this.#tell(error);
    else if (this.#attempts.length === 0)
      void this.#find(
        error,
        unasked.map((node) => connectOnce(node, this.#tools)),
      );
    // What is known says more.
    this.#trouble ??= error;
  }

  /** All of them at once: where a server waits for more of a TLS handshake, each takes the whole time that it has, one after the other. */
  #probe(nodes: readonly Redis[], { message }: Error): void {
    for (const redis of nodes) {
      const known = this.#probes.get(hostAndPort(redis));
      const probe = known ?? new PortProbe(redis, this.#tools, this.#found);
      this.#probes.set(hostAndPort(redis), probe);
      // Closed once: that may be an overload, of something in between that speaks TLS and plain text.
      if (known !== undefined || message !== closedConnection) probe.ask();
    }
  }

  readonly #found = (): void => {
    if (this.#finding !== undefined) this.#tell(this.#finding);
  };

  /** What the ports of the nodes have shown. */
  get #finding(): Error | undefined {
    return this.#isLearnt ? undefined : ofAll(Array.from(this.#probes.values(), ({ finding }) => finding));
  }

  async #find(closed: Error, attempts: readonly Attempt[]): Promise<void> {
    this.#attempts = attempts;
    const troubles = await Promise.all(attempts.map(({ trouble }) => trouble));
    this.#attempts = none;
    // Else a node has been asked meanwhile.
    if (this.#trouble !== undefined && !this.#closed) this.#tell(redacted(ofAll(troubles) ?? closed));
  }

  #tell(trouble: Error): void {
    this.#trouble = trouble;
    this.#tools.onError('the map of the Cluster', trouble);
    if (isLasting(trouble)) this.#listener.onLastingTrouble(trouble);
  }

  #learn(): void {
    this.#trouble = undefined;
    this.#barren = this.nodes.length === 0 ? this.#barren + 1 : 0;
    this.#unasked.clear();
    // A node that takes connections and says nothing would keep its own for as long.
    for (const made of this.#attempts) void made.end();
    this.#refresh ??= this.#tools.at(this.#tools.now() + MAP_AGE_MS, () => this.#ask());
    // In the place of a master without an address ioredis has the first of its replicas.
    const replicas = new Set(this.#cluster.nodes('slave').map(hostAndPort));
    const isOwner = (node: NodeAddress) => !replicas.has(node);
    // Its list ends with the last slot that a server keeps.
    this.#adopt(Array.from({ length: SLOTS }, (_, slot) => this.#cluster.slots[slot]?.find(isOwner)));
  }

  #correctAll(): void {
    const owners = this.#owners.map((owner, slot) => this.#corrections.get(slot) ?? owner);
    this.#corrections.clear();
    this.#adopt(owners);
  }

  #adopt(owners: readonly (NodeAddress | undefined)[]): void {
    const before = this.#owners;
    this.#owners = owners;
    const slots = new Set<number>();
    for (const [slot, owner] of owners.entries()) if (owner !== before[slot]) slots.add(slot);
    if (slots.size === 0) return;
    const keepers = new Set(owners.filter((owner) => owner !== undefined));
    const deposed = [...this.#keepers].filter((node) => !keepers.has(node));
    this.#keepers = keepers;
    this.#listener.onChange({ slots, deposed });
  }
}

/** What is wrong for good with one node, as its certificate, ends no call while another may come back. */
function ofAll(troubles: readonly (Error | undefined)[]): Error | undefined {
  return troubles.every(isLasting) ? troubles[0] : troubles.find((trouble) => !isLasting(trouble));
}
