/**
 * What one server has done and another one does after it, later: a list of changes, each as a whole (a script's writes arrive together).
 *
 * Nothing moves by itself: the caller says how much of the list has arrived. What is left in it when the replica becomes the master is lost,
 * as it is in Redis.
 */

import type { Entry } from './keyspace.js';

/** One command's writes: copies of what the keys hold now, undefined for keys that are gone. */
export interface Change {
  /** How much of the master's history this is the end of. */
  readonly offset: number;
  readonly database: number;
  readonly entries: readonly (readonly [key: string, entry: Entry | undefined])[];
}

/** Made by `MemoryServer.replicateTo`. */
export class Replication {
  readonly #applyTo: (change: Change) => void;
  readonly #onPending: () => void;
  readonly #onAcknowledged: () => void;
  readonly #pending: Change[] = [];
  #acknowledged: number;
  #ended = false;

  constructor(from: number, to: { apply(change: Change): void; onPending(): void; onAcknowledged(): void }) {
    this.#acknowledged = from;
    this.#applyTo = (change) => to.apply(change);
    this.#onPending = () => to.onPending();
    this.#onAcknowledged = () => to.onAcknowledged();
  }

  /** How many changes have not arrived. */
  get pending(): number {
    return this.#pending.length;
  }

  /** How much of the master's history the replica has. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  note(change: Change): void {
    if (this.#ended) return;
    this.#pending.push(change);
    this.#onPending();
  }

  /** The oldest `changes` arrive; all of them, unless told otherwise. */
  arrive(changes = this.#pending.length): void {
    const arrived = this.#pending.splice(0, changes);
    const last = arrived.at(-1);
    if (last === undefined) return;
    for (const change of arrived) this.#applyTo(change);
    this.#acknowledged = last.offset;
    this.#onAcknowledged();
  }

  /** The two servers part. What has not arrived never will. */
  end(): void {
    this.#ended = true;
    this.#pending.length = 0;
  }
}
