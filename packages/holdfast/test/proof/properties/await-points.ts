/**
 * Every point at which other code may run while a call is under way, counted by async_hooks: right before each callback of the event loop
 * and each continuation after an `await`.
 */
import { createHook } from 'node:async_hooks';

/** Not those that run their callback in the middle of somebody's synchronous code, such as AsyncResource. */
const interleaving = new Set(['PROMISE', 'TickObject', 'Microtask', 'Immediate', 'Timeout', 'TCPWRAP']);

/** Counts points from `begun` until it is stopped, and calls `act` at the `n`-th; 0: at once. Make it before the call: it must see its promises made. */
export class AwaitPoints {
  #passed = 0;
  #counts = false;
  readonly #known = new Set<number>();
  readonly #hook = createHook({
    init: (id, type) => {
      if (interleaving.has(type)) this.#known.add(id);
    },
    before: (id) => {
      if (this.#counts && this.#known.has(id) && ++this.#passed === this.#n) this.#act();
    },
  });
  readonly #n: number;
  readonly #act: () => void;

  constructor(n: number, act: () => void) {
    this.#n = n;
    this.#act = act;
    this.#hook.enable();
  }

  /** Call it right behind the call under test. */
  begun(): void {
    this.#counts = true;
    if (this.#n === 0) this.#act();
  }

  /** Whether the point was reached. */
  stop(): boolean {
    this.#hook.disable();
    return this.#passed >= this.#n;
  }
}
