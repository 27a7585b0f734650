/**
 * One timer for any number of appointments.
 *
 * Appointments sit in a heap by time, each knowing its place, so that moving and cancelling cost O(log n) and no timer. The timer is set
 * anew only when the earliest appointment comes before the moment it will fire. Otherwise it is left alone: it then fires with nothing
 * due, and is set for what is earliest by then. An appointment that is made and cancelled over and over, as by an uncontended lock, thus
 * costs two heap operations and almost never a timer.
 *
 * Timers stand still while the machine is suspended and go on afterwards as if nothing had been, whereas the clock has jumped. So the
 * timer never sleeps more than an eighth of the way to the next appointment (but a second at least): after a wake-up, what is overdue is
 * noticed early. The same rule covers delays that a single timer cannot express.
 *
 * What falls due runs in order of time. An appointment that is made or moved meanwhile waits for the next firing, even when it is due by
 * then: the event loop gets its turn in between.
 */

import type { Clock, Timer } from './clock.js';
import { type HeapItem, IndexedHeap, UNPLACED } from './heap.js';
import { report } from './report.js';

/** Whether pending appointments keep the process from exiting. */
export type Liveness = 'keeps-process-alive' | 'background';

/** What is run when its time has come. An object that has one of its own appointments can be that itself: thousands need no closure each. */
export type Task = (() => void) | { run(): void };

/** Something to be run once, at a clock time. */
export interface Appointment {
  /** Clock time in milliseconds. */
  readonly time: number;
  /**
   * Changes the time; one that was cancelled or has run is made again.
   * @throws RangeError when `time` is NaN.
   */
  move(time: number): void;
  /** It will not run. Nothing happens when it has run or was cancelled before. */
  cancel(): void;
}

const MIN_NAP_MS = 1_000;
const NAPS_PER_WAY = 8;
/** Beyond this Node's timers fire after 1 ms. */
const MAX_NAP_MS = 2 ** 31 - 1;

/** See the module comment. */
export class Schedule {
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #onError: (error: unknown) => void;
  readonly #heap = new IndexedHeap<Entry>();
  /** What the firing under way took off the heap. */
  #due: Entry[] = [];
  #timer: Timer | undefined;
  /** When the timer will fire. -Infinity while it does: it is set again, once, when everything due has run. */
  #firesAt = Infinity;

  /** @param onError receives what an appointment throws; the others run all the same. */
  constructor(clock: Clock, liveness: Liveness, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#liveness = liveness;
    this.#onError = onError;
  }

  /** How many appointments are pending. */
  get size(): number {
    return this.#heap.size;
  }

  /**
   * Runs `task` at the clock time `time` or soon after; when that has passed, at the next turn of the event loop.
   * @throws RangeError when `time` is NaN.
   */
  at(time: number, task: Task): Appointment {
    const entry = new Entry(this.#calendar, task);
    this.#calendar.put(entry, time);
    return entry;
  }

  /** Cancels every appointment and the timer. New ones can be made. */
  clear(): void {
    this.#heap.clear();
    for (const entry of this.#due) entry.place = UNPLACED;
    this.#stopTimer();
  }

  readonly #calendar: Calendar = {
    put: (entry, time) => {
      if (Number.isNaN(time)) throw new RangeError('an appointment needs a time, got NaN');
      const wasEmpty = this.#heap.size === 0;
      this.#heap.put(entry, time);
      if (time < this.#firesAt) this.#setTimer();
      else if (wasEmpty && this.#liveness === 'keeps-process-alive') this.#timer?.ref?.();
    },
    remove: (entry) => {
      this.#heap.remove(entry);
      // The timer stays set, but must not hold the process for nothing.
      if (this.#heap.size === 0) this.#timer?.unref?.();
    },
  };

  #setTimer(): void {
    this.#stopTimer();
    const earliest = this.#heap.first;
    if (earliest === undefined) return;
    const now = this.#clock.now();
    const leftMs = Math.max(1, Math.ceil(earliest.time - now));
    const napMs = Math.min(leftMs, Math.max(MIN_NAP_MS, Math.ceil(leftMs / NAPS_PER_WAY)), MAX_NAP_MS);
    this.#firesAt = now + napMs;
    this.#timer = this.#clock.setTimer(this.#fire, napMs);
    if (this.#liveness === 'background') this.#timer.unref?.();
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    this.#firesAt = -Infinity;
    const now = this.#clock.now();
    for (let first = this.#heap.first; first !== undefined && first.time <= now; first = this.#heap.first) {
      this.#heap.remove(first);
      first.place = DUE;
      this.#due.push(first);
    }
    for (const entry of this.#due) this.#run(entry);
    this.#due = [];
    this.#setTimer();
  };

  #run(entry: Entry): void {
    // Cancelled or moved by one that ran before it.
    if (entry.place !== DUE) return;
    entry.place = UNPLACED;
    try {
      if (typeof entry.task === 'function') entry.task();
      else entry.task.run();
    } catch (error) {
      report(error, this.#onError);
    }
  }
}

/** Place of an entry that is about to run. */
const DUE = -2;

/** What an entry needs of its schedule. */
interface Calendar {
  put(entry: Entry, time: number): void;
  remove(entry: Entry): void;
}

class Entry implements Appointment, HeapItem {
  readonly #calendar: Calendar;
  readonly task: Task;
  /** Undefined until it is placed. So V8 keeps whole numbers here, as those of leases are, without an object for each. */
  time!: number;
  place = UNPLACED;

  constructor(calendar: Calendar, task: Task) {
    this.#calendar = calendar;
    this.task = task;
  }

  move(time: number): void {
    if (time !== this.time || this.place < 0) this.#calendar.put(this, time);
  }

  cancel(): void {
    this.#calendar.remove(this);
  }
}
