/**
 * The events of a world, in order of their time; the only thing that moves time.
 *
 * Between two events all promise jobs are run, so an event is what a macrotask is to Node. At one moment the events of a process come as in a turn
 * of Node's loop: timers first, then what sockets have brought, then `setImmediate`.
 */

import { finishJobs } from './jobs.js';

/** Where in a turn of the event loop. */
export const Phase = { timer: 0, socket: 1, immediate: 2 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** What may keep its events from happening: a process that is stopped or busy. */
export interface Actor {
  /** Its events wait until then. */
  readonly busyUntil: number;
  /** Its events never happen. */
  readonly gone: boolean;
}

/** Something that happens once. */
export interface Happening {
  at: number;
  readonly phase: Phase;
  readonly order: number;
  readonly actor: Actor | undefined;
  /** Undefined once it has happened or was called off. */
  run: (() => void) | undefined;
}

/** See the module comment. */
export class Timeline {
  #now = 0;
  #order = 0;
  #events = 0;
  readonly #heap: Happening[] = [];

  /** World time in milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** How many events have happened. */
  get events(): number {
    return this.#events;
  }

  /** `actor`: whose event it is; undefined: of the world itself, which nothing holds up. */
  at(time: number, phase: Phase, actor: Actor | undefined, run: () => void): Happening {
    const happening = { at: Math.max(time, this.#now), phase, order: this.#order++, actor, run };
    this.#push(happening);
    return happening;
  }

  /** Lets everything happen up to `until`, and `after` each event; stops as soon as that says `enough`. */
  run(until: number, after: () => 'go on' | 'enough'): void {
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop();
      const { actor, run } = next;
      if (run === undefined || actor?.gone === true) continue;
      if (actor !== undefined && actor.busyUntil > next.at) {
        // With its old number: what came first still comes first.
        next.at = actor.busyUntil;
        this.#push(next);
        continue;
      }
      this.#now = next.at;
      this.#events++;
      next.run = undefined;
      run();
      finishJobs();
      if (after() === 'enough') return;
    }
    if (until !== Number.POSITIVE_INFINITY) this.#now = Math.max(this.#now, until);
  }

  #push(item: Happening): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(item);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above] as Happening;
      if (!isBefore(item, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = item;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Happening;
    const { length } = heap;
    if (length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= length) break;
      if (below + 1 < length && isBefore(heap[below + 1] as Happening, heap[below] as Happening)) below++;
      const child = heap[below] as Happening;
      if (!isBefore(child, last)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = last;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.phase === b.phase ? a.order < b.order : a.phase < b.phase;
}
