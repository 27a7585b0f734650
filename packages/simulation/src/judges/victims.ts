/**
 * Whose lock a fault has taken away, by the data of the server: who owned it then, whether that was known to its process already, or on its way.
 *
 * Such a process may believe in the lock until its next renewal has been answered, and its tasks may pass it on among themselves until then: whatever they
 * have of it is excused for one lease. It is not what the process has once it owns the lock anew, where it asks for it under one tenure at a time: where it
 * has several in line, a grant to one that was taken away may come when another owns the lock. And nobody else is excused.
 */

import type { Value } from '@holdfast/memory';
import type { WorldProcess } from '../world/process.js';
import { clientOf } from './requests.js';

/** A hold, as far as it matters here. */
interface Believer {
  readonly process: WorldProcess;
  readonly lock: string;
  /** World time at which it came, or that within which it is. */
  readonly since: number;
}

/** A lock was taken away from the clients that owned it. */
interface Taking {
  readonly at: number;
  readonly clients: ReadonlySet<string>;
}

/** One lock on the server. */
interface Ownership {
  /** Tenures. */
  owners: ReadonlySet<string>;
  /** When each client became an owner under a tenure that had not been one. */
  readonly begun: Map<string, number[]>;
  readonly takings: Taking[];
}

/** See the module comment. */
export class Victims {
  /** For so long after a fault. */
  readonly excusedMs: number;
  readonly #oneAtATime: ReadonlySet<string>;
  readonly #clients = new Map<WorldProcess, string>();
  readonly #locks = new Map<string, Ownership>();

  /** @param oneAtATime - the locks for which a client asks under one tenure at a time. */
  constructor(excusedMs: number, oneAtATime: ReadonlySet<string>) {
    this.excusedMs = excusedMs;
    this.#oneAtATime = oneAtATime;
  }

  /** A process has begun. */
  began(process: WorldProcess, clientId: string): void {
    this.#clients.set(process, clientId);
  }

  /** A script has left this on the server as the record of a lock. */
  owned(now: number, lock: string, value: Value | undefined): void {
    const ownership = this.#of(lock);
    const owners = new Set(value instanceof Map ? [...value.keys()].filter((field) => field.includes(':')) : []);
    for (const tenure of owners) {
      if (ownership.owners.has(tenure)) continue;
      const client = clientOf(tenure);
      ownership.begun.set(client, [...(ownership.begun.get(client) ?? []).filter((at) => this.#counts(at, now)), now]);
    }
    ownership.owners = owners;
  }

  /** A fault has taken a lock away, or all of them. */
  taken(now: number, lock: string | undefined): void {
    for (const ownership of lock === undefined ? this.#locks.values() : [this.#of(lock)]) {
      ownership.takings.push({ at: now, clients: new Set([...ownership.owners].map(clientOf)) });
      ownership.owners = new Set();
    }
  }

  /** It may still believe that it holds. */
  excuses({ process, lock, since }: Believer, now: number): boolean {
    const client = this.#clients.get(process) ?? '';
    const ownership = this.#of(lock);
    const begun = this.#oneAtATime.has(lock) ? (ownership.begun.get(client) ?? []) : [];
    return ownership.takings.some(
      ({ at, clients }) =>
        this.#counts(at, now) && clients.has(client) && !begun.some((again) => again > at && again <= since),
    );
  }

  #counts(at: number, now: number): boolean {
    return now - at < this.excusedMs;
  }

  #of(lock: string): Ownership {
    let ownership = this.#locks.get(lock);
    if (ownership === undefined) {
      ownership = { owners: new Set(), begun: new Map(), takings: [] };
      this.#locks.set(lock, ownership);
    }
    return ownership;
  }
}
