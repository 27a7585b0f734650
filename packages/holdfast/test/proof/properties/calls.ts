/** What the model of the waiting line is about: scopes, calls and processes. */
import type { Manner } from './programs.js';

/** How long a `brief` call waits. */
export const BRIEF_MS = 3;

/** A scope of the program. */
export class Place {
  /** `ending`: in this turn. */
  life: 'live' | 'ending' | 'ended' = 'live';
  /** The calls inside that calls in here re-enter. */
  owned: Call[] = [];
  readonly above: Place | undefined;

  constructor(above: Place | undefined) {
    this.above = above;
  }
}

/** `place` and all around it, the innermost first. */
export function placesFrom(place: Place | undefined): Place[] {
  return place === undefined ? [] : [place, ...placesFrom(place.above)];
}

/** One acquisition, from the call to its end. */
export class Call {
  state: 'waiting' | 'inside' | 'leaked' | 'lost' | 'over' = 'waiting';
  /** `now`: in this turn. */
  aborted: 'no' | 'now' | 'yes' = 'no';
  /** The latest top of the stack below which it was next; `free` when nobody was inside. */
  nextBelow: Call | 'free' | undefined;
  /** What its hold says of itself. Absent: taken by `lock()`. */
  readState: (() => string) | undefined;
  /** Calls in there re-enter it. */
  home: Place | undefined;
  readonly process: Process;
  readonly place: Place | undefined;
  readonly manner: Manner;
  readonly madeAt = performance.now();
  readonly lossesBefore: number;
  /** It was made inside a hold that was lost already. */
  readonly hopeless: boolean;
  /** A scope around it was just ending: whether it belongs to that was not seen. */
  readonly blurred: boolean;

  constructor(process: Process, place: Place | undefined, manner: Manner) {
    this.process = process;
    this.place = manner.owner === undefined ? place : undefined;
    this.manner = manner;
    this.lossesBefore = process.lostInThisTurn ? process.losses - 1 : process.losses;
    this.hopeless = this.belowLoss;
    this.blurred = this.#around.some(({ life }) => life === 'ending');
  }

  descendsFrom(other: Call): boolean {
    if (this.manner.owner !== undefined) return other.manner.owner === this.manner.owner;
    return this.#around.some(({ life, owned }) => life !== 'ended' && owned.includes(other));
  }

  /** It was made inside a hold that has been lost. */
  get belowLoss(): boolean {
    return this.#around.some(({ life, owned }) => life === 'live' && owned.some(({ state }) => state === 'lost'));
  }

  /** The scope in which it was made has ended. */
  get cancelled(): boolean {
    return this.place?.life === 'ended';
  }

  /** It may have its answer already. */
  get answered(): boolean {
    const { patience } = this.manner;
    if (this.aborted !== 'no' || this.cancelled || this.belowLoss || patience === 'once') return true;
    return patience === 'brief' && performance.now() - this.madeAt >= BRIEF_MS;
  }

  get title(): string {
    const { patience, lease, owner } = this.manner;
    const kind = this.readState === undefined ? '' : ' with a hold';
    return `a ${patience} ${lease} call of ${this.process.title}${kind}${owner === undefined ? '' : ` as ${owner}`}, ${this.state}`;
  }

  get #around(): Place[] {
    return placesFrom(this.place);
  }
}

/** One client. */
export class Process {
  readonly title: string;
  line: Call[] = [];
  stack: Call[] = [];
  losses = 0;
  lostInThisTurn = false;

  constructor(title: string) {
    this.title = title;
  }

  get top(): Call | undefined {
    return this.stack.at(-1);
  }

  /** Somebody who is still told that he holds the lock. */
  get believes(): boolean {
    return this.stack.some(({ state }) => state === 'inside');
  }
}
