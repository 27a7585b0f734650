import type { Appointment } from '@holdfast/watchdog';
import type { Failure } from '../tenure/failures.js';
import type { Electorate } from './electorate.js';

/** Waits until so many nodes may vote that it is worth while to ask them. */
export class Reaching {
  readonly #electorate: Electorate;
  readonly #done: () => void;
  readonly #failed: (failure: Failure) => void;
  #next: Appointment | undefined;
  #unwatch: (() => void) | undefined;

  constructor(electorate: Electorate, { done, failed }: { done: () => void; failed: (failure: Failure) => void }) {
    this.#electorate = electorate;
    this.#done = done;
    this.#failed = failed;
  }

  /** Ends at once when they may. `momentMs`: what slower nodes have to come, too; `endsAt`: clock time at which they have had it, once there are enough. */
  begin(momentMs: number, endsAt?: number): void {
    this.stop();
    const { mistake, lastingTrouble, nodes, trouble, majority, parts } = this.#electorate;
    if (mistake !== undefined) {
      this.#failed({ kind: 'misplaced', problem: mistake });
      return;
    }
    if (lastingTrouble !== undefined) {
      this.#failed({ kind: 'silent', error: trouble });
      return;
    }
    for (const node of nodes) if (!node.mayVote) node.connect();
    const isEnough = nodes.filter(({ mayVote }) => mayVote).length >= majority;
    const now = parts.clock.now();
    // News of a node that is dead is no reason to wait longer for one that is silent.
    const momentEndsAt = isEnough ? (endsAt ?? now + momentMs) : undefined;
    if (momentEndsAt !== undefined && (now >= momentEndsAt || !nodes.some(({ state }) => state === 'connecting'))) {
      this.#done();
      return;
    }
    const look = () => this.begin(momentMs, momentEndsAt);
    this.#unwatch = this.#electorate.watch(look);
    this.#next = parts.waits.at(momentEndsAt ?? now + 2 * momentMs, look);
  }

  stop(): void {
    this.#next?.cancel();
    this.#unwatch?.();
  }
}
