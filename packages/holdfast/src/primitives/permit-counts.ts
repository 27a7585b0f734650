import type { ClientParts } from '../client-parts.js';
import { type SemaphoreInspection, semaphoreInspection } from '../inspection/semaphore-inspection.js';
import { checkCount, checkTime } from '../options.js';
import { query } from '../tenure/query.js';
import { serve, serveRest } from '../tenure/serving.js';
import type { LockHost } from './acquisition.js';
import type { PermitLease } from './expirable-semaphore.js';
import { MOST_PERMITS } from './permit-call.js';
import { tombstoneMsOf } from './questions.js';
import type { SemaphoreOperations } from './semaphore-operations.js';

/** How many permits a semaphore has: what both kinds of handles ask and change. */
export class PermitCounts {
  readonly #host: LockHost;
  readonly #parts: ClientParts;
  readonly #operations: SemaphoreOperations;

  constructor(host: LockHost, parts: ClientParts, operations: SemaphoreOperations) {
    this.#host = host;
    this.#parts = parts;
    this.#operations = operations;
  }

  /** Free ones and those in use, by Redisson's clients too where it keeps who has them. */
  async look(): Promise<{ readonly free: number; readonly used: number }> {
    const counts = await this.ask(this.#operations.peek());
    return counts.kind === 'counts' ? { free: counts.free, used: counts.used + counts.javas } : { free: 0, used: 0 };
  }

  async inspect(): Promise<SemaphoreInspection> {
    return semaphoreInspection(this.#parts, this.#operations.name, await this.ask(this.#operations.inspect()));
  }

  async begin(permits: number, ttlMs: number | undefined): Promise<boolean> {
    checkCount('permits', permits, MOST_PERMITS, 0);
    if (ttlMs !== undefined) checkTime('ttlMs', ttlMs, 1);
    return this.#count({ how: 'begin', permits, ttlMs });
  }

  async add(permits: number): Promise<void> {
    checkCount('permits', permits, MOST_PERMITS, -MOST_PERMITS);
    await this.#count({ how: 'add', permits });
  }

  async setTotal(permits: number): Promise<void> {
    checkCount('permits', permits, MOST_PERMITS, 0);
    await this.#count({ how: 'total', permits });
  }

  /** What tells a request from its copies. */
  request(): { readonly request: string; readonly tombstoneMs: number } {
    return { request: this.#parts.tenureId(undefined), tombstoneMs: tombstoneMsOf(this.#parts.settings) };
  }

  /** Goes on where a command has not come to all who wait. */
  serveRest(left: number): void {
    serveRest(this.#parts, this.#operations, left);
  }

  /** The leases of these ids begin now. When they have ended, what has not come back by then is given back. */
  setEnd(ids: readonly string[], leaseMs: PermitLease): void {
    this.#parts.permitEnds.set(ids, leaseMs, () => void serve(this.#parts, this.#operations));
  }

  ask<R>(command: Parameters<typeof query<R>>[2]): Promise<R> {
    this.#host.registry.admit(this.#operations.name);
    return query(this.#parts, this.#operations, command);
  }

  async #count(change: Parameters<SemaphoreOperations['count']>[1]['change']): Promise<boolean> {
    const { request, tombstoneMs } = this.request();
    const { changed, left } = await this.ask(this.#operations.count(request, { change, tombstoneMs }));
    this.serveRest(left);
    return changed;
  }
}
