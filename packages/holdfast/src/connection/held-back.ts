/** Copies of commands that leave when the work which asked for them is done. */

import { none } from '../lists.js';
import type { Copy } from './copy.js';

/** Some work under way, inside other work perhaps. `lockKey`: of which lock it keeps what is asked; undefined: of all. */
interface Work {
  readonly lockKey: string | undefined;
  readonly copies: Copy<unknown>[];
  readonly around: Work | undefined;
}

/** See the module comment. */
export class HeldBack {
  #work: Work | undefined;

  /** What the innermost work keeps. */
  get copies(): readonly Copy<unknown>[] {
    return this.#work?.copies ?? none;
  }

  /** Runs `work`, then lets what it kept `leave`: with that of the work around it, where that keeps all. */
  during<T>(work: () => T, leave: (copies: readonly Copy<unknown>[]) => void, lockKey?: string): T {
    const around = this.#work;
    if (around !== undefined && around.lockKey === undefined) return work();
    const copies: Copy<unknown>[] = [];
    this.#work = { lockKey, copies, around };
    try {
      return work();
    } finally {
      this.#work = around;
      leave(copies);
    }
  }

  /** Keeps it, if any work does: that of its own lock first, so that it stays behind what was asked of that before. */
  keep(copy: Copy<unknown>): boolean {
    let keeper: Work | undefined;
    for (let work = this.#work; work !== undefined; work = work.around) {
      if (work.lockKey === copy.pending.lockKey || (work.lockKey ?? keeper) === undefined) keeper = work;
    }
    keeper?.copies.push(copy);
    return keeper !== undefined;
  }
}
