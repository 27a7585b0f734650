import type { Appointment } from '@holdfast/watchdog';
import type { Electorate } from './electorate.js';
import type { LockNode } from './lock-node.js';

/** A node in line that does not answer is given up at the second look, one so many node timeouts after the other. */
const LOOK_TIMEOUTS = 4;

/** Looks whether the node where a candidacy stands in line is still there: a node that has gone sends no message. */
export class LineWatch {
  readonly #electorate: Electorate;
  readonly #onGone: () => void;
  #looksInVain = 0;
  #next: Appointment | undefined;

  constructor(electorate: Electorate, onGone: () => void) {
    this.#electorate = electorate;
    this.#onGone = onGone;
  }

  begin(node: LockNode, nodeTimeoutMs: number): void {
    this.stop();
    this.#looksInVain = 0;
    this.#plan(node, LOOK_TIMEOUTS * nodeTimeoutMs);
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #plan(node: LockNode, ms: number): void {
    const { clock, waits } = this.#electorate.parts;
    this.#next = waits.at(clock.now() + ms, () => {
      this.#looksInVain = node.mayVote ? 0 : this.#looksInVain + 1;
      if (this.#looksInVain < 2) this.#plan(node, ms);
      else this.#onGone();
    });
  }
}
