/** The one way to a hold: from a checked call of any method to the request that the lock's coordinator gets. */

import type { CheckedOptions } from '../acquire-options.js';
import type { ClientParts, LockParts } from '../client-parts.js';
import { LockScopeError } from '../errors.js';
import type { AcquireKind } from '../exclusive/hold-origin.js';
import type { Coordination } from '../exclusive/coordinating.js';
import type { Registry } from '../exclusive/registry.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { none } from '../lists.js';
import { shown } from '../reports/caller.js';
import { CALLER_ONLY, CALLERS, type Entry, Site } from '../reports/site.js';
import { isTraced, type LockAcquireTrace, traced, traces } from '../reports/tracing.js';
import { allHere } from '../scopes/call-context.js';
import { endedScope, innermostScope, liveOf, Scope, type ScopedHold } from '../scopes/scope.js';
import type { Leftovers } from '../scopes/scope-end.js';
import type { HoldTerms } from '../tenure/hold-terms.js';
import { isSameLock, isSameSide, type Operations } from '../tenure/operations.js';
import type { AcquireRequest, Completion } from '../waiting/waiter.js';
import type { Questions } from './questions.js';

/** What a handle needs of its client. */
export interface LockHost {
  /** Identity for scopes. */
  readonly client: object;
  readonly parts: LockParts;
  readonly registry: Registry;
  readonly questions: Questions;
  readonly leftovers: Leftovers;
  /** Those of a call that asks for none: one object for all of them. */
  readonly terms: HoldTerms;
  /** After how many attempts its calls give up; absent: no limit. */
  readonly maxAttempts?: number | undefined;
  /** Clock time since which the user waits, where its calls are a part of what was called; absent: since they were made. */
  readonly waitingSince?: number;
  /** Where its calls are a part of what was called: that method, while it is on the stack, or where it was called. */
  readonly entry?: Entry;
  readonly site?: Site | undefined;
}

/** The same of a client on one Redis. */
export interface NodeHost extends LockHost {
  readonly parts: ClientParts;
}

/** How a method wants to be treated by scopes, and how long it waits when nothing is said. */
export interface CallStyle {
  readonly kind: AcquireKind;
  readonly waitMs: number | undefined;
}

/** Those of all methods, by the names that they have on a lock. */
export const callStyles = {
  lock: { kind: 'imperative', waitMs: undefined },
  tryLock: { kind: 'imperative', waitMs: 0 },
  acquire: { kind: 'object', waitMs: undefined },
  tryAcquire: { kind: 'object', waitMs: 0 },
  withLock: { kind: 'section', waitMs: undefined },
  tryWithLock: { kind: 'section', waitMs: 0 },
} as const satisfies Record<string, CallStyle>;

/** For which lock, and on whose behalf, calls are made. */
export interface Caller {
  readonly host: LockHost;
  readonly operations: Operations;
  readonly policy: Coordination;
  /** The explicit owner, if there is one. */
  readonly owner: string | undefined;
  /** The innermost open hold that a call is inside of. */
  around(): ScopedHold | undefined;
}

/** One call for a lock. */
export interface LockCall<T> extends Pick<AcquireRequest, 'entry' | 'membersHeld' | 'ahead' | 'by'> {
  readonly style: CallStyle;
  readonly options: CheckedOptions;
  /** Where it was called from, if that was noted before this. */
  readonly site?: Site | undefined;
  readonly completion: Completion<T>;
}

/**
 * Asks the coordinator of the lock.
 *
 * @throws LockClientClosedError, LockScopeError, LockLimitError, the reason of an aborted signal: whatever is known before anything is sent.
 */
export function startCall<T>(caller: Caller, call: LockCall<T>): Promise<T> {
  const { host, operations, owner } = caller;
  const { style, options, completion } = call;
  const { entry = call.entry } = host;
  const { client, registry, parts } = host;
  const { kind } = style;
  const { waitMs = style.waitMs, signal } = options;
  const { name, primitive, side } = operations;
  if (options.minHoldMs !== undefined && operations.rest === undefined)
    throw new TypeError(`minHoldMs is not for this kind of lock, of which "${name}" is one`);
  registry.admit(name, () => caller.around());
  signal?.throwIfAborted();
  const innermost = innermostScope();
  const scope = owner === undefined ? liveOf(client, innermost) : undefined;
  const request: AcquireRequest = {
    name,
    primitive,
    side,
    waitMs,
    maxAttempts: host.maxAttempts,
    signal,
    scope,
    membersHeld: call.membersHeld,
    ahead: call.ahead,
    owner,
    kind,
    site: call.site ?? host.site ?? siteOf(host, owner, { style, entry }),
    context: parts.reporter.wantsContexts ? allHere() : Scope.nearestLive(innermost),
    entry,
    terms: termsOf(host, options),
    by: call.by,
    completion,
  };
  if (kind === 'imperative' && owner === undefined) {
    refuseUnclear(caller, request);
    forgetRunOut(caller, endedScope(client, innermost));
  }
  parts.reporter.tried();
  const outcome = isTraced(traces.acquire) ? askTraced(caller, call, request) : ask(caller, call, request);
  // Errors show the caller: by the site that a call has, by who awaits it, or as sections and multi-locks themselves see to it.
  const seen = request.site !== undefined || kind === 'section' || call.membersHeld !== undefined;
  return seen ? outcome : shown(outcome);
}

function ask<T>(caller: Caller, { options }: LockCall<T>, request: AcquireRequest): Promise<T> {
  const { parts, registry } = caller.host;
  parts.limits.checkLease(request, longestOf(options));
  return registry.coordinator(caller, parts, request).acquire(request) as Promise<T>;
}

/** And notes on the trace what comes of it. */
function askTraced<T>(caller: Caller, call: LockCall<T>, request: AcquireRequest): Promise<T> {
  const { name, waitMs, by, completion } = request;
  const trace: LockAcquireTrace = { clientId: caller.host.parts.reporter.clientId, name, waitMs };
  const noted: Completion<unknown> = (outcome, joinedAt) => {
    if (typeof outcome === 'string') trace.outcome = 'busy';
    else {
      const { id: holdId, how, inherited } = outcome;
      Object.assign(trace, { outcome: 'acquired', holdId, how, inherited } satisfies Partial<LockAcquireTrace>);
    }
    return completion(outcome, joinedAt, by as never);
  };
  return traced(traces.acquire, trace, () => ask(caller, call, { ...request, completion: noted }));
}

/** In how many calls of a client that waits for itself is found with both places in the code. Those of tests, and of the first requests. */
const EARLY_CALLS = 1_000;

/**
 * Of a call that may come to keep a nested call out for ever: a warning then says where. A section needs none, since scopes show it; nor does any
 * other call of a client that has made many, as a site is the dearest thing in a call. What else a site is for has listeners.
 */
export function siteOf(
  { parts }: Pick<LockHost, 'parts'>,
  owner: string | undefined,
  { style, entry }: Pick<LockCall<unknown>, 'style' | 'entry'>,
): Site | undefined {
  const { reporter, settings } = parts;
  if (reporter.wantsSites || settings.deadlocks === 'refuse') return new Site(entry, CALLERS);
  const seen = style.kind === 'section' && owner === undefined;
  return seen || reporter.stats.acquisitions.tried >= EARLY_CALLS ? undefined : new Site(entry, CALLER_ONLY);
}

function refuseUnclear(caller: Caller, request: AcquireRequest): void {
  const { scope, name } = request;
  if (scope?.kind === 'thread') {
    for (const pending of scope.pending) {
      if (pending.imperative && isSameLock(pending, request)) {
        throw new LockScopeError(
          `Another lock() on "${name}" is still pending in this client.run, which acts as one thread; use withLock for branches`,
          name,
        );
      }
    }
  } else if (caller.host.parts.settings.strictScopes && caller.around() === undefined) {
    throw new LockScopeError(
      `lock() and tryLock() on "${name}" outside client.run, or behind its end, are refused by strictScopes; use withLock`,
      name,
    );
  }
}

/** Fixed leases that an ended scope had left open, once its code asks anew: as outside scopes, they may have been meant to run out, and then need no `unlock`. */
function forgetRunOut({ host: { registry }, operations }: Caller, ended: Scope | undefined): void {
  for (const hold of (ended?.holds ?? none) as Iterable<HoldRecord>) {
    const isOver = registry.find(operations)?.lockOf(hold) === undefined;
    if (isOver && hold.terms.mode === 'fixed' && isSameSide(hold, operations)) ended?.disown(hold);
  }
}

/** The lease that these options ask for by name: where both are given, a minimum is no longer than the lease. */
export const longestOf = ({ leaseMs, minHoldMs }: CheckedOptions): number | undefined => leaseMs ?? minHoldMs;

/** The lease that a call with these options asks for. */
export function termsOf(
  { terms, parts }: LockHost,
  { leaseMs, maxHoldMs, minHoldMs, gathers }: CheckedOptions,
): HoldTerms {
  const more = minHoldMs === undefined ? undefined : { minHoldMs };
  if (leaseMs !== undefined) {
    if (!gathers) return { mode: 'fixed', leaseMs, maxHoldMs: undefined, ...more };
    // After a crash others need not wait for a whole watchdog's lease. No less than a call may wait for an answer: else a short outage would end this one.
    const renewedMs = Math.min(terms.leaseMs, Math.max(leaseMs, parts.settings.responseTimeoutMs));
    return { ...terms, leaseMs: renewedMs, maxHoldMs: undefined, ...more };
  }
  if (maxHoldMs !== undefined) return { ...terms, maxHoldMs, ...more };
  return more === undefined ? terms : { ...terms, ...more };
}
