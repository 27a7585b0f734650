/**
 * Scopes: on whose behalf a call is made.
 *
 * JavaScript has no threads, so the owner of a lock is a scope carried by AsyncLocalStorage. A scope is a node in a tree:
 * `withLock(fn)`, `hold.run(fn)` and `client.run(fn)` hang a new node below the one they were called in, and everything that fn
 * awaits sees that node. Siblings are no ancestors of each other, which is what keeps the branches of a `Promise.all` apart.
 *
 * A node belongs to one client and ends once: when fn has settled. Ended nodes stay visible to detached work that was started
 * inside (the storage cannot take them back), so every reader skips them. Each walk up the tree links past the ended nodes it
 * meets, and a new node does so for its parent: in a sequence of sections of which each starts the next and ends, every node keeps a few
 * others alive and not all that were before it.
 *
 * `enterWith` is never used: it would leak the node into sibling branches.
 *
 * One storage serves all copies of this module in the process (ESM and CommonJS, or two versions), else a call through one copy
 * would not see the scopes of the other. So what is read of a scope that may be another copy's is public (`client`, `ended`, `outer`, `above`);
 * when that changes, so does the version of the storage.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** What a scope knows of a hold (one acquisition) that belongs to it. */
export interface ScopedHold {
  /** Name of the lock. */
  readonly name: string;
  /** Which primitive of that name, and which side of it. */
  readonly primitive: string;
  readonly side?: 'read' | 'write' | undefined;
  /** Taken by `lock` or `tryLock`, to be undone by `unlock`. Not while the call waits for other locks that it is to have together with this one. */
  readonly imperative: boolean;
  /** False while it is entering: it still belongs to the pending call, and no `unlock` may undo it. */
  readonly given: boolean;
  readonly lost: boolean;
  /** Aborts when it is lost. */
  readonly signal: AbortSignal;
  /** Calls inside the scope re-enter it from now on, or no longer. Nothing happens when it is told so twice. */
  belongsTo(scope: Scope): void;
  leaves(scope: Scope): void;
  /** What to tell a call made inside a lost hold. */
  lossError(): Error;
  /** Gives it back; rejects with LockLostError when it was lost. */
  release(): Promise<void>;
  /** The scope ended: only code that goes on in it can call `unlock` for it. */
  abandon(): void;
}

/** What a scope knows of an acquisition that has not settled. */
export interface ScopedCall {
  readonly name: string;
  readonly primitive: string;
  readonly imperative: boolean;
  /** The scope ended: settle the call, it must not acquire any more. */
  cancel(): void;
}

/** `thread`: `client.run`, imperative calls inside count up and down. `section`: `withLock` or `hold.run`. */
export type ScopeKind = 'thread' | 'section';

/** One node of the scope tree. */
export class Scope {
  readonly kind: ScopeKind;
  /** Identity of the client this scope belongs to. */
  readonly client: object;
  /** The scope it was opened in, or where that has ended one further up. Not private: any copy of this module links past the ended ones. */
  outer: Scope | undefined;
  #ended = false;
  /** The holds that belong to this scope: calls inside re-enter them. Made on first use. */
  #holds: Set<ScopedHold> | undefined;
  /** Acquisitions made directly in this scope that have not settled. Made on first use. */
  #pending: Set<ScopedCall> | undefined;

  constructor(kind: ScopeKind, client: object, parent: Scope | undefined) {
    this.kind = kind;
    this.client = client;
    this.outer = parent;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get holds(): ReadonlySet<ScopedHold> {
    return this.#holds ?? none;
  }

  get pending(): ReadonlySet<ScopedCall> {
    return this.#pending ?? none;
  }

  own(hold: ScopedHold): void {
    (this.#holds ??= new Set()).add(hold);
    hold.belongsTo(this);
  }

  disown(hold: ScopedHold): void {
    this.#holds?.delete(hold);
    hold.leaves(this);
  }

  awaiting(call: ScopedCall): void {
    (this.#pending ??= new Set()).add(call);
  }

  settled(call: ScopedCall): void {
    this.#pending?.delete(call);
  }

  /** The nearest live scope of the same client above this one. */
  get parent(): Scope | undefined {
    return liveOf(this.client, this.above);
  }

  /** The nearest live scope above this one, of whatever client. */
  get above(): Scope | undefined {
    this.outer = Scope.nearestLive(this.outer);
    return this.outer;
  }

  /** From now on no call re-enters through this scope. */
  end(): void {
    this.#ended = true;
    for (const hold of this.holds) hold.leaves(this);
  }

  /** It has ended, and what was left open is dealt with. Work that goes on inside keeps the scope, and of what it held only what it may still unlock. */
  forget(leftOpen: readonly ScopedHold[]): void {
    this.#holds = leftOpen.length === 0 ? undefined : new Set(leftOpen);
    this.#pending = undefined;
  }

  /** `from`, or where that has ended, the nearest live scope above it. Those on the way link to it from now on. */
  static nearestLive(from: Scope | undefined): Scope | undefined {
    let live = from;
    while (live?.ended) live = live.outer;
    for (let scope = from; scope !== undefined && scope !== live; ) {
      const next: Scope | undefined = scope.outer;
      scope.outer = live;
      scope = next;
    }
    return live;
  }
}

const none: ReadonlySet<never> = new Set();

/** The nearest live scope of `client`: `from`, or one around that. */
export function liveOf(client: object, from: Scope | undefined): Scope | undefined {
  let scope = Scope.nearestLive(from);
  while (scope !== undefined && scope.client !== client) scope = scope.above;
  return scope;
}

const slot = Symbol.for('holdfast.scopes.v2');
const shared = globalThis as { [slot]?: AsyncLocalStorage<Scope | undefined> };
shared[slot] ??= new AsyncLocalStorage<Scope | undefined>();
const storage = shared[slot];

/** The scope whose code the caller is, also where that has ended, of whatever client. To ask for it is dear: a call for a lock does so once. */
export function innermostScope(): Scope | undefined {
  return storage.getStore();
}

/** The innermost live scope of `client` around the caller. */
export function currentScope(client: object): Scope | undefined {
  return liveOf(client, innermostScope());
}

/** The innermost scope, if it is one of `client` that has ended. */
export function endedScope(client: object, scope: Scope | undefined): Scope | undefined {
  return scope?.client === client && scope.ended ? scope : undefined;
}

/** A new scope below the caller's. */
export function openScope(kind: ScopeKind, client: object): Scope {
  const parent = enclosingScope();
  // No call may ever be made from there again: it is the next to end.
  void parent?.above;
  return new Scope(kind, client, parent);
}

/** The innermost live scope around the caller, of whatever client. */
export function enclosingScope(): Scope | undefined {
  return Scope.nearestLive(innermostScope());
}

/** The live scopes of a client that are around a place, the innermost first: `from`, unless that has ended, and those around it. */
export function scopesAround(from: Scope | undefined): readonly Scope[] {
  const scopes: Scope[] = [];
  for (let scope = from?.ended ? from.parent : from; scope !== undefined; scope = scope.parent) scopes.push(scope);
  return scopes;
}

/** What is held in these scopes, those of the innermost first. */
export function heldAround(from: Scope | undefined): readonly ScopedHold[] {
  return scopesAround(from).flatMap(({ holds }) => [...holds]);
}

/** Whether the caller is inside `scope`. */
export function isInside(scope: Scope): boolean {
  return scopesAround(currentScope(scope.client)).includes(scope);
}

/** Runs `fn` inside `scope`; outside all of them when there is none. */
export function within<T>(scope: Scope | undefined, fn: () => T): T {
  return storage.run(scope, fn);
}

/** The context in which this module was loaded: of no request, where an application imports it at its start. */
const atLoad = AsyncLocalStorage.snapshot();

/**
 * Runs `fn` outside all scopes and in the context of no call: what lives as long as its client is made in here. A socket keeps the context that it was
 * made in, and with it all that a request has put there.
 */
export function apart<T>(fn: () => T): T {
  return atLoad(() => outside(fn));
}

/** Runs `fn` outside all scopes, and else in the context of its caller: for code of users. */
export function outside<T>(fn: () => T): T {
  return storage.getStore() === undefined ? fn() : storage.run(undefined, fn);
}
