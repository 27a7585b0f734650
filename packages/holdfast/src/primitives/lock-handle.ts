import * as core from '@holdfast/core';
import {
  type AcquireOptions,
  type CheckedOptions,
  checkAcquire,
  type LockOptions,
  lockCallOptions,
  tryLockCallOptions,
} from '../acquire-options.js';
import { allHere, scopeHere } from '../scopes/call-context.js';
import { LockNotHeldError, LockScopeError, LockTimeoutError, LockUnavailableError } from '../errors.js';
import { type Hold, HoldHandle } from './hold.js';
import type { AcquireRequest, Completion, NotAcquired } from '../waiting/waiter.js';
import type { AcquireKind, HoldRecord } from '../exclusive/hold-record.js';
import type { ClientParts } from '../client-parts.js';
import { query } from '../tenure/query.js';
import { serveRest } from '../tenure/serving.js';
import type { Registry } from '../exclusive/registry.js';
import type { HoldTerms } from '../exclusive/hold-terms.js';
import { none, withLast, without } from '../lists.js';
import { checkKeys, MAX_TIME_MS } from '../options.js';
import { shown } from '../reports/caller.js';
import { CALLER_ONLY, CALLERS, type Entry, Site } from '../reports/site.js';
import type { RLock, TryResult } from './rlock.js';
import { currentScope, type ScopedHold } from '../scopes/scope.js';
import type { Leftovers } from '../scopes/scope-end.js';
import { checkSection, runSection, type Section } from './section.js';
import { rejection } from '../scopes/settling.js';

/** What a handle needs of its client. */
export interface LockHost {
  /** Identity for scopes. */
  readonly client: object;
  readonly parts: ClientParts;
  readonly registry: Registry;
  readonly leftovers: Leftovers;
  /** Those of a call that asks for none: one object for all of them. */
  readonly terms: HoldTerms;
}

/** How long after a call has given up a late copy of its command is still recognised. */
const LATE_COPY_MS = 60_000;

/** Losses that a handle remembers. Whoever never unlocks what was lost must not cost memory for ever. */
const MOST_LOSSES = 100;

/** How a method wants to be treated by scopes, and how long it waits when nothing is said. */
interface CallStyle {
  readonly kind: AcquireKind;
  readonly waitMs: number | undefined;
}

const callStyles = {
  lock: { kind: 'imperative', waitMs: undefined },
  tryLock: { kind: 'imperative', waitMs: 0 },
  acquire: { kind: 'object', waitMs: undefined },
  tryAcquire: { kind: 'object', waitMs: 0 },
  withLock: { kind: 'section', waitMs: undefined },
  tryWithLock: { kind: 'section', waitMs: 0 },
} as const satisfies Record<string, CallStyle>;

/** See {@link RLock}. Knows at most the levels it took outside scopes; everything else lives in the coordinator. */
export class LockHandle implements RLock {
  readonly name: string;
  readonly #host: LockHost;
  readonly #keys: core.LockKeys;
  readonly #owner: string | undefined;
  /** Taken by `lock` and `tryLock` through this handle outside scopes, oldest first. */
  #own: readonly HoldRecord[] = none;

  constructor(home: LockHost, keys: core.LockKeys, owner: string | undefined) {
    this.#host = home;
    this.#keys = keys;
    this.name = keys.name;
    this.#owner = owner;
  }

  lock(options?: number | LockOptions): Promise<void> {
    const given = typeof options === 'number' ? { leaseMs: options } : options;
    return this.#call(
      'lock',
      () => checkAcquire(given, 'lock', lockCallOptions),
      (outcome, joinedAt) => {
        if (typeof outcome === 'string')
          throw new LockUnavailableError(
            `Internal error: lock() on "${this.name}" ended without the lock and without a reason`,
            this.name,
          );
        this.#keep(outcome, joinedAt);
      },
    );
  }

  tryLock(waitMs?: number, leaseMs?: number, options?: { signal?: AbortSignal }): Promise<boolean> {
    const check = () => {
      if (options !== undefined) checkKeys('tryLock', options, tryLockCallOptions);
      return checkAcquire({ signal: options?.signal, waitMs, leaseMs }, 'tryLock');
    };
    return this.#call('tryLock', check, (outcome, joinedAt) => {
      if (typeof outcome === 'string') return false;
      this.#keep(outcome, joinedAt);
      return true;
    });
  }

  unlock(): Promise<void> {
    const record = this.#latest();
    if (record === undefined) return Promise.reject(new LockNotHeldError(this.name, this.#whoUnlocks()));
    return shown(record.release());
  }

  acquire(options?: AcquireOptions): Promise<Hold> {
    const check = () => checkAcquire(options, 'acquire');
    return this.#call('acquire', check, (outcome, joinedAt) => this.#handOver(this.#must(outcome, joinedAt)));
  }

  tryAcquire(options?: AcquireOptions): Promise<Hold | null> {
    const check = () => checkAcquire(options, 'tryAcquire');
    return this.#call('tryAcquire', check, (outcome) => (typeof outcome === 'string' ? null : this.#handOver(outcome)));
  }

  async withLock<T>(...args: [Section<T>] | [AcquireOptions, Section<T>]): Promise<T> {
    const [options, fn] = args.length === 1 ? [undefined, args[0]] : args;
    const check = () => checkSection('withLock', options, fn);
    const had = this.#call('withLock', check, (outcome, joinedAt) => this.#must(outcome, joinedAt));
    return this.#section(await shown(had), fn);
  }

  async tryWithLock<T>(options: AcquireOptions, fn: Section<T>): Promise<TryResult<T>> {
    const check = () => checkSection('tryWithLock', options, fn);
    const outcome = await shown(this.#call('tryWithLock', check, (had) => had));
    return typeof outcome === 'string' ? { ran: false } : { ran: true, value: await this.#section(outcome, fn) };
  }

  async isLocked(): Promise<boolean> {
    return (await this.#peek(this.#host.parts.tenureId(undefined))).locked;
  }

  async isHeldByCurrentScope(): Promise<boolean> {
    return (await this.getHoldCount()) > 0;
  }

  async getHoldCount(): Promise<number> {
    const record = this.#around();
    const tenure = record === undefined ? undefined : this.#host.registry.find(this.name)?.tenureIdOf(record);
    return tenure === undefined ? 0 : (await this.#peek(tenure)).holdCount;
  }

  async remainTimeToLive(): Promise<number> {
    const { locked, remainingMs } = await this.#peek(this.#host.parts.tenureId(undefined));
    return locked ? (remainingMs ?? -1) : -2;
  }

  async forceUnlock(): Promise<boolean> {
    const { parts, registry } = this.#host;
    const request = parts.tenureId(undefined);
    const { responseTimeoutMs, claimLeaseMs: claimMs } = parts.settings;
    const tombstoneMs = Math.min(responseTimeoutMs + LATE_COPY_MS, MAX_TIME_MS);
    const trust = parts.link.trustsReceivers;
    const { ownerBefore, left } = await this.#query(core.force(this.#keys, { request, tombstoneMs, claimMs, trust }));
    void serveRest(parts, this.#keys, left);
    if (ownerBefore !== undefined) registry.find(this.name)?.takenAway(ownerBefore, 'force-unlocked');
    return ownerBefore !== undefined;
  }

  // ---------------------------------------------------------------- acquiring

  #must(outcome: HoldRecord | NotAcquired, joinedAt: number): HoldRecord {
    if (typeof outcome !== 'string') return outcome;
    throw new LockTimeoutError(this.name, this.#host.parts.clock.now() - joinedAt, outcome);
  }

  /**
   * For `unlock` where no scope remembers the level. A fixed lease that ran out before the call is forgotten: it may have been meant to, and
   * then needs no `unlock`. One that was to be renewed was not: its `unlock` is still to come, and must not give back what another flow has.
   */
  #keep(record: HoldRecord, joinedAt: number): void {
    const { unreported, forgotten } = this.#host.parts;
    if (this.#owner !== undefined) unreported.forget(this.name, this.#owner);
    else if (record.home === undefined) {
      this.#own = withLast(keptAfter(this.#own, joinedAt), record);
      const [oldest] = this.#own;
      if (this.#own.length > MOST_LOSSES && oldest !== undefined) this.#disown(oldest);
      forgotten.watch(this, record);
    }
  }

  /** The only way to a level: everything above is a wrapper. Whatever is refused at once is a rejection too. */
  #call<T>(method: keyof typeof callStyles, check: () => CheckedOptions, completion: Completion<T>): Promise<T> {
    try {
      return this.#acquire(check(), callStyles[method], this[method], completion);
    } catch (error) {
      return rejection(error);
    }
  }

  #acquire<T>(options: CheckedOptions, style: CallStyle, from: Entry, completion: Completion<T>): Promise<T> {
    const { kind } = style;
    const { waitMs = style.waitMs, leaseMs, signal, maxHoldMs } = options;
    const { client, registry, parts } = this.#host;
    registry.admit(this.name, () => this.#around());
    signal?.throwIfAborted();
    const scope = this.#owner === undefined ? currentScope(client) : undefined;
    const request: AcquireRequest = {
      name: this.name,
      waitMs,
      signal,
      scope,
      owner: this.#owner,
      kind,
      site: this.#site(kind, from),
      context: parts.reporter.wantsContexts ? allHere() : scopeHere(),
      entry: from,
      terms: this.#terms(leaseMs, maxHoldMs),
      home: kind === 'imperative' && scope?.kind === 'thread' ? scope : undefined,
      homeOnReentry: kind === 'imperative' ? scope : undefined,
      completion,
    };
    if (kind === 'imperative') this.#refuseUnclear(request);
    parts.reporter.tried();
    parts.limits.checkLease(this.name, leaseMs);
    const outcome = registry.coordinator(this.#keys).acquire(request) as Promise<T>;
    // Those with a site need nothing more, and sections see to it themselves.
    return kind === 'section' || request.site !== undefined ? outcome : shown(outcome);
  }

  /**
   * Of whatever may come to keep a nested call out for ever: a warning then says where. Scopes show that of a section, and what else a site is
   * for has listeners.
   */
  #site(kind: AcquireKind, from: Entry): Site | undefined {
    if (this.#host.parts.reporter.wantsSites) return new Site(from, CALLERS);
    const seen = kind === 'section' && this.#owner === undefined;
    return seen ? undefined : new Site(from, CALLER_ONLY);
  }

  #refuseUnclear({ scope }: AcquireRequest): void {
    if (this.#owner !== undefined) return;
    const inThread = scope?.kind === 'thread';
    if (inThread) {
      for (const call of scope.pending) {
        if (call.imperative && call.name === this.name) {
          throw new LockScopeError(
            `Another lock() on "${this.name}" is still pending in this client.run, which acts as one thread; use withLock for branches`,
            this.name,
          );
        }
      }
    } else if (this.#host.parts.settings.strictScopes && this.#around() === undefined) {
      throw new LockScopeError(
        `lock() and tryLock() on "${this.name}" outside client.run are refused by strictScopes; use withLock or client.run`,
        this.name,
      );
    }
  }

  #terms(leaseMs: number | undefined, maxHoldMs: number | undefined): HoldTerms {
    const { settings } = this.#host.parts;
    if (leaseMs !== undefined) return { mode: 'fixed', leaseMs, maxHoldMs: undefined };
    if (maxHoldMs === undefined) return this.#host.terms;
    return { mode: 'watched', leaseMs: settings.watchdogTimeoutMs, maxHoldMs };
  }

  // ---------------------------------------------------------------- using

  /** To somebody who has to release it. */
  #handOver(record: HoldRecord): Hold {
    const hold = this.#hold(record);
    this.#host.parts.forgotten.watch(hold, record);
    return hold;
  }

  #hold(record: HoldRecord): Hold {
    return new HoldHandle(this.#host, record);
  }

  #section<T>(record: HoldRecord, fn: Section<T>): Promise<T> {
    return runSection(this.#host, { record, hold: this.#hold(record), owner: this.#owner }, fn);
  }

  // ---------------------------------------------------------------- finding

  /** What `unlock` undoes. */
  #latest(): ScopedHold | undefined {
    const owner = this.#owner;
    if (owner !== undefined) {
      const held = this.#host.registry
        .find(this.name)
        ?.holds.findLast((record) => record.imperative && record.given && record.owner === owner);
      return held ?? this.#host.parts.unreported.take(this.name, owner);
    }
    const scope = currentScope(this.#host.client);
    const mine = [...(scope?.holds ?? [])].findLast(
      (record) => record.imperative && record.given && record.name === this.name,
    );
    if (mine !== undefined || scope?.kind === 'thread') return mine;
    // Oldest first: a hold that was lost is told to the flow that took it, and never costs a later flow its hold.
    const [oldest] = this.#own;
    if (oldest === undefined) return undefined;
    this.#disown(oldest);
    return oldest;
  }

  #disown(record: HoldRecord): void {
    this.#own = without(this.#own, record);
    this.#host.parts.forgotten.unwatch(record);
  }

  /** The innermost open level that this scope (or handle, or owner) is inside of. */
  #around(): ScopedHold | undefined {
    const open = this.#host.registry.find(this.name)?.holds ?? [];
    if (this.#owner !== undefined) return open.findLast((record) => record.owner === this.#owner);
    for (let scope = currentScope(this.#host.client); scope !== undefined; scope = scope.parent) {
      const { holds } = scope;
      const around = open.findLast((record) => holds.has(record));
      if (around !== undefined) return around;
    }
    return open.findLast((record) => this.#own.includes(record));
  }

  #whoUnlocks(): string {
    if (this.#owner !== undefined) return 'this owner: unlock() undoes a lock() of the same client and owner only';
    return currentScope(this.#host.client)?.kind === 'thread'
      ? 'this client.run: unlock() undoes a lock() of the same client.run only'
      : 'this handle: outside client.run, unlock() undoes a lock() of the same handle only';
  }

  // ---------------------------------------------------------------- asking Redis

  #peek(tenure: string): Promise<core.PeekReply> {
    return this.#query(core.peek(this.#keys, { tenure }));
  }

  async #query<R>(command: core.Command<R>): Promise<R> {
    this.#host.registry.admit(this.name, () => this.#around());
    return query(this.#host.parts, this.#keys, command);
  }
}

/** Without the fixed leases that were lost by then. */
function keptAfter(holds: readonly HoldRecord[], time: number): readonly HoldRecord[] {
  if (holds.length === 0) return holds;
  return holds.filter((record) => record.terms.mode === 'watched' || !record.lostBy(time));
}
