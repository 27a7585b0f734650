import type { Redis, RedisOptions } from 'ioredis';
import type { Connection, OwnedRedis } from './connection.js';
import { nameFor } from './connection-options.js';
import { guarded } from './guarded.js';
import { withCredentialsOf } from './live-credentials.js';
import type { Keyspace } from './keyspace.js';
import { NodeConnection } from './node-connection.js';
import type { Topology, TopologyListener, Refusal } from './topology.js';
import { TopologyEvents } from './topology-events.js';
import type { ConnectionTools } from './connection-tools.js';
import type { Reach } from './reach.js';
import type { SentinelWatch } from './sentinel-watch.js';

const MASTER = 'master';
const everything = () => true;

/** What only a replica says: this connection leads to a server that is no master (any more). */
const demoted = ['READONLY', 'MASTERDOWN'];

/** One server, or the master that Sentinel names. Which of several servers that is, is hidden behind one name: only one is the master. */
export class NodeTopology implements Topology {
  readonly trustsReceivers = true;
  readonly sharded = false;
  readonly #connection: NodeConnection;
  readonly #sentinels: SentinelWatch | undefined;
  readonly #events = new TopologyEvents();
  /** For a connection whose options have no name for it. */
  readonly #named: RedisOptions;

  constructor(owned: OwnedRedis, sentinels: SentinelWatch | undefined, tools: ConnectionTools) {
    const listener = this.#events.ofConnection(MASTER, everything);
    this.#connection = new NodeConnection(MASTER, owned, listener, tools, sentinels?.hear(owned.redis));
    this.#sentinels = sentinels;
    this.#named = nameFor(owned.redis.options, tools.connectionName);
    sentinels?.mind(owned.redis);
  }

  get keyPrefix(): string {
    return this.#connection.redis.options.keyPrefix ?? '';
  }

  get ready(): boolean {
    return this.#connection.ready;
  }

  get takesLocks(): boolean {
    return this.#connection.takesLocks;
  }

  get ended(): boolean {
    return this.#connection.ended;
  }

  get keyspaces(): readonly Keyspace[] {
    return [this.#connection.keyspace];
  }

  connect(): void {
    this.#sentinels?.start();
    this.#connection.connect();
  }

  stir(): boolean {
    return this.#connection.stir();
  }

  listen(listener: TopologyListener): void {
    this.#events.listen(listener);
  }

  connectionTo(): Connection | undefined {
    return this.#connection.ready ? this.#connection : undefined;
  }

  get trouble(): Error | undefined {
    return this.#connection.trouble;
  }

  troubleWith(): Error | undefined {
    return this.#connection.trouble;
  }

  reachOf(): Reach {
    return this.#connection.reach;
  }

  whenReady(_lockKey: string, resume: () => void): () => void {
    const forget = this.#events.wait(resume);
    this.connect();
    return forget;
  }

  nodeOf(): string {
    return MASTER;
  }

  batchOf(): string {
    return MASTER;
  }

  placeOf(): string {
    return MASTER;
  }

  refused({ code }: Refusal): undefined {
    if (!demoted.includes(code)) return;
    this.#connection.demoted();
    this.#events.onDemoted(everything);
  }

  openSubscriber(options: RedisOptions): Redis {
    const { redis: given } = this.#connection;
    const redis = guarded(withCredentialsOf(given.duplicate({ ...this.#named, ...options }), () => given.options));
    this.#sentinels?.mind(redis);
    return redis;
  }

  async close(): Promise<void> {
    this.#events.forgetWaiting();
    await Promise.all([this.#sentinels?.close(), this.#connection.close()]);
  }
}
