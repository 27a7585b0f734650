/**
 * A Cluster as a link: one line to each master that keeps a lock of ours, opened when it is first needed.
 *
 * A lock lives where its slot lives, and slots move: in a failover all slots of a master at once, in a resharding one by one. What tells us:
 *
 * | sign | reaction |
 * |---|---|
 * | MOVED | the server that knows best: its word goes into the map, and the map is asked for again |
 * | ASK | the key has gone ahead of its slot: this one command is sent on, with ASKING |
 * | TRYAGAIN | some keys have gone and some not: waited out; a script with one key never meets it |
 * | CLUSTERDOWN, READONLY, MASTERDOWN | something is going on: the map is asked for again |
 * | a line breaks, or is silent for too long | the same, and again and again while somebody waits for it |
 *
 * All of these refusals come before any effect. When slots have other owners, their holds are verified there. A server that has lost its
 * last slot loses its line too: what was unanswered on it is sent again, to the new owner.
 *
 * Trouble with one server concerns its own locks only.
 */

import { keySlot } from '@holdfast/core';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { outside } from '../scopes/scope.js';
import { AskingLine } from './asking-line.js';
import { ClusterMap, type MapChange, type NodeAddress } from './cluster-map.js';
import { type Line, type LineListener, NodeLine } from './line.js';
import type { Covers, Link, LinkListener, Refusal } from './link.js';
import type { LinkTools } from './link-tools.js';
import { Approach, type Reach } from './reach.js';
import { oursForSure, swift } from './redis-input.js';

/** While somebody waits for a server, the map is asked for this often. */
const LOOK_MS = 200;

const stale: ReadonlySet<string> = new Set(['MOVED', 'CLUSTERDOWN', 'READONLY', 'MASTERDOWN']);

/** See the module comment. */
export class ClusterLink implements Link {
  readonly trustsReceivers = false;
  readonly sharded = true;
  readonly #map: ClusterMap;
  readonly #tools: LinkTools;
  readonly #options: RedisOptions;
  readonly #lines = new Map<NodeAddress, NodeLine>();
  readonly #listeners: LinkListener[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #closing = new Set<Promise<void>>();
  /** To a server that keeps a slot which nobody is known to keep. */
  readonly #approach: Approach;
  #looking: { cancel(): void } | undefined;
  /** The servers to which there shall be a line: those whose locks are asked for, or all that keep slots. */
  #wanted: 'asked-for' | 'all' = 'asked-for';
  #closed = false;

  constructor(template: Cluster, tools: LinkTools) {
    this.#tools = tools;
    this.#approach = new Approach(tools);
    this.#map = new ClusterMap(template, tools, {
      onChange: (change) => this.#changed(change),
      // Of locks whose server is known, its own line tells.
      onLastingTrouble: (error) => this.#lastingTrouble((lockKey) => this.nodeOf(lockKey) === undefined, error),
    });
    this.#options = { ...oursForSure, ...swift(template.options.redisOptions ?? {}), keyPrefix: this.#map.keyPrefix };
  }

  get keyPrefix(): string {
    return this.#map.keyPrefix;
  }

  get ready(): boolean {
    const { owners } = this.#map;
    if (owners.size === 0) return false;
    for (const node of owners) if (!this.#lines.get(node)?.ready) return false;
    return true;
  }

  get ended(): boolean {
    return this.#map.ended;
  }

  connect(): void {
    this.#wanted = 'all';
    this.#map.connect();
    this.#reachAll();
  }

  listen(listener: LinkListener): void {
    this.#listeners.push(listener);
  }

  lineTo(lockKey: string): Line | undefined {
    const node = this.nodeOf(lockKey);
    return node === undefined ? undefined : this.#readyLine(node);
  }

  troubleWith(lockKey: string): Error | undefined {
    const node = this.nodeOf(lockKey);
    return node === undefined ? this.#map.trouble : this.#lines.get(node)?.trouble;
  }

  reachOf(lockKey: string): Reach {
    const node = this.nodeOf(lockKey);
    const line = node === undefined ? undefined : this.#lines.get(node);
    if (line !== undefined) return line.reach;
    return node === undefined && this.#map.trouble !== undefined ? { state: 'down' } : this.#approach.reach;
  }

  whenReady(lockKey: string, resume: () => void): () => void {
    this.#waiting.add(resume);
    if (this.nodeOf(lockKey) === undefined) this.#approach.begin();
    this.#map.connect();
    this.#look();
    return () => {
      if (this.#waiting.delete(resume)) this.#restIfUnwanted();
    };
  }

  nodeOf(lockKey: string): NodeAddress | undefined {
    return this.#map.ownerOf(this.#slotOf(lockKey));
  }

  /** Even locks of one slot part while it moves, and one command for two of them would be refused until all have arrived. */
  batchOf(lockKey: string): string {
    return lockKey;
  }

  refused({ line, code, message }: Refusal): Line | undefined {
    if (stale.has(code)) this.#map.refresh();
    if (code !== 'MOVED' && code !== 'ASK') return undefined;
    const [, slot, address] = message.split(' ');
    if (slot === undefined || address === undefined) return undefined;
    // Without a host: the same as that of the server that says so.
    const target = address.startsWith(':') ? line.node.slice(0, line.node.lastIndexOf(':')) + address : address;
    if (code === 'MOVED') this.#map.correct(Number(slot), target);
    else return this.#askingLine(this.#map.reachable(target));
    return undefined;
  }

  openSubscriber(options: RedisOptions, instead: Redis | undefined): Redis | undefined {
    this.#map.connect();
    const left = instead && `${instead.options.host}:${instead.options.port}`;
    const others = this.#map.nodes.filter((node) => node !== left);
    const alive = others.filter((node) => this.#lines.get(node)?.ready);
    const { random } = this.#tools;
    const node = anyOf(alive, random) ?? anyOf(others, random) ?? left;
    return node === undefined ? undefined : this.openSubscriberTo(node, options);
  }

  openSubscriberTo(node: NodeAddress, options: RedisOptions): Redis | undefined {
    return this.#map.open(node, { ...this.#options, ...options, retryStrategy: () => null });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    this.#looking?.cancel();
    this.#approach.end();
    for (const line of this.#lines.values()) this.#retire(line);
    await Promise.all([this.#map.close(), ...this.#closing]);
  }

  #slotOf(lockKey: string): number {
    return keySlot(this.keyPrefix + lockKey);
  }

  #readyLine(node: NodeAddress): NodeLine | undefined {
    const line = this.#lines.get(node) ?? this.#open(node);
    return line?.ready ? line : undefined;
  }

  #reachAll(): void {
    for (const node of this.#map.owners) this.#readyLine(node);
  }

  #askingLine(node: NodeAddress): Line | undefined {
    const line = this.#readyLine(node);
    return line && new AskingLine(line);
  }

  #open(node: NodeAddress): NodeLine | undefined {
    const redis = this.#closed ? undefined : outside(() => this.#map.open(node, this.#options));
    if (redis === undefined) return undefined;
    const kept: Covers = (lockKey) => this.nodeOf(lockKey) === node;
    const listener: LineListener = {
      onDown: () => this.#down(node, kept),
      onUp: () => this.#up(kept),
      onLastingTrouble: (error) => this.#lastingTrouble(kept, error),
    };
    const line = new NodeLine(node, { redis, ownership: 'ours' }, listener, this.#tools);
    this.#lines.set(node, line);
    line.connect();
    return line;
  }

  #down(node: NodeAddress, kept: Covers): void {
    this.#map.refresh();
    for (const listener of this.#listeners) listener.onDown(node, kept);
  }

  #lastingTrouble(covers: Covers, error: Error): void {
    for (const listener of this.#listeners) listener.onLastingTrouble?.(covers, error);
  }

  #up(covers: Covers): void {
    for (const listener of this.#listeners) listener.onUp(covers);
    this.#resume();
  }

  #resume(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  #changed({ slots, deposed }: MapChange): void {
    if (this.#closed) return;
    this.#approach.end();
    const moved: Covers = (lockKey) => slots.has(this.#slotOf(lockKey));
    for (const node of deposed) {
      const line = this.#lines.get(node);
      if (line === undefined) continue;
      // The map names the new owners already, so it is by the slots that its locks are known.
      for (const listener of this.#listeners) listener.onDown(node, moved);
      this.#retire(line);
    }
    if (this.#wanted === 'all') this.#reachAll();
    this.#up(moved);
  }

  #retire(line: NodeLine): void {
    this.#lines.delete(line.node);
    const closed: Promise<void> = line.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Somebody waits. The server may be gone, and another one in its place. */
  #look(): void {
    this.#looking ??= this.#tools.at(this.#tools.now() + LOOK_MS, () => {
      this.#looking = undefined;
      if (this.#waiting.size === 0) return;
      this.#map.refresh();
      // Those who still find no line come back.
      this.#resume();
      this.#restIfUnwanted();
    });
  }

  #restIfUnwanted(): void {
    if (this.#waiting.size === 0) this.#approach.end();
  }
}

function anyOf<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}
