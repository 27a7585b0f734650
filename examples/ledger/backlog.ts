import type { Settled, Worker } from './crew.js';
import type { Transfer } from './csv.js';
import type { Outcome, Taken } from './transfer.js';

/** How many transfers a worker works on at once. */
const inHandAtOnce = 8;

/**
 * Deals the transfers out to the workers until each of them has been applied. What cannot be applied now is dealt again later, and what
 * a dead worker had in hand is dealt to the others: it may have been applied already, which the second worker finds out.
 */
export class Backlog {
  readonly outcomes: Record<Outcome, number> = { applied: 0, 'applied-before': 0, busy: 0, lost: 0 };
  readonly taken: Taken[] = [];
  /** Resolves when half of the transfers have been applied. */
  readonly halfWay: Promise<void>;
  /** Resolves when all have been applied; rejects when a worker ends that nobody killed. */
  readonly done: Promise<void>;
  readonly #transfers: ReadonlyMap<string, Transfer>;
  readonly #workers: readonly Worker[];
  readonly #waiting: Transfer[];
  readonly #applied = new Set<string>();
  #reachHalfWay = () => {};
  #finish = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(transfers: readonly Transfer[], workers: readonly Worker[]) {
    this.#transfers = new Map(transfers.map((transfer) => [transfer.id, transfer]));
    this.#workers = workers;
    this.#waiting = [...transfers];
    this.halfWay = new Promise((resolve) => {
      this.#reachHalfWay = resolve;
    });
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
  }

  get applied(): number {
    return this.#applied.size;
  }

  start(): void {
    for (const worker of this.#workers) {
      worker.onSettled((settled) => this.#settled(worker, settled));
      worker.onExit((how) => this.#exited(worker, how));
      this.#deal(worker);
    }
  }

  #deal(worker: Worker): void {
    while (worker.alive && worker.inHand.size < inHandAtOnce) {
      const transfer = this.#waiting.shift();
      if (transfer === undefined) return;
      worker.hand(transfer);
    }
  }

  #settled(worker: Worker, { id, outcome, taken }: Settled): void {
    this.outcomes[outcome]++;
    this.taken.push(...taken);
    const transfer = this.#transfers.get(id);
    if (outcome === 'applied' || outcome === 'applied-before') this.#applied.add(id);
    else if (transfer !== undefined) this.#waiting.push(transfer);
    this.#deal(worker);
    this.#announce();
  }

  #exited(worker: Worker, how: string): void {
    if (!worker.killed && !this.#isDone()) this.#fail(new Error(`A worker ended that nobody killed: ${how}`));
    this.#waiting.unshift(...worker.inHand.values());
    worker.inHand.clear();
    for (const other of this.#workers) this.#deal(other);
    this.#announce();
  }

  #isDone(): boolean {
    return this.applied === this.#transfers.size && this.#workers.every(({ inHand }) => inHand.size === 0);
  }

  #announce(): void {
    if (this.applied >= this.#transfers.size / 2) this.#reachHalfWay();
    if (this.#isDone()) this.#finish();
  }
}
