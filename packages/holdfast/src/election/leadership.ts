import { LockNotHeldError } from '../errors.js';
import type { Leadership } from '../primitives/election.js';
import type { FencedHold } from '../primitives/fenced-lock.js';
import type { Guard } from '../primitives/guard.js';
import { LOGGED } from '../primitives/hold.js';
import { truthful } from '../truthful-signal.js';

/** See {@link Leadership}. */
export class LeadershipHandle implements Leadership {
  readonly #hold: FencedHold;
  readonly #giveBack: () => Promise<void>;
  readonly #resigned = new AbortController();
  readonly signal: AbortSignal;
  #end: Promise<void> | undefined;

  /** @param giveBack - called once, when {@link signal} has aborted: what a resignation resolves with. */
  constructor(hold: FencedHold, giveBack: () => Promise<void>) {
    this.#hold = hold;
    this.#giveBack = giveBack;
    this.signal = truthful(AbortSignal.any([hold.signal, this.#resigned.signal]), () => void hold.signal);
  }

  get name(): string {
    return this.#hold.name;
  }

  get token(): number {
    return this.#hold.token;
  }

  get guard(): Guard {
    return this.#hold.guard;
  }

  get leads(): boolean {
    const { state } = this.#hold;
    return this.#end === undefined && (state === 'held' || state === 'suspect');
  }

  assertLeads(): void {
    this.#hold.assertHeld();
    if (this.#end !== undefined) throw this.#resignation();
  }

  resign(): Promise<void> {
    // What went wrong was told to the call that resigned.
    if (this.#end !== undefined) return this.#end.catch(() => undefined);
    // Told before anything of it is sent.
    this.#end = Promise.resolve().then(() => this.#giveBack());
    // One that was lost, though no timer could say so yet, is told as that.
    if (!this.signal.aborted) this.#resigned.abort(this.#resignation());
    return this.#end;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.resign();
  }

  [LOGGED](): object {
    const { name, token, leads } = this;
    return { name, token, leads };
  }

  #resignation(): LockNotHeldError {
    return new LockNotHeldError(this.name, 'this leader any more: it has resigned');
  }
}
