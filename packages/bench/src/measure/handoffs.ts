import { Histogram } from './histogram.js';

/** One critical section. Times are milliseconds on a clock that all processes of the machine share. */
export interface Section {
  readonly process: number;
  readonly askedAt: number;
  readonly enteredAt: number;
  readonly leftAt: number;
}

/** What the sections of one lock, of all its processes, tell about how it went from one to the next. */
export interface Passage {
  /** From leaving to entering in *another* process that had been waiting. */
  readonly handoffs: Histogram;
  /** How often the process that had the lock got it again: no handoff, however fast. */
  readonly kept: number;
  /** How many were inside at the same time at most. More than 1: exclusion was broken. */
  readonly mostInside: number;
}

export function passage(sections: readonly Section[]): Passage {
  const inOrder = sections.toSorted((a, b) => a.enteredAt - b.enteredAt);
  const handoffs = new Histogram();
  let kept = 0;
  inOrder.forEach((next, index) => {
    const before = inOrder[index - 1];
    if (before === undefined) return;
    if (before.process === next.process) kept++;
    // Who asked later than the lock was left found it free: the time between is idle time.
    else if (next.askedAt <= before.leftAt) handoffs.record(Math.max(0, next.enteredAt - before.leftAt) * 1_000);
  });
  return { handoffs, kept, mostInside: mostInside(inOrder) };
}

function mostInside(inOrder: readonly Section[]): number {
  let inside: Section[] = [];
  let most = 0;
  for (const next of inOrder) {
    inside = [...inside.filter(({ leftAt }) => leftAt > next.enteredAt), next];
    most = Math.max(most, inside.length);
  }
  return most;
}
