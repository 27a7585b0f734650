import type { TimerEntry, TimerPort } from '../../src/index.js';

/** A TimerPort whose time the test drives. An entry that has fired or was cancelled is dead: moving it is an error. */
export class ManualTimers implements TimerPort {
  now = 0;
  readonly #pending = new Map<TimerEntry, { time: number; task: { run(): void } }>();

  get size(): number {
    return this.#pending.size;
  }

  at(time: number, task: { run(): void }): TimerEntry {
    const entry: TimerEntry = {
      move: (to) => {
        if (!this.#pending.has(entry)) throw new Error('This timer has fired or was cancelled');
        this.#pending.set(entry, { time: to, task });
      },
      cancel: () => this.#pending.delete(entry),
    };
    this.#pending.set(entry, { time, task });
    return entry;
  }

  advanceTo(time: number): void {
    this.now = time;
    const due = [...this.#pending].filter(([, timer]) => timer.time <= time);
    for (const [entry, timer] of due.sort(([, a], [, b]) => a.time - b.time)) {
      if (this.#pending.delete(entry)) timer.task.run();
    }
  }
}
