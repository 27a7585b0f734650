import type { Command } from '@holdfast/core';
import { type SemaphoreInspection, semaphoreInspection } from '../inspection/semaphore-inspection.js';
import { permitPolicy } from '../exclusive/policy.js';
import { checkCount, checkTime, MAX_TIME_MS, MOST_PERMITS } from '../options.js';
import type { HoldTerms } from '../tenure/hold-terms.js';
import { newRequest } from '../tenure/late-copies.js';
import { query } from '../tenure/query.js';
import { serveRest } from '../tenure/serving.js';
import type { Caller, LockHost, NodeHost } from './acquisition.js';
import type { PermitsWanted, SemaphoreOperations } from './semaphore-operations.js';

/** What both kinds of handles of a semaphore say of how many permits there are, and change. */
export class CountedSemaphore {
  readonly name: string;
  readonly #host: NodeHost;
  readonly #operations: SemaphoreOperations;

  constructor(host: NodeHost, operations: SemaphoreOperations) {
    this.name = operations.name;
    this.#host = host;
    this.#operations = operations;
  }

  async availablePermits(): Promise<number> {
    return (await countPermits(this.#host, this.#operations)).free;
  }

  async trySetPermits(permits: number, ttlMs?: number): Promise<boolean> {
    checkCount('trySetPermits: permits', permits, MOST_PERMITS, 0);
    if (ttlMs !== undefined) checkTime('trySetPermits: ttlMs', ttlMs, 1);
    return this.#change({ how: 'begin', permits, ttlMs });
  }

  async addPermits(permits: number): Promise<void> {
    checkCount('addPermits: permits', permits, MOST_PERMITS, -MOST_PERMITS);
    await this.#change({ how: 'add', permits });
  }

  async setPermits(permits: number): Promise<void> {
    checkCount('setPermits: permits', permits, MOST_PERMITS, 0);
    await this.#change({ how: 'total', permits });
  }

  async inspect(): Promise<SemaphoreInspection> {
    const seen = await ask(this.#host, this.#operations, this.#operations.inspect());
    return semaphoreInspection(this.#host.parts, this.name, seen);
  }

  async #change(change: Parameters<SemaphoreOperations['count']>[1]['change']): Promise<boolean> {
    const { parts } = this.#host;
    const { request, tombstoneMs } = newRequest(parts);
    const command = this.#operations.count(request, { change, tombstoneMs });
    const { changed, left } = await ask(this.#host, this.#operations, command);
    serveRest(parts, this.#operations, left);
    return changed;
  }
}

/** A lease that never ends is, to all that renews it, one of the longest kind. */
const endless: HoldTerms = { mode: 'watched', leaseMs: MAX_TIME_MS, maxHoldMs: undefined };

/**
 * Calls for permits have no owner, and are inside nothing.
 *
 * @throws LockLimitError where a lease that never ends is too long for the client.
 */
export function permitCaller(
  host: LockHost,
  operations: SemaphoreOperations,
  ends: PermitsWanted['ends'] = 'watched',
): Caller {
  if (ends === 'never') host.parts.limits.checkLease(operations, MAX_TIME_MS);
  const own = ends === 'never' ? { ...host, terms: endless } : host;
  return { host: own, operations, policy: permitPolicy, owner: undefined, around: () => undefined };
}

/** Free ones and those in use, by Redisson's clients too where it keeps who has them. */
export async function countPermits(
  host: NodeHost,
  operations: SemaphoreOperations,
): Promise<{ readonly free: number; readonly used: number }> {
  const counts = await ask(host, operations, operations.peek());
  return counts.kind === 'counts' ? { free: counts.free, used: counts.used + counts.javas } : { free: 0, used: 0 };
}

/** Whatever is asked about a semaphore beside acquiring its permits. */
export function ask<R>(
  { registry, parts }: NodeHost,
  operations: SemaphoreOperations,
  command: Command<R>,
): Promise<R> {
  registry.admit(operations.name);
  return query(parts, operations, command);
}
