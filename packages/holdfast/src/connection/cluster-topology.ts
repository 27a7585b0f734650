/**
 * A Cluster as a topology: one connection to each master that keeps a lock of ours, opened when it is first needed.
 *
 * A lock lives where its slot lives, and slots move: in a failover all slots of a master at once, in a resharding one by one. What tells us:
 *
 * | sign | reaction |
 * |---|---|
 * | MOVED | the server that knows best: its word goes into the map, and the map is asked for again |
 * | ASK | the key has gone ahead of its slot: this one command is sent on, with ASKING |
 * | TRYAGAIN | some keys have gone and some not: waited out; a script with one key never meets it |
 * | CLUSTERDOWN, READONLY, MASTERDOWN | something is going on: the map is asked for again |
 * | a connection breaks, or is silent for too long | the same, and again and again while a call waits for it |
 *
 * All of these refusals come before any effect. When slots have other owners, their holds are verified there. A server that has lost its
 * last slot loses its connection too: what was unanswered on it is sent again, to the new owner.
 *
 * Trouble with one server concerns its own locks only.
 */

import { keySlot } from '@holdfast/core';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { none } from '../lists.js';
import { apart } from '../scopes/scope.js';
import { hostAndPort } from './address.js';
import { ClusterMap, type MapChange, type NodeAddress } from './cluster-map.js';
import type { Connection } from './connection.js';
import { askingPort } from './ioredis-script-port.js';
import type { Keyspace } from './keyspace.js';
import { NodeConnection } from './node-connection.js';
import type { Covers, Detour, Topology, TopologyListener, Refusal } from './topology.js';
import { TopologyEvents } from './topology-events.js';
import { isLasting } from './trouble.js';
import type { ConnectionTools } from './connection-tools.js';
import { Approach, type Reach } from './reach.js';
import { nameFor, oursForSure, swift } from './connection-options.js';

/** While a call waits for a server, the map is asked for this often. */
const LOOK_MS = 200;
/** A server that keeps nothing, and is gone, is tried for as long. */
const LEAVE_MS = 1_000;

const stale = ['MOVED', 'CLUSTERDOWN', 'READONLY', 'MASTERDOWN'];

/** See the module comment. */
export class ClusterTopology implements Topology {
  readonly trustsReceivers = false;
  readonly sharded = true;
  /** A replica says where the master of a slot is. */
  readonly takesLocks = true;
  readonly #map: ClusterMap;
  readonly #tools: ConnectionTools;
  readonly #options: RedisOptions;
  readonly #connections = new Map<NodeAddress, NodeConnection>();
  readonly #events = new TopologyEvents();
  /** To the server of a slot while it is not known which server that is, or no connection to it can be opened. */
  readonly #approach: Approach;
  #looking: { cancel(): void } | undefined;
  /** The servers to which there shall be a connection: those whose locks are asked for, or all that keep slots. */
  #wanted: 'asked-for' | 'all' = 'asked-for';

  constructor(template: Cluster, tools: ConnectionTools) {
    this.#tools = tools;
    this.#approach = new Approach(tools);
    this.#map = new ClusterMap(template, tools, {
      onChange: (change) => this.#changed(change),
      // Of the others their connection tells.
      onLastingTrouble: (error) =>
        this.#events.onLastingTrouble((lockKey) => this.#connectionFor(lockKey) === undefined, error),
    });
    const { redisOptions = {} } = template.options;
    const named = nameFor(redisOptions, tools.connectionName);
    this.#options = { ...oursForSure, ...swift(redisOptions), ...named, keyPrefix: this.#map.keyPrefix };
  }

  get keyPrefix(): string {
    return this.#map.keyPrefix;
  }

  get ready(): boolean {
    const { owners } = this.#map;
    return owners.size > 0 && [...owners].every((node) => this.#connections.get(node)?.ready);
  }

  get ended(): boolean {
    return this.#map.ended;
  }

  get keyspaces(): readonly Keyspace[] {
    return [...this.#map.owners].flatMap((node) => this.#connections.get(node)?.keyspace ?? []);
  }

  connect(): void {
    this.#wanted = 'all';
    this.#map.connect();
    this.#reachAll();
  }

  stir(): boolean {
    // Each of them, also behind one that owes an answer.
    return [...this.#map.owners].filter((node) => !this.#connections.get(node)?.stir()).length === 0;
  }

  listen(listener: TopologyListener): void {
    this.#events.listen(listener);
  }

  connectionTo(lockKey: string): Connection | undefined {
    const node = this.nodeOf(lockKey);
    return node === undefined ? undefined : this.#readyConnection(node);
  }

  get trouble(): Error | undefined {
    const { owners } = this.#map;
    // Each slot is like any other.
    if (owners.size === 0) return this.#map.troubleWith(0);
    const troubles = [...owners].flatMap((node) => this.#connections.get(node)?.trouble ?? []);
    return troubles.find(isLasting) ?? troubles[0];
  }

  troubleWith(lockKey: string): Error | undefined {
    const connection = this.#connectionFor(lockKey);
    return connection === undefined ? this.#map.troubleWith(this.#slotOf(lockKey)) : connection.trouble;
  }

  reachOf(lockKey: string): Reach {
    const connection = this.#connectionFor(lockKey);
    if (connection !== undefined) return connection.reach;
    return this.troubleWith(lockKey) === undefined ? this.#approach.reach : { state: 'down' };
  }

  whenReady(lockKey: string, resume: () => void): () => void {
    const forget = this.#events.wait(resume);
    if (this.#connectionFor(lockKey) === undefined) this.#approach.begin();
    this.#map.connect();
    this.#look();
    return () => {
      if (forget()) this.#restIfUnwanted();
    };
  }

  nodeOf(lockKey: string): NodeAddress | undefined {
    return this.#map.ownerOf(this.#slotOf(lockKey));
  }

  /** Even locks of one slot part while it moves, and one command for two of them would be refused until all have arrived. */
  batchOf(lockKey: string): string {
    return lockKey;
  }

  placeOf(lockKey: string): string {
    return `${this.#slotOf(lockKey)}`;
  }

  refused({ connection, code, message }: Refusal): Detour | undefined {
    if (stale.includes(code)) this.#map.refresh();
    // With neither host nor port it means a node that has lost its address: another one is there now.
    const [, slot, address] = /^(?:MOVED|ASK) (\d+) (?!:0$)(\S+)/.exec(message) ?? none;
    if (address === undefined) return undefined;
    // Without a host: the same as that of the server that says so. One of IPv6 may begin so, too.
    const target = /^:\d+$/.test(address) ? connection.node.replace(/:\d+$/, address) : address;
    if (code === 'MOVED') this.#map.correct(Number(slot), target);
    else return this.#detourTo(this.#map.reachable(target));
    return undefined;
  }

  openSubscriber(options: RedisOptions, instead: Redis | undefined): Redis | undefined {
    this.#map.connect();
    const left = instead && hostAndPort(instead);
    const others = this.#map.nodes.filter((node) => node !== left);
    const alive = others.filter((node) => this.#connections.get(node)?.ready);
    const { random } = this.#tools;
    const node = anyOf(alive, random) ?? anyOf(others, random) ?? left;
    return node === undefined ? undefined : this.openSubscriberTo(node, options);
  }

  openSubscriberTo(node: NodeAddress, options: RedisOptions): Redis | undefined {
    return this.#map.open(node, { ...this.#options, ...options, retryStrategy: () => null });
  }

  keeps(node: NodeAddress): boolean {
    return this.#map.owners.has(node);
  }

  async close(): Promise<void> {
    const closed = this.#map.close();
    this.#events.forgetWaiting();
    this.#looking?.cancel();
    this.#approach.end();
    for (const connection of this.#connections.values()) this.#retire(connection);
    await closed;
  }

  #slotOf(lockKey: string): number {
    return keySlot(this.keyPrefix + lockKey);
  }

  /** Undefined also where its server is known, and none can be opened: while the map is fetched anew no node is there to copy the options from. */
  #connectionFor(lockKey: string): NodeConnection | undefined {
    return this.#connections.get(this.nodeOf(lockKey) as NodeAddress);
  }

  #readyConnection(node: NodeAddress): NodeConnection | undefined {
    const connection = this.#connections.get(node) ?? this.#open(node);
    return connection?.ready ? connection : undefined;
  }

  #reachAll(): void {
    for (const node of this.#map.owners) this.#readyConnection(node);
  }

  /** To the server that a slot is on its way to. */
  #detourTo(node: NodeAddress): Detour | undefined {
    const connection = this.#readyConnection(node);
    return connection && { connection, port: askingPort(connection.redis, connection.port) };
  }

  #open(node: NodeAddress): NodeConnection | undefined {
    const redis = this.ended ? undefined : apart(() => this.#map.open(node, this.#options));
    if (redis === undefined) return undefined;
    const kept: Covers = (lockKey) => this.nodeOf(lockKey) === node;
    const listener = this.#events.ofConnection(node, kept);
    const onDown = () => {
      this.#map.refresh();
      listener.onDown();
      this.#tools.after(LEAVE_MS, () => this.#leave(connection));
    };
    const connection = new NodeConnection(node, { redis, ownership: 'ours' }, { ...listener, onDown }, this.#tools);
    this.#connections.set(node, connection);
    connection.connect();
    return connection;
  }

  #changed({ slots, deposed }: MapChange): void {
    if (this.ended) return;
    this.#approach.end();
    const moved: Covers = (lockKey) => slots.has(this.#slotOf(lockKey));
    for (const node of deposed) {
      const connection = this.#connections.get(node);
      if (connection === undefined) continue;
      // The map names the new owners already, so it is by the slots that its locks are known.
      this.#events.onDown(node, moved);
      this.#retire(connection);
    }
    if (this.#wanted === 'all') this.#reachAll();
    this.#events.onUp(moved);
  }

  /** A lock had gone there ahead of its slot. It may never keep that, and never come back. Not at once: each call that is sent there would connect anew. */
  #leave(connection: NodeConnection): void {
    if (!connection.ready && !connection.retired && !this.keeps(connection.node)) this.#retire(connection);
  }

  #retire(connection: NodeConnection): void {
    this.#connections.delete(connection.node);
    void connection.close();
  }

  /** A call waits. The server may be gone, and another one in its place. */
  #look(): void {
    this.#looking ??= this.#tools.after(LOOK_MS, () => {
      this.#looking = undefined;
      if (!this.#events.awaited) return;
      this.#map.refresh();
      this.#events.resume();
      this.#restIfUnwanted();
    });
  }

  #restIfUnwanted(): void {
    if (!this.#events.awaited) this.#approach.end();
  }
}

function anyOf<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}
