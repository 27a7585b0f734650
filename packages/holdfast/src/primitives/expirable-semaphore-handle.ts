import type { Command } from '@holdfast/core';
import type { Backend } from '../backend.js';
import { LockLostError, LockNotHeldError, LockTimeoutError } from '../errors.js';
import { checkCount, checkKeys, checkTime, MAX_TIME_MS, MIN_LEASE_MS, MOST_PERMITS } from '../options.js';
import { atCaller, shown } from '../reports/caller.js';
import { inFrame } from '../reports/site.js';
import { currentScope } from '../scopes/scope.js';
import { refuseSurplus } from '../surplus.js';
import { failureError } from '../tenure/failures.js';
import { barredForMs, newRequest } from '../tenure/late-copies.js';
import { serve, serveRest } from '../tenure/serving.js';
import { soleRenewal } from '../tenure/sole-renewal.js';
import { firstLimitMs } from '../waiting/timeout-decision.js';
import type { NotAcquired } from '../waiting/waiter.js';
import { AdoptingOperations } from './adopting-operations.js';
import { callStyles, type LockHost, type NodeHost, startCall } from './acquisition.js';
import { ask, CountedSemaphore, countPermits, permitCaller } from './counted-semaphore.js';
import type {
  PermitIdOptions,
  PermitLease,
  RPermitExpirableSemaphore,
  TryPermitIdOptions,
} from './expirable-semaphore.js';
import { inTime } from './in-time.js';
import { IssuingOperations, MOST_IDS } from './issuing-operations.js';
import { checkCall, checkSemaphore, type PermitCall, tryCallKeys as adoptKeys } from './permit-call.js';
import { PermitHoldHandle } from './permit-hold.js';
import type { PermitHold, SemaphoreOptions, TryPermitOptions } from './semaphore.js';
import { type PermitsWanted, SemaphoreOperations } from './semaphore-operations.js';

const callKeys = ['waitMs', 'signal'];
const ONE_OR_LIST = 'one id, or a list of them';
const tryCallKeys = ['signal'];
const styles = {
  acquireMany: callStyles.acquire,
  tryAcquireMany: callStyles.tryAcquire,
  adopt: callStyles.tryAcquire,
} as const;

/** One call, checked. */
interface IdCall {
  readonly wanted: PermitCall;
  readonly leaseMs: PermitLease;
}

/** Why a call has no permits, and since when it was under way. */
interface Missed {
  readonly found: NotAcquired;
  readonly joinedAt: number;
}

/** See {@link RPermitExpirableSemaphore}. It keeps nothing: all is in Redis, under the ids. */
export class ExpirableSemaphoreHandle extends CountedSemaphore implements RPermitExpirableSemaphore {
  readonly #host: NodeHost;
  readonly #operations: SemaphoreOperations;
  readonly #issuing: (wanted: number) => IssuingOperations;
  readonly #adopting: (wanted: PermitsWanted) => AdoptingOperations;
  /** Most that a call takes. */
  readonly #most: number;

  /** @throws TypeError or RangeError for a name or options that cannot be used. */
  constructor(host: LockHost, backend: Backend, name: string, options: SemaphoreOptions) {
    const { keys, parts, permits } = checkSemaphore('getPermitExpirableSemaphore', backend, name, options);
    const { granting } = backend;
    const initial = permits ?? 0;
    const own = { ...host, parts };
    const operations = new SemaphoreOperations(keys, granting, initial);
    super(own, operations);
    this.#host = own;
    this.#operations = operations;
    this.#most = Math.min(permits ?? MOST_PERMITS, MOST_IDS);
    this.#issuing = (wanted) => new IssuingOperations(keys, granting, initial, { permits: wanted, ends: 'watched' });
    this.#adopting = (wanted) => new AdoptingOperations(keys, granting, initial, wanted);
  }

  async acquire(leaseMs?: PermitLease, options?: PermitIdOptions): Promise<string> {
    const [id] = await this.acquireMany(1, leaseMs, options);
    return id as string;
  }

  async acquireMany(permits: number, leaseMs: PermitLease = 'never', options: PermitIdOptions = {}): Promise<string[]> {
    const call = this.#check('acquire', permits, leaseMs, options);
    const had = await this.#acquire('acquireMany', call);
    if (Array.isArray(had)) return had;
    throw new LockTimeoutError(
      this.name,
      this.#host.parts.clock.now() - had.joinedAt,
      had.found,
      this.#operations.primitive,
    );
  }

  async tryAcquire(waitMs?: number, leaseMs?: PermitLease, options?: TryPermitIdOptions): Promise<string | null> {
    const [id = null] = await this.tryAcquireMany(1, waitMs, leaseMs, options);
    return id;
  }

  async tryAcquireMany(
    permits: number,
    waitMs = 0,
    leaseMs: PermitLease = 'never',
    options: TryPermitIdOptions = {},
  ): Promise<string[]> {
    checkKeys('tryAcquire', options, tryCallKeys);
    const call = this.#check('tryAcquire', permits, leaseMs, { ...options, waitMs });
    const had = await this.#acquire('tryAcquireMany', call);
    return Array.isArray(had) ? had : [];
  }

  adopt(id: string | readonly string[], options: TryPermitOptions = {}): Promise<PermitHold> {
    return inFrame(this.#adopt('adopt', id, options));
  }

  async release(id: string | readonly string[], ...surplus: readonly unknown[]): Promise<void> {
    refuseSurplus(surplus, 'release', ONE_OR_LIST);
    if ((await this.#takeBack(checkIds(id))) === 0) throw this.#unknown(id);
  }

  tryRelease(id: string): Promise<boolean>;
  tryRelease(ids: readonly string[]): Promise<number>;
  async tryRelease(id: string | readonly string[], ...surplus: readonly unknown[]): Promise<boolean | number> {
    refuseSurplus(surplus, 'tryRelease', ONE_OR_LIST);
    const returned = await this.#takeBack(checkIds(id));
    return typeof id === 'string' ? returned > 0 : returned;
  }

  async updateLeaseTime(id: string, leaseMs: PermitLease): Promise<boolean> {
    checkIds([id]);
    this.#checkLease('updateLeaseTime', leaseMs);
    const isSet = await this.#ask(this.#operations.setLease(id, leaseMs, newRequest(this.#host.parts)));
    if (isSet) this.#setEnd([id], leaseMs);
    return isSet;
  }

  async getLeaseTime(id: string): Promise<PermitLease> {
    checkIds([id]);
    const { outcome } = await this.#ask(soleRenewal(this.#operations.lookAt(id)));
    if (outcome.kind === 'lost') throw this.#unknown(id);
    return outcome.remainingMs ?? 'never';
  }

  async acquiredPermits(): Promise<number> {
    return (await countPermits(this.#host, this.#operations)).used;
  }

  async getPermits(): Promise<number> {
    const { free, used } = await countPermits(this.#host, this.#operations);
    return free + used;
  }

  #check(method: string, permits: number, leaseMs: PermitLease, options: PermitIdOptions): IdCall {
    checkCount(`${method}: permits`, permits, this.#most);
    this.#checkLease(method, leaseMs);
    return { wanted: checkCall(method, permits, options, callKeys), leaseMs };
  }

  #checkLease(method: string, leaseMs: PermitLease): void {
    if (leaseMs !== 'never') checkTime(`${method}: leaseMs`, leaseMs, MIN_LEASE_MS);
    this.#host.parts.limits.checkLease(this.#operations, longestMs(leaseMs));
  }

  /** The ids, or what kept the call from having any. Whatever is refused at once is a rejection too. */
  async #acquire(method: 'acquireMany' | 'tryAcquireMany', { wanted, leaseMs }: IdCall): Promise<string[] | Missed> {
    const { parts, client } = this.#host;
    const operations = this.#issuing(wanted.permits);
    const scope = currentScope(client);
    const { outcome, joinedAt } = await shown(
      startCall(permitCaller(this.#host, operations), {
        style: styles[method],
        options: wanted.options,
        entry: this[method],
        completion: (had, since) => ({ outcome: had, joinedAt: since }),
      }),
    );
    if (typeof outcome === 'string') return { found: outcome, joinedAt };
    const ids = Array.from({ length: wanted.permits }, () => parts.tenureId(undefined));
    operations.issueOnRelease({ ids, leaseMs, tombstoneMs: barredForMs(parts.settings.responseTimeoutMs) });
    const issuing = outcome.release();
    const giveUp = () => void this.#returnUnknown(ids, leaseMs, issuing);
    const { waitMs, signal } = wanted.options;
    const until = joinedAt + (waitMs === undefined ? Infinity : firstLimitMs(waitMs, parts.settings));
    let found: NotAcquired | void;
    try {
      const call = { joinedAt, until, signal, scope };
      found = await shown(inTime(parts, operations, call, issuing));
    } catch (error) {
      giveUp();
      throw error;
    }
    if (found === undefined && operations.issued) {
      operations.issueOnRelease(undefined);
      this.#setEnd(ids, leaseMs);
      return ids;
    }
    giveUp();
    if (found !== undefined) return { found, joinedAt };
    throw new LockLostError(this.name, 'deleted', this.#operations.primitive);
  }

  /** Nobody will ever know these ids. They are given back for as long as their lease may last: then they have ended by themselves. */
  async #returnUnknown(ids: readonly string[], leaseMs: PermitLease, issuing: Promise<void>): Promise<void> {
    // What is still to be issued cannot be given back.
    await issuing.catch(() => undefined);
    await this.#giveBack(ids, longestMs(leaseMs));
  }

  async #adopt(method: 'adopt', id: string | readonly string[], options: TryPermitOptions): Promise<PermitHold> {
    const ids = checkIds(id);
    const wanted = checkCall(method, ids.length, options, adoptKeys);
    const operations = this.#adopting(wanted).adopts(ids);
    const { permits } = wanted;
    return startCall(permitCaller(this.#host, operations, wanted.ends), {
      style: styles[method],
      options: wanted.options,
      entry: this[method],
      completion: (record) => {
        if (typeof record === 'string') throw this.#unknown(id);
        const { permitEnds, forgotten } = this.#host.parts;
        permitEnds.forget(ids);
        const hold = new PermitHoldHandle(this.#host, operations, { record, permits }, (over) =>
          forgotten.unwatch(over),
        );
        forgotten.watch(hold, record, hold);
        return hold;
      },
    });
  }

  async #takeBack(ids: readonly string[]): Promise<number> {
    const { parts, registry } = this.#host;
    registry.admit(this.name);
    const answer = await this.#giveBack(ids, parts.settings.responseTimeoutMs);
    if (answer.kind === 'reply') return answer.reply.returned;
    return atCaller(failureError(this.#operations, answer));
  }

  async #giveBack(ids: readonly string[], withinMs: number) {
    const { parts } = this.#host;
    const operations = this.#operations;
    const command = operations.takeBack(ids, newRequest(parts));
    const until = parts.clock.now() + withinMs;
    const answer = await parts.sender.answer(operations.key, () => command, { until, inLastingTrouble: 'go on' });
    if (answer.kind !== 'reply') return answer;
    const { returned, left } = answer.reply;
    serveRest(parts, operations, left);
    if (returned > 0) {
      parts.permitEnds.forget(ids);
      // An id comes no second time either, and what stands for it is given back as that of a tenure.
      for (const id of ids) parts.recentReleases.note({ operations, id, seq: 0 }, answer.sentAt);
    }
    return answer;
  }

  /** The leases of these ids begin now. When they have ended, what has not come back by then is given back. */
  #setEnd(ids: readonly string[], leaseMs: PermitLease): void {
    const { parts } = this.#host;
    parts.permitEnds.set(ids, leaseMs, () => void serve(parts, this.#operations));
  }

  #ask<R>(command: Command<R>): Promise<R> {
    return ask(this.#host, this.#operations, command);
  }

  #unknown(id: string | readonly string[]): LockNotHeldError {
    return new LockNotHeldError(
      this.name,
      `${typeof id === 'string' ? 'this id' : 'one of these ids'}: it was given back, its lease has ended, or there never was one`,
      `A permit of semaphore "${this.name}"`,
    );
  }
}

const longestMs = (leaseMs: PermitLease): number => (leaseMs === 'never' ? MAX_TIME_MS : leaseMs);

/** @throws TypeError or RangeError for what cannot be ids of permits. */
function checkIds(given: string | readonly string[]): readonly string[] {
  const ids: readonly unknown[] = Array.isArray(given) ? given : [given];
  for (const id of ids) {
    if (typeof id !== 'string') throw new TypeError('id must be a string, or a list of strings');
    if (!/^[!-~]{1,200}$/.test(id) || !/[^:]:[^:]+$/.test(id))
      throw new RangeError('id must be one that acquire has resolved with');
  }
  const different = new Set(ids).size;
  if (different === 0 || different > MOST_IDS || different < ids.length)
    throw new RangeError(`ids must be 1 to ${MOST_IDS} different ones`);
  return ids as readonly string[];
}
