/** What becomes of calls that still wait when their run ends, and of work that goes on behind it. */

import { LockError, type RLock } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import type { LeftPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { heard, leaveToLease, locked } from './left-open.js';
import { lockOf } from './lock-of.js';
import { settledAll } from './settled-all.js';
import { Told } from './told.js';
import { workMs } from './working.js';

/** A run ends while its call still waits: the call is refused at once. If it has the lock by then, the lock is left open. */
export async function cancelled(desk: Desk, { name }: LeftPlan): Promise<void> {
  const { chance, client, process } = desk;
  const told = new Told(desk, name);
  const call = new Call(desk, lockOf(desk, name), told);
  try {
    await client.run(async () => {
      call.begin();
      await process.sleep(chance.below(30));
      call.scopeEnds();
    });
    if (call.hadInTime) await heard(desk, told, call.entries);
    else await process.sleep(1);
  } finally {
    told.stop();
  }
  if (call.isLate) wrong(desk, 'waits on, or has the lock, when its scope has ended');
  if (call.error !== undefined && !isCode(call.error, 'LOCK_SCOPE')) throw call.error;
}

/** One call of `lock()` that its run does not wait for. */
class Call {
  readonly entries: OpenHold[] = [];
  error: Error | undefined;
  readonly #desk: Desk;
  readonly #handle: RLock;
  readonly #told: Told;
  /** The turns in which it had the lock, and in which its run ended. */
  #hadIn: number | undefined;
  #endedIn: number | undefined;

  constructor(desk: Desk, handle: RLock, told: Told) {
    this.#told = told;
    this.#desk = desk;
    this.#handle = handle;
  }

  begin(): void {
    const { process } = this.#desk;
    void locked(this.#desk, this.#handle, this.entries, this.#told).then(
      () => {
        this.#hadIn = process.turnBegan;
        if (this.#endedIn !== undefined) this.#leave();
      },
      (error: unknown) => {
        this.error = error instanceof Error ? error : new Error(String(error));
      },
    );
  }

  scopeEnds(): void {
    this.#endedIn = this.#desk.process.turnBegan;
    if (this.entries.length > 0) leaveToLease(this.#desk);
    this.#leave();
  }

  get hadInTime(): boolean {
    return this.#hadIn !== undefined && this.#hadIn !== this.#endedIn;
  }

  /** In the turn in which the run ended it may be either. */
  get isLate(): boolean {
    if (this.#hadIn === undefined) return this.error === undefined;
    return this.#endedIn !== undefined && this.#hadIn > this.#endedIn;
  }

  #leave(): void {
    for (const entry of this.entries) this.#desk.witness.leave(entry);
  }
}

/** What was begun in a run goes on when that has ended. It is outside all scopes then: its locks are those of its handles, and nothing re-enters them. */
export async function goesOn(desk: Desk, { name }: LeftPlan): Promise<void> {
  let goOn = (): void => undefined;
  let rest: Promise<unknown> = Promise.resolve();
  desk.client.run(() => {
    rest = new Promise<void>((resolve) => (goOn = resolve)).then(() => outsideAll(desk, name));
  });
  goOn();
  await rest;
}

async function outsideAll(desk: Desk, name: string): Promise<void> {
  const { process, witness } = desk;
  const [handle, other] = [lockOf(desk, name), lockOf(desk, name)];
  const entries: OpenHold[] = [];
  await locked(desk, handle, entries);
  const isIn = [handle];
  try {
    if (await witness.pending(desk, `tryLock ${name}`, other.tryLock())) {
      entries.push(witness.enter(desk, name, undefined, undefined));
      isIn.push(other);
    }
    await process.sleep(workMs(desk));
    if (isIn.length === 1) await holdsNothing(desk, other);
  } finally {
    await settledAll(entries.map((entry, place) => givenBack(desk, isIn[place] as RLock, entry)));
  }
}

async function givenBack(desk: Desk, handle: RLock, entry: OpenHold): Promise<void> {
  desk.witness.leave(entry);
  await desk.witness.pending(desk, `unlock ${handle.name}`, handle.unlock());
  desk.witness.confirm(entry);
}

async function holdsNothing(desk: Desk, other: RLock): Promise<void> {
  try {
    await desk.witness.pending(desk, `unlock ${other.name}`, other.unlock());
  } catch (error) {
    if (isCode(error, 'LOCK_NOT_HELD')) return;
    throw error;
  }
  wrong(desk, 'gives back what another handle took, outside all scopes');
}

function wrong({ judges, process, name }: Desk, what: string): void {
  for (const judge of judges.leavings) judge.wrong(process.time, `${name} ${what}`);
}

const isCode = (error: unknown, code: string): boolean => error instanceof LockError && error.code === code;
