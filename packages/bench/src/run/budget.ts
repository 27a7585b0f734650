/** Share of the time after which rounds are not repeated. */
const HURRY_FROM = 0.7;

/** Keeps a run within its time, whatever peers and machine make of it: late in the run a case has one round, past the end it is left out. */
export class Budget {
  readonly #startedAt = performance.now();
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** How many of so many rounds the next case may have. */
  rounds(wanted: number): number {
    const share = (performance.now() - this.#startedAt) / this.#limitMs;
    if (share >= 1) return 0;
    return share < HURRY_FROM ? wanted : 1;
  }
}
