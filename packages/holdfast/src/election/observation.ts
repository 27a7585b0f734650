/**
 * One observation of an election: a lookout, and at most one step that waits. Who has left it without a word is not told from who asks late for the next
 * step: the lookout ends when it has seen something and no step waits, and the next step begins another one, which looks at once.
 */

import { clientIn, ownerIn } from '@holdfast/core';
import { quietWait, type Wait } from '@holdfast/notify';
import type { ClientParts } from '../client-parts.js';
import { LockClientClosedError } from '../errors.js';
import type { Registry } from '../exclusive/registry.js';
import type { Leader } from '../primitives/election.js';
import type { ElectionOperations, Led } from '../primitives/election-operations.js';
import { inTime } from '../primitives/in-time.js';
import { shown } from '../reports/caller.js';
import { type Failure, failureError } from '../tenure/failures.js';
import { Lookout, type LookoutListener, type LookoutParts } from '../waiting/lookout.js';
import { firstLimitMs } from '../waiting/timeout-decision.js';

/** What an observation needs of its client. */
export interface ObservationHome {
  readonly parts: LookoutParts & Pick<ClientParts, 'topology' | 'aborts' | 'nextTurn' | 'reporter'>;
  readonly registry: Registry;
}

type Step = IteratorResult<Leader | undefined, undefined>;

/** See the module comment. */
export class Observation implements AsyncIterableIterator<Leader | undefined>, LookoutListener<Led | undefined> {
  readonly #home: ObservationHome;
  readonly #operations: ElectionOperations;
  readonly #signal: AbortSignal | undefined;
  #lookout: Lookout<Led | undefined> | undefined;
  /** The token that was told last; 0: that nobody leads. */
  #told: number | undefined;
  #step: Wait<Step> | undefined;
  #end: { readonly error?: unknown } | undefined;
  #leaveSignal: (() => void) | undefined;

  constructor(home: ObservationHome, operations: ElectionOperations, signal: AbortSignal | undefined) {
    this.#home = home;
    this.#operations = operations;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    if (this.#signal?.aborted === true) this.#stop({ error: this.#signal.reason });
    // What cannot be reached is known at once, perhaps.
    if (this.#end === undefined && this.#lookout === undefined) this.#begin();
    if (this.#end !== undefined) return this.#over(this.#end);
    if (this.#step !== undefined) throw new TypeError('observe: a step was asked for while another one waits');
    return shown(this.#wait());
  }

  async return(): Promise<Step> {
    this.#stop({});
    this.#step?.resolve({ done: true, value: undefined });
    return { done: true, value: undefined };
  }

  refuseWaiting(): void {
    this.#fail(new LockClientClosedError(this.#operations.name));
  }

  onSeen(led: Led | undefined): void {
    if (this.#step === undefined) this.#pause();
    else if ((led?.token ?? 0) !== this.#told) this.#step.resolve(this.#tell(led));
  }

  onFailed(failure: Failure): void {
    this.#fail(failureError(this.#operations, failure));
  }

  #begin(): void {
    const { parts, registry } = this.#home;
    const signal = this.#signal;
    try {
      registry.admit(this.#operations.name);
    } catch (error) {
      return this.#fail(error);
    }
    registry.enlist(this);
    // Also between two steps: who aborts may never ask for another one.
    this.#leaveSignal = signal && parts.aborts.subscribe(signal, () => this.#fail(signal.reason));
    this.#lookout = new Lookout(parts, this.#operations, this);
    this.#lookout.look();
  }

  async #wait(): Promise<Step> {
    const { parts } = this.#home;
    const joinedAt = parts.clock.now();
    const firstLimit = joinedAt + firstLimitMs(undefined, parts.settings);
    const call = { joinedAt, until: Infinity, firstLimit, signal: undefined };
    const step = quietWait<Step>();
    this.#step = step;
    try {
      // Without a deadline it is never unanswered.
      return (await inTime(parts, this.#operations, call, step.promise, () => ({ asking: this.#lookout }))) as Step;
    } catch (error) {
      this.#stop({});
      throw error;
    } finally {
      this.#step = undefined;
    }
  }

  #tell(led: Led | undefined): Step {
    this.#told = led?.token ?? 0;
    return { done: false, value: led && leaderOf(led, this.#home.parts.reporter.clientId) };
  }

  #fail(error: unknown): void {
    // Told by the step that waits, or else by the next one.
    this.#stop(this.#step?.reject(error) === true ? {} : { error });
  }

  #stop(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#pause();
  }

  #pause(): void {
    this.#lookout?.stop();
    this.#lookout = undefined;
    this.#leaveSignal?.();
    this.#home.registry.leave(this);
  }

  #over(end: { readonly error?: unknown }): Step {
    this.#end = {};
    if ('error' in end) throw end.error;
    return { done: true, value: undefined };
  }
}

/** A candidate that has an id is the owner of its tenure. */
function leaderOf({ tenure, token }: Led, clientId: string): Leader {
  const client = clientIn(tenure);
  return { id: ownerIn(tenure) ?? client, token, thisClient: client === clientId };
}
