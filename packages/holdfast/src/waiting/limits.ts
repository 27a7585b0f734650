/**
 * What a client may have at once. Each limit is looked at where the thing it counts comes about, in constant time and before anything is
 * sent: the lease by the handle, the names by the registry, the depth and the waiting calls by the coordinator.
 */

import { type LockLimit, LockLimitError } from '../errors.js';
import { enclosingScope } from '../scopes/scope.js';
import type { Settings } from '../settings.js';
import type { About } from '../tenure/failures.js';
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
  checkNames(about: About, names: number): void {
    if (names >= this.#most.locks) this.#refuse(about, 'locks');
  }

  /** @throws LockLimitError */
  checkLease(about: About, leaseMs = 0): void {
    if (leaseMs > this.#most.leaseMs) this.#refuse(about, 'leaseMs');
  }

  /** Of a hold that is to last longer: a call that tried no acquisition is none that failed. @throws LockLimitError */
  checkExtension(about: About, ms: number): void {
    if (ms > this.#most.leaseMs) throw this.reached(about, 'leaseMs');
  }

  /** Counted; the error to refuse a call with. */
  reached({ name, primitive }: About, limit: LockLimit): LockLimitError {
    this.#reporter.limited(limit);
    return new LockLimitError(name, limit, this.#most[limit], primitive);
  }

  /** For a call that no coordinator knows of. */
  #refuse(about: About, limit: LockLimit): never {
    const error = this.reached(about, limit);
    this.#reporter.failed({ name: about.name, context: enclosingScope() }, error);
    throw error;
  }
}
