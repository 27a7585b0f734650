/**
 * Whether a connection is in the database that the options name: no lock may be taken in another one. Where there is no such database, ioredis stays in
 * number 0 without a word. So on each connection the database is chosen once more, once for all calls that wait.
 */

import type { Redis } from 'ioredis';
import { attempt } from './attempt.js';
import { type Connection, hasPassed } from './connection.js';
import { databaseOf } from './connection-options.js';
import type { ConnectionTools } from './connection-tools.js';
import { meaningOf, redacted } from './reply-errors.js';
import type { SilenceGuard } from './silence-guard.js';

/** A database that cannot be chosen now is chosen after this. */
const RETRY_MS = 100;

/** The connection that is to be in its database. */
export interface PlacedConnection {
  readonly connection: Pick<Connection, 'epoch' | 'retired'>;
  readonly silence: Pick<SilenceGuard, 'sent' | 'answered'>;
  readonly tools: ConnectionTools;
}

/** Told by a {@link Placement}. */
export interface PlacementListener {
  onPlaced(): void;
  /** There is no such database. */
  onRefused(error: Error): void;
}

/** See the module comment. */
export class Placement {
  readonly #redis: Redis;
  readonly #listener: PlacementListener;
  readonly #parts: PlacedConnection;
  #state: 'unknown' | 'asked for' | 'sure';

  constructor(redis: Redis, listener: PlacementListener, parts: PlacedConnection) {
    this.#redis = redis;
    this.#listener = listener;
    this.#parts = parts;
    this.#state = redis.status === 'ready' && databaseOf(redis) === 0 ? 'sure' : 'unknown';
  }

  get sure(): boolean {
    return this.#state === 'sure';
  }

  /** There is a new connection, in number 0. */
  connected(): void {
    if (databaseOf(this.#redis) === 0) this.#placed();
    else this.choose();
  }

  choose(): void {
    if (this.#state === 'asked for') return;
    this.#state = 'asked for';
    void this.#choose(this.#parts.connection.epoch);
  }

  /** The connection is over, or of no use. */
  forget(): void {
    this.#state = 'unknown';
  }

  async #choose(epoch: number): Promise<void> {
    if (hasPassed(this.#parts.connection, epoch)) return;
    const { silence, tools } = this.#parts;
    silence.sent(tools.now());
    const redis = this.#redis;
    const error = await attempt(() => redis.select(databaseOf(redis))).then(() => undefined, redacted);
    if (hasPassed(this.#parts.connection, epoch)) return;
    silence.answered(tools.now());
    if (error === undefined) this.#placed();
    else if (meaningOf(error).kind === 'permanent') this.#listener.onRefused(error);
    else tools.after(RETRY_MS, () => void this.#choose(epoch));
  }

  #placed(): void {
    this.#state = 'sure';
    this.#listener.onPlaced();
  }
}
