/**
 * What a client may have at once. Each limit is looked at where the thing it counts comes about, in constant time and before anything is
 * sent: the lease by the handle, the names by the registry, the depth and the waiting calls by the coordinator.
 */

import { scopeHere } from '../scopes/call-context.js';
import { type LockLimit, LockLimitError } from '../errors.js';
import type { Settings } from '../options.js';
import type { Reporter } from '../reports/reporter.js';

/** See the module comment. */
export class Limits {
  readonly #most: Settings['limits'];
  readonly #reporter: Reporter;
  #waiting = 0;

  constructor(most: Settings['limits'], reporter: Reporter) {
    this.#most = most;
    this.#reporter = reporter;
  }

  /** A call has joined a queue. */
  joined(): void {
    this.#waiting++;
  }

  /** A call has left a queue. */
  left(): void {
    this.#waiting--;
  }

  /** Calls in queues. */
  get waiting(): number {
    return this.#waiting;
  }

  get waitersReached(): boolean {
    return this.#waiting >= this.#most.waiters;
  }

  depthReached(depth: number): boolean {
    return depth >= this.#most.depth;
  }

  /** @throws LockLimitError when `names` others are in use. */
  checkNames(name: string, names: number): void {
    if (names >= this.#most.locks) this.#refuse(name, 'locks');
  }

  /** @throws LockLimitError */
  checkLease(name: string, leaseMs = 0): void {
    if (leaseMs > this.#most.leaseMs) this.#refuse(name, 'leaseMs');
  }

  /** Counted; the error to refuse a call with. */
  reached(name: string, limit: LockLimit): LockLimitError {
    this.#reporter.limited(limit);
    return new LockLimitError(name, limit, this.#most[limit]);
  }

  /** For a call that no coordinator knows of. */
  #refuse(name: string, limit: LockLimit): never {
    const error = this.reached(name, limit);
    this.#reporter.failed({ name, context: scopeHere() }, error);
    throw error;
  }
}
