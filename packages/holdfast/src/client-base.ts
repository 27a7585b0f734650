import type { Schedule } from '@holdfast/watchdog';
import { checkClose } from './client-calls.js';
import type { LockParts } from './client-parts.js';
import { LockLostError } from './errors.js';
import { Registry } from './exclusive/registry.js';
import type { CloseOptions } from './lock-client.js';
import { checkFunction } from './options.js';
import type { LockHost } from './primitives/acquisition.js';
import type { Questions } from './primitives/questions.js';
import type { LockClientEvents, LockClientListener } from './reports/events.js';
import type { LockClientStats } from './reports/stats.js';
import { openScope, outside } from './scopes/scope.js';
import { runScope } from './scopes/scope-end.js';
import { settling } from './scopes/settling.js';

/** What the handles of a client have in common. */
export function hostOf<P extends LockParts>(parts: P, questions: Questions): LockHost & { readonly parts: P } {
  const { releaseOnScopeEnd, watchdogTimeoutMs, maxHoldMs } = parts.settings;
  return {
    client: {},
    parts,
    registry: new Registry(parts),
    questions,
    leftovers: releaseOnScopeEnd ? (error) => tellUnlessLost(parts.reporter, error) : 'abandon',
    terms: { mode: 'watched', leaseMs: watchdogTimeoutMs, maxHoldMs },
  };
}

/** A loss is an event already. */
function tellUnlessLost(reporter: LockParts['reporter'], error: unknown): void {
  if (!(error instanceof LockLostError)) reporter.error(error);
}

/** What there is to end besides its locks. */
export interface ClientEnd {
  /** Calls that wait for a server wait no more. */
  refuseWaiting(): void;
  /** Locks are given back. */
  disconnect(): Promise<void>;
  /** What does not keep the process alive. */
  readonly background: Schedule;
}

/** What every kind of client has, whatever its locks are made of: scopes, events, counters, and an end. */
export class ClientBase {
  readonly clientId: string;
  readonly #host: LockHost;
  readonly #end: ClientEnd;
  #closing: Promise<void> | undefined;

  constructor(host: LockHost, end: ClientEnd) {
    this.clientId = host.parts.reporter.clientId;
    this.#host = host;
    this.#end = end;
  }

  run<T>(fn: () => PromiseLike<T>): Promise<T>;
  run<T>(fn: () => T): T;
  run(fn: () => unknown): unknown {
    checkFunction('client.run', fn);
    return runScope(openScope('thread', this.#host.client), fn, this.#host.leftovers);
  }

  exit<T>(fn: () => PromiseLike<T>): Promise<T>;
  exit<T>(fn: () => T): T;
  exit(fn: () => unknown): unknown {
    checkFunction('client.exit', fn);
    return outside(() => settling(fn()));
  }

  stats(): LockClientStats {
    const { reporter, limits } = this.#host.parts;
    return reporter.stats.snapshot(limits.waiting);
  }

  on<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this {
    return this.#listen('on', event, listener);
  }

  once<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this {
    return this.#listen('once', event, listener);
  }

  off<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this {
    return this.#listen('off', event, listener);
  }

  async close(options: CloseOptions = {}): Promise<void> {
    const drainMs = checkClose(options);
    // By a listener that the first call tells of a loss: the promise of that call is there when all are told.
    if (this.#host.registry.closing) await Promise.resolve();
    await (this.#closing ??= this.#close(drainMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #listen<E extends keyof LockClientEvents>(
    how: 'on' | 'once' | 'off',
    event: E,
    listener: LockClientListener<E>,
  ): this {
    this.#host.parts.reporter.events.change(how, event, listener);
    return this;
  }

  async #close(drainMs: number): Promise<void> {
    this.#end.refuseWaiting();
    await this.#host.registry.close(drainMs);
    await this.#end.disconnect();
    this.#host.parts.waits.clear();
    this.#end.background.clear();
  }
}
