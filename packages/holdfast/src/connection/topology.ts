/**
 * The topology: which server keeps a lock, and how commands about it get there.
 *
 * One node, the master that Sentinel names, and a Cluster differ in little: which server a lock lives on, what happens when that changes,
 * and what PUBLISH's reply is worth. All of that is behind this interface; nothing outside this folder knows which of them it talks to.
 *
 * A topology consists of connections, one for each server (see `node-connection.ts`). Which connection leads to a lock may change between two commands, so it is asked
 * for anew each time something is sent.
 */

import type { ScriptPort } from '@holdfast/core';
import type { Redis, RedisOptions } from 'ioredis';
import type { Connection } from './connection.js';
import type { Keyspace } from './keyspace.js';
import type { Reach } from './reach.js';

/** The locks that an event concerns. Lock keys come without `keyPrefix`. */
export type Covers = (lockKey: string) => boolean;

/** Told when connections go and come. */
export interface TopologyListener {
  /** The connection to a server is lost: nothing is known about its locks, nor whether it is the same server when it is back. */
  onDown?(node: string, covers: Covers): void;
  /** The server of these locks can be reached (again), or is another one from now on: what is believed of them should be verified. */
  onUp?(covers: Covers): void;
  /** The server of these locks is another run than before: a replica that took over, or one that has restarted. It may not know the latest writes. */
  onOther?(covers: Covers): void;
  /** The server of these locks has said that it is a replica. It may be a master again on the same connection, with other data. */
  onDemoted?(covers: Covers): void;
  /** The server of these locks cannot be reached as things are, and that does not pass by itself. */
  onLastingTrouble?(covers: Covers, error: Error): void;
}

/** A server has refused a command before any effect, for now. */
export interface Refusal {
  readonly connection: Connection;
  readonly code: string;
  readonly message: string;
}

/** Where a command is to be sent instead, and through what: that server has to be told that it is meant. */
export interface Detour {
  readonly connection: Connection;
  readonly port: ScriptPort;
}

/** See the module comment. */
export interface Topology {
  /** What the connection puts before every key. */
  readonly keyPrefix: string;
  /** The server of a lock knows all who listen to a channel. Not so in a Cluster, where each node counts its own. */
  readonly trustsReceivers: boolean;
  /** There are channels that live on the servers of their slot only, from Redis 7 on: a Cluster. */
  readonly sharded: boolean;
  /** Closed, or given up by ioredis: no connection will ever be ready again. */
  readonly ended: boolean;
  /** Every server that keeps locks can be reached, as far as they are known. */
  readonly ready: boolean;
  /** None of them has to be taken for one that refuses every lock, or has yet to say what it is: a replica, outside a Cluster. */
  readonly takesLocks: boolean;
  /** The servers that keep locks, as far as they are known: all of them while it is {@link ready}. */
  readonly keyspaces: readonly Keyspace[];
  /** Makes the connections that are missing to those servers. */
  connect(): void;
  /** Whether each of those servers has answered within the last second. Those that have not are asked for a sign of life, after which {@link whenReady} resumes. */
  stir(): boolean;
  listen(listener: TopologyListener): void;
  /** The connection to a lock's server, if it is known and ready now. */
  connectionTo(lockKey: string): Connection | undefined;
  /** Why one of the servers that keep locks cannot be reached now, as far as is known: what lasts before what may pass. */
  readonly trouble: Error | undefined;
  /** Why the lock's server cannot be reached now, as far as is known. */
  troubleWith(lockKey: string): Error | undefined;
  /** What is known of the way to the lock's server. */
  reachOf(lockKey: string): Reach;
  /** Connects, and calls `resume` once when it is worth looking for a connection again (later, never at once). Returns how to forget it. */
  whenReady(lockKey: string, resume: () => void): () => void;
  /** The server that keeps the lock, as far as is known; undefined before the first contact. */
  nodeOf(lockKey: string): string | undefined;
  /** Locks with the same answer can be named in one command. */
  batchOf(lockKey: string): string;
  /** The same, for one command that may be refused: in a Cluster, while their slot moves. */
  placeOf(lockKey: string): string;
  /** Learns from a refusal. Returns where the command is to be sent instead at once, if there is such a place. */
  refused(refusal: Refusal): Detour | undefined;
  /**
   * A connection with `options` that hears every channel; undefined when no server is known yet. It connects when told to. `instead`: one
   * that did not do; another server is taken where there is a choice.
   */
  openSubscriber(options: RedisOptions, instead: Redis | undefined): Redis | undefined;
  /** As {@link openSubscriber}, to one server, named as by {@link nodeOf}: where channels are {@link sharded}. */
  openSubscriberTo?(node: string, options: RedisOptions): Redis | undefined;
  /** Whether that server, named likewise, keeps any lock. */
  keeps?(node: string): boolean;
  close(): Promise<void>;
}
