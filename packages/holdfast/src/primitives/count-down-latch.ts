import type { Command } from '@holdfast/core';
import { checkSignal } from '../acquire-options.js';
import type { Backend } from '../backend.js';
import type { Latches } from '../latch/latches.js';
import { checkCount, checkId, checkKeys, checkTime } from '../options.js';
import { shown } from '../reports/caller.js';
import { currentScope, heldAround } from '../scopes/scope.js';
import { newRequest } from '../tenure/late-copies.js';
import { query } from '../tenure/query.js';
import type { LockHost } from './acquisition.js';
import { LatchOperations, type LatchRequest } from './latch-operations.js';

/** Options of {@link RCountDownLatch.countDown}. */
export interface CountDownOptions {
  /**
   * Who counts: it is counted once in a round, however often it says so, also after a restart. At most 256 characters, no white space. Default: every call
   * counts.
   */
  by?: string | undefined;
}

/** Options of {@link RCountDownLatch.await}. */
export interface AwaitLatchOptions {
  /** Gives up waiting when it aborts: the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What {@link RCountDownLatch.inspect} answers. */
export interface LatchInspection {
  /** Of the latch, as it was asked for. */
  readonly name: string;
  /** What is left to be counted; 0 when no round is under way. */
  readonly count: number;
  /** The id of the round that is under way; undefined when there is none, and when Redisson has begun it. */
  readonly round: string | undefined;
  /** How many ids have counted in it, by {@link CountDownOptions.by}; 0 with `round` undefined. Counts without an id are not among them. */
  readonly counted: number;
}

/**
 * A latch that opens when a number of things have been done, by whatever processes, as Redisson's `RCountDownLatch`, on the same key and channel. A round
 * begins with {@link trySetCount}, and ends when the count has reached 0: then all who wait go on, and another round may begin.
 *
 * Every method rejects with LockUnavailableError when Redis does not answer in time, LockRefusedError when it refuses (`redisCode`
 * `NOTALATCH`: something else has the name), LockClientClosedError after `close()`, and TypeError or RangeError for what cannot be meant, before
 * anything is sent. What was sent twice because an answer was lost counts once. With LockUnavailableError it may have been done, or be done a little
 * later, and the same call made again is another one: count with {@link CountDownOptions.by}, or look.
 */
export interface RCountDownLatch {
  /** As `getCountDownLatch` was given it. */
  readonly name: string;
  /**
   * Begins a round. Answers false, and changes nothing, when one is under way.
   *
   * @param count - at least 1.
   */
  trySetCount(count: number): Promise<boolean>;
  /** Counts down by one, and answers what is left: 0 also where no round is under way, which changes nothing. */
  countDown(options?: CountDownOptions): Promise<number>;
  /** What is left to be counted; 0 when no round is under way. */
  getCount(): Promise<number>;
  /**
   * Waits until the count has reached 0, and answers true: at once when no round is under way. Also when the latch is deleted, and when the next
   * round has begun meanwhile, if holdfast began both.
   *
   * @param waitMs - longest wait in milliseconds, after which it answers false; 0 looks once. Default: without limit, while Redis answers.
   * @throws LockLostError, `deleted`, when Redis has lost the round that the call was waiting for; LockScopeError when the scope around the call ends
   * while it waits; the signal's reason when it aborts.
   */
  await(waitMs?: number, options?: AwaitLatchOptions): Promise<boolean>;
  /** What is left of which round, and how many ids have counted. For diagnosis. Who waits is known to nobody: each process listens by itself. */
  inspect(): Promise<LatchInspection>;
  /** Ends the round, whatever is left to be counted: all who wait go on. Answers whether one was under way. */
  delete(): Promise<boolean>;
}

const countDownKeys = ['by'];
const awaitKeys = ['signal'];

/** See {@link RCountDownLatch}. */
export class CountDownLatchHandle implements RCountDownLatch {
  readonly name: string;
  readonly #host: LockHost;
  readonly #backend: Backend;
  readonly #latches: Latches;
  readonly #operations: LatchOperations;

  /** @throws TypeError or RangeError when there can be no latch of that name. */
  constructor(host: LockHost, backend: Backend, latches: Latches, name: string) {
    this.#operations = new LatchOperations(name, backend.prefixes);
    this.name = name;
    this.#host = host;
    this.#backend = backend;
    this.#latches = latches;
  }

  async trySetCount(count: number): Promise<boolean> {
    checkCount('trySetCount: count', count);
    return this.#ask(this.#operations.trySet(this.#request(), count));
  }

  async countDown(options: CountDownOptions = {}): Promise<number> {
    checkKeys('countDown', options, countDownKeys);
    const { by } = options;
    return this.#ask(this.#operations.count(this.#request(), by === undefined ? '' : checkId('countDown: by', by)));
  }

  async getCount(): Promise<number> {
    return (await this.#ask(this.#operations.look())).count;
  }

  async inspect(): Promise<LatchInspection> {
    const { name } = this;
    const { count, round, counted } = await this.#ask(this.#operations.look());
    // Of a round that Redisson has ended something may be left.
    return count === 0 ? { name, count, round: undefined, counted: 0 } : { name, count, round, counted };
  }

  async await(waitMs?: number, options: AwaitLatchOptions = {}): Promise<boolean> {
    if (waitMs !== undefined) checkTime('await: waitMs', waitMs, 0);
    checkKeys('await', options, awaitKeys);
    const { signal } = options;
    checkSignal('await', signal);
    this.#admit();
    const scope = currentScope(this.#host.client);
    return shown(this.#latches.wait(this.#operations, { waitMs, signal, scope }));
  }

  async delete(): Promise<boolean> {
    return this.#ask(this.#operations.remove(this.#request()));
  }

  #request(): LatchRequest {
    const { parts, granting } = this.#backend;
    return { ...newRequest(parts), trust: granting.trust };
  }

  #ask<R>(command: Command<R>): Promise<R> {
    this.#admit();
    return shown(query(this.#backend.parts, this.#operations, command));
  }

  /** A hold that is given time to finish when the client closes may have something to count. */
  #admit(): void {
    const { client, registry } = this.#host;
    registry.admit(this.name, () => heldAround(currentScope(client)).find((hold) => !hold.lost));
  }
}
