import { inspect } from 'node:util';
import { LockNotHeldError } from '../errors.js';
import { atFirst } from '../lock-error.js';
import type { Forgotten } from '../reports/forgotten.js';
import { checkFunction, checkTime, MIN_LEASE_MS } from '../options.js';
import { shown } from '../reports/caller.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Leftovers } from '../scopes/scope-end.js';

/** `held`: ours. `suspect`: ours until its deadline, but a renewal is overdue. `lost`: over, see the signal's reason. `released`: done. */
export type HoldState = 'held' | 'suspect' | 'lost' | 'released';

/**
 * One acquisition of a lock. It belongs to no scope: any code that has the object may release it, and {@link Hold.run} makes calls re-enter it.
 *
 * With TypeScript 5.2 or newer, `await using hold = await lock.acquire()` releases it at the end of the block, and throws when it was lost.
 */
export interface Hold extends AsyncDisposable {
  /** Name of the lock. */
  readonly name: string;
  /**
   * Aborts with a {@link LockLostError} when the hold is lost: before another owner can have the lock, apart from a deleted or forced lock
   * (then as soon as the message arrives, at the latest at the next renewal). It does not abort on release. Each look at it (`aborted`, `reason`,
   * `throwIfAborted()`) is one at the local deadline too, wherever it was handed on to.
   */
  readonly signal: AbortSignal;
  /**
   * Set when the lock came to this hold without having been given back: repair what it protects before you go on. See {@link Inherited}.
   *
   * Told to the hold that gets the lock first after that, and to holds inside it, if its call had been waiting when the lease of the last holder
   * ran out, or when the lock was forced. The hold after that one is told nothing, for the lock was given back in between, unless its own process had
   * lost the lock while it waited.
   *
   * Not promised: that it is set whenever a holder has died. Who comes later finds a free lock, and a failover or a flush may lose the queue. And
   * it may be set although nothing is half done: after a lease that somebody else was granted and never used, a key that was deleted, or a lock that
   * its own call was granted and heard of too late.
   */
  readonly inherited?: Inherited | undefined;
  /** Checked against the local deadline at every read, so it is true even on the first line after a stalled event loop. */
  readonly state: HoldState;
  /** Milliseconds for which this process may still believe that it holds the lock; 0 when lost or released. */
  remainingMs(): number;
  /**
   * Call it before a step that must not run twice.
   *
   * Not promised: that the lock is still held when the step takes effect elsewhere. Only the resource itself can check that.
   *
   * @throws LockLostError when the hold was lost, LockNotHeldError when it was released.
   */
  assertHeld(): void;
  /**
   * Runs `fn` in a scope in which calls on this lock re-enter this hold. Returns what `fn` returns; for a thenable, which is asked for its result
   * inside, a promise of that.
   *
   * @throws LockLostError when the hold was lost, LockNotHeldError when it was released: at once, also where `fn` is async, and `fn` is not run. TypeError when `fn` is no
   * function.
   */
  run<T>(fn: () => PromiseLike<T>): Promise<T>;
  /** The same for what is no thenable: returns it at once. */
  run<T>(fn: () => T): T;
  /**
   * Raises the lease to at least `ms` milliseconds from now, and resolves when Redis has done it. It never shortens a lease, and a lock has one:
   * whatever hold of it is extended, those around it and inside it have it too, and keep it when this one is released, past their own `maxHoldMs` too.
   *
   * A hold with a fixed lease ends then, if it would have ended before. One that is renewed by itself is renewed on as before; the lease that it has now lasts for that
   * long even if no renewal succeeds, as through a pause of the process.
   *
   * Not promised: that it is not carried out after it has rejected with LockUnavailableError.
   *
   * @throws LockLostError when the hold was lost, LockNotHeldError when it was released; before anything is sent, TypeError when `ms` is no number, RangeError when it is no length of
   * a lease (at least 100), or beyond the end that its own `maxHoldMs` sets, and LockLimitError when it is above `limits.leaseMs` of the client, or by majority its `longestLeaseMs`; LockUnavailableError, LockRefusedError when Redis did not do it.
   */
  extend(ms: number): Promise<void>;
  /**
   * Gives the hold back. A second call does nothing.
   *
   * @throws LockLostError once, when the hold had been lost; LockUnavailableError when Redis did not answer within `responseTimeoutMs`,
   * or not before the lease was over (the release goes on in the background); LockRefusedError when it refuses (the lock stays until its lease is over). Either way the lease is not renewed any more.
   */
  release(): Promise<void>;
}

/** What a hold needs of its client. */
export interface HoldHost {
  /** Identity for scopes. */
  readonly client: object;
  readonly leftovers: Leftovers;
  readonly parts: { readonly forgotten: Forgotten };
}

/** What a {@link Hold} is of: the record of one lock, or the bundle of several. */
export interface Held extends Pick<Hold, 'name' | 'signal' | 'inherited' | 'state' | 'remainingMs' | 'release'> {
  /** As events and channels have it. */
  readonly id: string;
  /** What messages call it, unless a lock. */
  readonly primitive?: string;
  /** Of what is lost. */
  lossError(): Error;
  /** Runs `fn` where calls re-enter it. */
  inside(fn: () => unknown, host: HoldHost): unknown;
  extend(ms: number): Promise<unknown>;
}

/** Answers with what `console.log` shows, which sees nothing that is private. */
export const LOGGED: typeof inspect.custom = inspect.custom;

/** See {@link Hold}. */
export class HoldHandle implements Hold {
  readonly #host: HoldHost;
  readonly #held: Held;

  constructor(home: HoldHost, held: Held) {
    this.#host = home;
    this.#held = held;
  }

  get name(): string {
    return this.#held.name;
  }

  get signal(): AbortSignal {
    return this.#held.signal;
  }

  get inherited(): Inherited | undefined {
    return this.#held.inherited;
  }

  get state(): HoldState {
    return this.#held.state;
  }

  remainingMs(): number {
    return this.#held.remainingMs();
  }

  assertHeld(): void {
    const { state, primitive = 'lock' } = this.#held;
    if (state === 'lost') throw this.#held.lossError();
    if (state === 'released')
      throw new LockNotHeldError(this.name, 'this hold: it has been released', atFirst(primitive, this.name));
  }

  run<T>(fn: () => PromiseLike<T>): Promise<T>;
  run<T>(fn: () => T): T;
  run(fn: () => unknown): unknown {
    checkFunction('hold.run', fn);
    this.assertHeld();
    return this.#held.inside(fn, this.#host);
  }

  async extend(ms: number): Promise<void> {
    checkTime('extend: ms', ms, MIN_LEASE_MS);
    this.assertHeld();
    await shown(this.#held.extend(ms));
  }

  release(): Promise<void> {
    this.#host.parts.forgotten.unwatch(this);
    return shown(this.#held.release());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  [LOGGED](): object {
    const { name, id, state } = this.#held;
    return { name, id, state, remainingMs: this.remainingMs() };
  }
}
