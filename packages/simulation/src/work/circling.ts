/**
 * What tasks do with locks that they take in any order, one inside the other, so that they come to wait for each other.
 *
 * The client refuses the call that closes a circle. A circle of which it cannot know must end by itself: see `circle-levels.ts`.
 */

import { type Hold, LockError } from 'holdfast';
import type { CircleJudge, Link, WaitingCall } from '../judges/circles.js';
import { forksOf } from '../plan/forks.js';
import { drawLevels, drawLine, type Level, plainLevel } from './circle-levels.js';
import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';
import { settledAll } from './settled-all.js';
import { work, workMs } from './working.js';

interface Plan {
  readonly name: string;
}

/** How often each is drawn. */
const shares = { nested: 8, ring: 8, line: 6, branches: 3, visit: 3 };

const patterns: Readonly<Record<keyof typeof shares, (trip: Trip, plan: Plan) => Promise<void>>> = {
  nested: (trip, plan) => trip.through(drawLevels(trip.desk.chance, forksOf(plan, trip.desk.process.number))),
  // Each the next one, so that many come to wait in one circle.
  ring: (trip, plan) => {
    const { alone } = forksOf(plan, trip.desk.process.number);
    const first = trip.desk.chance.below(alone.length);
    return trip.through([0, 1].map((step) => plainLevel(alone[(first + step) % alone.length] as string)));
  },
  // Two readers in it want each other's, and one stands behind a writer.
  line: (trip, plan) => trip.through(drawLine(trip.desk.chance, forksOf(plan, trip.desk.process.number))),
  branches,
  // Of any process: nothing is called inside, so no wait goes round through it.
  visit: (trip, plan) => {
    const process = trip.desk.chance.pick(trip.desk.processes);
    return trip.through([plainLevel(trip.desk.chance.pick(forksOf(plan, process).alone))]);
  },
};

/** One thing that a task does with them. */
export function circleStep(desk: Desk, plan: Plan): Promise<void> {
  return onTrip(desk, (trip) => patterns[desk.chance.weighed(shares)](trip, plan));
}

/** It comes to have each of them, one after the other. */
export async function lastFork(desk: Desk, plan: Plan): Promise<void> {
  for (const lock of forksOf(plan, desk.process.number).alone)
    await onTrip(desk, (trip) => trip.through([plainLevel(lock)]));
}

async function onTrip(desk: Desk, go: (trip: Trip) => Promise<void>): Promise<void> {
  for (const judge of desk.judges.circles) {
    const trip = new Trip(desk, judge);
    try {
      await go(trip);
    } catch (error) {
      if (!trip.explains(error)) throw error;
    }
  }
}

/** Below a parent that holds it, some of which want another one inside. */
async function branches(trip: Trip, plan: Plan): Promise<void> {
  const { chance, process } = trip.desk;
  const { alone } = forksOf(plan, process.number);
  const parent = chance.pick(alone);
  await trip.take(plainLevel(parent), undefined, async (around) => {
    const children = Array.from({ length: chance.whole(2, 4) }, () => {
      const other = chance.pick(alone);
      const more = other !== parent && chance.happens(0.4) ? [plainLevel(other)] : [];
      return trip.through([plainLevel(parent), ...more], around);
    });
    await settledAll(children);
  });
}

/** Locks that a task takes inside each other. */
class Trip {
  readonly desk: Desk;
  readonly #judge: CircleJudge;
  /** Locks that may be lost: their leases end. */
  readonly #leased = new Set<string>();
  #mayBeLate = false;

  constructor(desk: Desk, judge: CircleJudge) {
    this.desk = desk;
    this.#judge = judge;
  }

  /** Whether a call may be told so: who is refused is judged when it is. */
  explains(error: unknown): boolean {
    if (!(error instanceof LockError)) return false;
    const { code, lockName = '' } = error;
    if (code === 'LOCK_TIMEOUT') return this.#mayBeLate;
    return code === 'LOCK_DEADLOCK' || (code === 'LOCK_LOST' && this.#leased.has(lockName));
  }

  async through([level, ...more]: readonly Level[], around?: Link): Promise<void> {
    if (level !== undefined) await this.take(level, around, (link) => this.through(more, link));
  }

  async take(level: Level, around: Link | undefined, inside: (link: Link) => Promise<void>): Promise<void> {
    const { process, name: who } = this.desk;
    const { lock, side, leaseMs, waitMs } = level;
    if (leaseMs !== undefined) this.#leased.add(lock);
    if (waitMs !== undefined) this.#mayBeLate = true;
    const ends = waitMs === undefined ? 'never' : 'itself';
    const call: WaitingCall = { process, who, lock, side, ends, around, turn: process.turnBegan };
    let isOver = false;
    const settled = () => {
      isOver = true;
      this.#judge.settled(call);
    };
    this.#judge.calls(call);
    try {
      await this.#holding(level, around, settled, inside);
    } catch (error) {
      if (!isOver && error instanceof LockError && error.code === 'LOCK_DEADLOCK')
        this.#judge.refused(process.time, call);
      throw error;
    } finally {
      settled();
    }
  }

  #holding(
    level: Level,
    around: Link | undefined,
    settled: () => void,
    inside: (link: Link) => Promise<void>,
  ): Promise<void> {
    const { witness } = this.desk;
    const { lock, how, leaseMs, waitMs } = level;
    const handle = this.#handleOf(level);
    const had = (hold: Hold | undefined, ends: Link['ends']) => {
      settled();
      return this.#has(level, around, hold, ends);
    };
    switch (how) {
      case 'section': {
        const call = handle.withLock({ leaseMs, waitMs }, async (hold) => {
          const link = had(hold, leaseMs === undefined ? 'scope' : 'itself');
          await this.#during(link, hold, inside);
        });
        return witness.pending(this.desk, `withLock ${lock}`, call);
      }
      case 'run':
        return this.desk.client.run(async () => {
          await witness.pending(this.desk, `lock ${lock}`, handle.lock());
          const link = had(undefined, 'scope');
          try {
            await this.#during(link, undefined, inside);
          } finally {
            await witness.pending(this.desk, `unlock ${lock}`, handle.unlock());
          }
          witness.confirm(link.entry);
        });
      case 'object':
        return this.#object(level, had, inside);
    }
  }

  async #object(
    level: Level,
    had: (hold: Hold, ends: Link['ends']) => Link,
    inside: (link: Link) => Promise<void>,
  ): Promise<void> {
    const { lock, leaseMs, waitMs } = level;
    const call = this.#handleOf(level).acquire({ leaseMs, waitMs });
    const hold = await this.desk.witness.pending(this.desk, `acquire ${lock}`, call);
    const link = had(hold, 'anybody');
    try {
      await this.#during(link, hold, (of) => hold.run(() => inside(of)));
    } finally {
      await this.desk.witness.pending(this.desk, `release ${lock}`, hold.release());
    }
  }

  #has({ lock, side }: Level, around: Link | undefined, hold: Hold | undefined, ends: Link['ends']): Link {
    let same = around;
    while (same !== undefined && same.entry.lock !== lock) same = same.around;
    const entry = this.desk.witness.enter(this.desk, lock, hold, same?.entry, side);
    const link: Link = { entry, ends, around, turn: this.desk.process.turnBegan };
    this.#judge.has(link);
    return link;
  }

  async #during(link: Link, hold: Hold | undefined, inside: (link: Link) => Promise<void>): Promise<void> {
    try {
      if (hold === undefined) await this.desk.process.sleep(workMs(this.desk));
      else await work(this.desk, hold, workMs(this.desk));
      await inside(link);
    } finally {
      this.#judge.leaves(link);
      this.desk.witness.leave(link.entry);
    }
  }

  #handleOf({ lock, side, isShared }: Level) {
    if (!isShared) return lockOf(this.desk, lock);
    const both = this.desk.client.getReadWriteLock(lock);
    return side === 'read' ? both.readLock() : both.writeLock();
  }
}
