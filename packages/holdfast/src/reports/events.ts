/**
 * Events of a client. A listener runs outside all scopes, a listener that throws disturbs nobody, and an event without listener is never
 * an exception: not even `error`.
 */

import { EventEmitter } from 'node:events';
import type { LockLostError } from '../errors.js';
import { outside } from '../scope.js';

/**
 * What the listeners of a client are told. Sites are stacks of the acquiring call. They are absent for `withLock`, and for locks taken before anybody
 * listened to `leak` or `self-wait`: noting one costs a few microseconds, and keeping it some 400 bytes.
 */
export interface LockClientEvents {
  /** A hold ended before its release. Also a rejection or an aborted signal of the call that relied on it. */
  lost: [event: { name: string; error: LockLostError }];
  /** A hold's renewal is overdue or its connection is down; it is still ours until its deadline. */
  suspect: [event: { name: string }];
  /** A scope ended with a lock taken by `lock()` or `tryLock()` still held. */
  leak: [event: { name: string; site: string | undefined }];
  /** A call has waited for over a second for a lock that its own client has held all the while. */
  'self-wait': [event: { name: string; site: string | undefined; holderSite: string | undefined }];
  /** A lock waited for in queue mode is owned by a client that knows no queue, such as Redisson. */
  'foreign-owner': [event: { name: string }];
  /**
   * A server we are connected to is set up so that it cannot keep locks. Found when a connection comes about; told once for each run of a
   * server, and never by servers that refuse INFO. `advice` is for people.
   */
  'unsafe-setting': [event: { setting: 'maxmemory-policy' | 'role'; value: string; advice: string }];
  /** Trouble in the background: a connection error, a message or reply that makes no sense. Never fatal. */
  error: [error: unknown];
}

/** A listener of event `E`. */
export type LockClientListener<E extends keyof LockClientEvents> = (...args: LockClientEvents[E]) => void;

/** See the module comment. */
export class Events {
  readonly #emitter = new EventEmitter({ captureRejections: false });

  on<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): void {
    this.#emitter.on(event, listener as (...args: unknown[]) => void);
  }

  off<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): void {
    this.#emitter.off(event, listener as (...args: unknown[]) => void);
  }

  hears(event: keyof LockClientEvents): boolean {
    return this.#emitter.listenerCount(event) > 0;
  }

  emit<E extends keyof LockClientEvents>(event: E, ...args: LockClientEvents[E]): void {
    const warn = (error: unknown) =>
      process.emitWarning(
        `A listener of the lock client's "${event}" event threw: ${String(error)}`,
        'HoldfastWarning',
      );
    for (const listener of this.#emitter.listeners(event)) {
      try {
        const returned: unknown = outside(() => Reflect.apply(listener, undefined, args));
        // An async listener: nobody else looks at its promise, and its rejection would end the process.
        if (returned !== undefined) Promise.resolve(returned).catch(warn);
      } catch (error) {
        warn(error);
      }
    }
  }
}
