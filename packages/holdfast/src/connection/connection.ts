/** What the rest of this folder knows of a connection: see `node-connection.ts`. */

import type { ScriptPort } from '@holdfast/core';
import type { Redis } from 'ioredis';
import type { Settings } from '../settings.js';
import type { Keyspace } from './keyspace.js';

/** How many replicas are enough, and the time they have. */
export type ReplicaTerms = NonNullable<Settings['replicas']>;

/** What those who send need of a connection. */
export interface Connection {
  /** For what is no matter of locks. */
  readonly keyspace: Keyspace;
  /** The server at its other end. */
  readonly node: string;
  readonly ready: boolean;
  /** Closed by us: its server does not keep our locks any more, whatever it still says. */
  readonly retired: boolean;
  readonly epoch: number;
  readonly port: ScriptPort;
  /** A command leaves at clock time `at`. */
  sent(at: number): void;
  /** Moving average of the round trip, in milliseconds. */
  readonly roundTripMs: number;
  /** Something has come back. */
  answered(at: number): void;
  /** Its answers have come to belong to other questions. A connection of ours is replaced, at once or very soon; one of yours is kept. */
  outOfStep(error: Error): 'replaced' | 'kept';
  /** A reply took this long, and came at this clock time. */
  took(ms: number, at: number): void;
  /** What is sent in this turn of the event loop leaves together. */
  gather(): void;
  /**
   * How many replicas have all that was written on connection number `epoch`; waits for enough of them, or the end of their time.
   * Rejects when that connection is lost meanwhile: WAIT speaks of its own connection only.
   */
  replicated(enough: ReplicaTerms, epoch: number): Promise<number>;
}

/** Of one that was asked something as number `epoch`: what it says speaks for the present one no more. */
export const hasPassed = (connection: Pick<Connection, 'epoch' | 'retired'>, epoch: number): boolean =>
  epoch !== connection.epoch || connection.retired;

/** An ioredis client, and whether closing it is our business. */
export interface OwnedRedis {
  readonly redis: Redis;
  readonly ownership: 'ours' | 'yours';
}

/** Told by a `NodeConnection`. */
export interface ConnectionListener {
  onDown(): void;
  onUp(): void;
  /** The server at its other end is another run than before: a replica that took over, or one that has restarted. */
  onOther(): void;
  /** The server at its other end has said what it is, or does not. */
  onLooked(): void;
  /** It cannot be made as things are, and that stays so until the options or the server are changed. */
  onLastingTrouble(error: Error): void;
}
