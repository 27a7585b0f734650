/**
 * Events of a client. A listener runs outside all scopes, a listener that throws disturbs no other, and an event without listener is never
 * an exception: not even `error`.
 */

import { EventEmitter } from 'node:events';
import type { DeadlockWait, LockLostError } from '../errors.js';
import { outside } from '../scopes/scope.js';
import { describeThrown } from './thrown.js';

/** What every event about a hold says. */
export interface LockHoldEvent {
  /** Of the lock. */
  name: string;
  /** The same in all that is told of one acquisition, on diagnostics channels too. */
  holdId: string;
}

/**
 * What the listeners of a client are told. Sites are stacks of the call that took the lock, or wants it. `withLock` has one only when there was
 * a listener of `leak`, `self-wait`, `deadlock` or `held-long` when it was called, or `deadlocks` is `refuse`: noting it costs a few microseconds.
 */
export interface LockClientEvents {
  /**
   * A hold ended before its release. Also a rejection or an aborted signal of the call that relied on it. With reason `scope-ended`, which no call is
   * left to be told of, `leak` follows and says which call took it.
   */
  lost: [event: LockHoldEvent & { error: LockLostError }];
  /** A hold's renewal is overdue or its connection is down; it is still ours until its deadline. */
  suspect: [event: { name: string }];
  /**
   * A lock that no code will unlock any more: its scope has ended (`how`: `scope-ended`; `lost` has been told before), or the `Hold`, or the handle of a `lock()` outside scopes, was
   * garbage-collected (`collected`). The latter is noticed only of locks that were taken while this event had a listener, or `holdfast:leak` or `holdfast:event` a subscriber, and long after the fact.
   */
  leak: [event: LockHoldEvent & { how: LeakHow; site: string | undefined }];
  /** A lock has been held for longer than `heldWarnMs`. Once for each hold, up to an eighth of `heldWarnMs` late. */
  'held-long': [event: LockHoldEvent & { heldMs: number; site: string | undefined }];
  /**
   * A call without `waitMs` has waited for over a second for a lock that its own client has held all the while, and not in a `withLock` that
   * the call is outside of.
   */
  'self-wait': [event: { name: string; site: string | undefined; holderSite: string | undefined }];
  /**
   * Calls of this client wait for each other's locks, and none has a `waitMs` after which it would give up: they wait for ever, or until a hold is lost by `maxHoldMs`. `waits` has one entry for
   * each, the call that closed the circle first: it was made at `site`, and waits for lock `name`, which was taken at `holderSite` by code that
   * waits in the next entry; the last waits for what the first holds. Work that a scope has started and does not await is taken for awaited.
   */
  deadlock: [event: { waits: readonly DeadlockWait[] }];
  /** A lock waited for in queue mode is owned by a client that knows no queue, such as Redisson. */
  'foreign-owner': [event: { name: string }];
  /**
   * A server we are connected to is set up so that it cannot keep locks. Found when a connection comes about; told once for each run of a
   * server, and never by servers that refuse INFO. `advice` is for people.
   */
  'unsafe-setting': [
    event: { setting: 'maxmemory-policy' | 'role' | 'cluster-enabled'; value: string; advice: string },
  ];
  /** Trouble in the background: a connection error, a message or reply that makes no sense. Never fatal. */
  error: [error: Error];
}

/** How it came that no code will unlock a lock. */
export type LeakHow = 'scope-ended' | 'collected';

/** A listener of event `E`. */
export type LockClientListener<E extends keyof LockClientEvents> = (...args: LockClientEvents[E]) => void;

/** Every event, before anything listens. */
const unheard: Readonly<Record<keyof LockClientEvents, boolean>> = {
  lost: false,
  suspect: false,
  leak: false,
  'held-long': false,
  'self-wait': false,
  deadlock: false,
  'foreign-owner': false,
  'unsafe-setting': false,
  error: false,
};

/** Of one event, before Node.js warns: one client serves a whole process. Who adds one for each request, and takes none off, is still told. */
const MANY_LISTENERS = 100;

/** See the module comment. */
export class Events {
  readonly #emitter = new EventEmitter().setMaxListeners(MANY_LISTENERS);
  readonly #heard: Record<keyof LockClientEvents, boolean> = { ...unheard };

  /** As the method of that name of an emitter. @throws RangeError, TypeError when there is no such event, or the listener is no function. */
  change<E extends keyof LockClientEvents>(
    how: 'on' | 'once' | 'off',
    event: E,
    listener: LockClientListener<E>,
  ): void {
    this.#emitter[how](checkEvent(event), listener as (...args: unknown[]) => void);
    this.#listen(event);
  }

  /** Which events have a listener. Each hold looks several times. */
  get heard(): Readonly<Record<keyof LockClientEvents, boolean>> {
    return this.#heard;
  }

  #listen(event: keyof LockClientEvents): void {
    this.#heard[event] = this.#emitter.listenerCount(event) > 0;
  }

  emit<E extends keyof LockClientEvents>(event: E, ...args: LockClientEvents[E]): void {
    const warn = (error: unknown) =>
      process.emitWarning(
        `A listener of the lock client's "${event}" event threw: ${describeThrown(error)}`,
        'HoldfastWarning',
      );
    // Raw: those that were added by `once` take themselves off.
    for (const listener of this.#emitter.rawListeners(event)) {
      try {
        const returned: unknown = outside(() => Reflect.apply(listener, undefined, args));
        // An async listener: no other code looks at its promise, and its rejection would end the process.
        if (returned !== undefined) Promise.resolve(returned).catch(warn);
      } catch (error) {
        warn(error);
      }
    }
    this.#listen(event);
  }
}

function checkEvent(event: string): string {
  if (!Object.hasOwn(unheard, event)) {
    throw new RangeError(`There is no event "${event}": the events are ${Object.keys(unheard).join(', ')}`);
  }
  return event;
}
