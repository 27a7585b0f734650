/** What the turns of all processes say together. Times are microseconds of the machine's monotonic clock. */

/** One process had one lock. */
export interface Turn {
  readonly lock: number;
  readonly process: number;
  readonly askedAt: number;
  readonly heldAt: number;
  readonly leftAt: number;
  /** 0 where the lock has none. */
  readonly token: number;
}

/** Two that had one lock at the same time, or have something else that is wrong between them. */
export interface Overlap {
  readonly lock: number;
  readonly earlier: Turn;
  readonly later: Turn;
}

/** How locks went from hand to hand. */
export interface Handovers {
  readonly count: number;
  /** From the last moment of one turn to the first of the next, in milliseconds, ascending. */
  readonly idleMs: readonly number[];
  /** From asking to holding, in milliseconds, ascending: those that had to wait. */
  readonly waitMs: readonly number[];
  /** Turns of the process that had come to the line first. */
  readonly inTurn: number;
  readonly overlaps: readonly Overlap[];
  /** Turns whose fencing token was not above that of the turn before. */
  readonly tokensOutOfOrder: readonly Overlap[];
  /** The least and the most turns of any lock. */
  readonly leastTurns: number;
  readonly mostTurns: number;
}

/** Keeps the turns of a run. */
export class TurnBook {
  readonly #turns = new Map<number, Turn[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param records - five numbers each: lock, asked, held, left, token. */
  add(process: number, records: readonly number[]): void {
    for (let at = 0; at + 4 < records.length; at += 5) {
      const [lock = 0, askedAt = 0, heldAt = 0, leftAt = 0, token = 0] = records.slice(at, at + 5);
      const turns = this.#turns.get(lock);
      const turn = { lock, process, askedAt, heldAt, leftAt, token };
      if (turns === undefined) this.#turns.set(lock, [turn]);
      else turns.push(turn);
      this.#count++;
    }
  }

  /**
   * @param shared - the locks that are passed on.
   * @param since - when that began: whoever had asked before has waited since then.
   */
  handovers(shared: readonly number[], since: number): Handovers {
    const idleMs: number[] = [];
    const waitMs: number[] = [];
    const overlaps: Overlap[] = [];
    const tokensOutOfOrder: Overlap[] = [];
    let inTurn = 0;
    for (const turns of this.#turns.values()) {
      turns.sort((a, b) => a.heldAt - b.heldAt);
      let earlier: Turn | undefined;
      for (const [index, later] of turns.entries()) {
        const before = earlier;
        earlier = before === undefined || later.leftAt > before.leftAt ? later : before;
        if (before === undefined) continue;
        if (later.heldAt < before.leftAt) overlaps.push({ lock: later.lock, earlier: before, later });
        if (before.token > 0 && later.token <= before.token)
          tokensOutOfOrder.push({ lock: later.lock, earlier: before, later });
        idleMs.push((later.heldAt - before.leftAt) / 1_000);
        waitMs.push((later.heldAt - Math.max(later.askedAt, since)) / 1_000);
        if (turns.slice(index + 1).every(({ askedAt }) => askedAt >= later.askedAt)) inTurn++;
      }
    }
    const counts = shared.map((lock) => this.#turns.get(lock)?.length ?? 0);
    return {
      count: idleMs.length,
      idleMs: idleMs.sort((a, b) => a - b),
      waitMs: waitMs.sort((a, b) => a - b),
      inTurn,
      overlaps,
      tokensOutOfOrder,
      leastTurns: Math.min(...counts),
      mostTurns: Math.max(...counts),
    };
  }
}

/** The value below which `share` of the ascending `values` lie; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
