/**
 * The shared coordinator: everything one client does about one read-write lock.
 *
 * It only decides by which lane a call goes (see `lane.ts`). Each lane is a coordinator with a tenure of its own, so asking, waiting, renewing,
 * loss and giving back are those of every other lock.
 *
 *      the call                                           its lane
 *      is inside a hold of this lock                      that hold's: a nested read always enters
 *      asks to write, inside read holds only              none: LockUpgradeError, and nothing is sent
 *      asks to write                                      the one write lane, in which writers of this process stand in line
 *      asks to read, renewed for as long as it is held    the open read lane: it joins, without a command
 *                                                         if there is none, a new one, which asks at once
 *      asks to read with a lease or limit of its own      a new one, for itself: a shared lease ends for nobody alone
 *      waits when a `lock()` of its run comes in          that one's, or none, as a call inside its hold
 *
 * A read lane is open while it asks, and while it is held, its lease healthy, and no writer waits as far as is known: neither another process
 * (`others` in every answer, the notice `contended`, and a look every other re-ask period while calls join) nor a call of this one. Closed,
 * it never opens again; those who come later ask with the next one, and stand behind the writer in Redis. So sharing never lets a reader
 * past a writer for longer than a notice takes.
 */

import type { Command } from '@holdfast/core';
import type { LockParts } from '../client-parts.js';
import { LockUpgradeError } from '../errors.js';
import type { Coordinating } from '../exclusive/coordinating.js';
import { Coordinator } from '../exclusive/coordinator.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { HeldInLanes } from '../exclusive/held-in-lanes.js';
import type { LockHome, Seated } from '../exclusive/lock.js';
import { lostAround } from '../exclusive/reentry.js';
import { atSite } from '../reports/caller.js';
import { rejection } from '../scopes/settling.js';
import type { HandoffReply, Side } from '../tenure/operations.js';
import type { CountedDown, Stake } from '../tenure/stake.js';
import type { Tenure } from '../tenure/tenure.js';
import { judgeAnew, placeBehind } from '../waiting/deadlock.js';
import type { AcquireRequest, PlaceBehind, Waiter } from '../waiting/waiter.js';
import { around, isInsideAnything, isWrite, LanePolicy } from './lane.js';
import type { SharedOperations } from './operations.js';

type Lane = Coordinator<LanePolicy>;

/** See the module comment. */
export class SharedCoordinator extends HeldInLanes implements Coordinating, LockHome {
  readonly operations: SharedOperations;
  readonly #parts: LockParts;
  readonly #home: LockHome;
  protected readonly holding = new Set<Lane>();
  /** The lane of the next writers. */
  #writers: Lane | undefined;
  /** The lane that the next readers may join. */
  #readers: Lane | undefined;
  /** Calls that are being let in, inside each other. */
  #admitting = 0;

  constructor(operations: SharedOperations, parts: LockParts, home: LockHome) {
    super();
    this.operations = operations;
    this.#parts = parts;
    this.#home = home;
  }

  get closing(): boolean {
    return this.#home.closing;
  }

  get name(): string {
    return this.operations.name;
  }

  [Symbol.iterator](): IterableIterator<Lane> {
    return this.holding.values();
  }

  waitingHere(name: string): Iterable<Waiter> {
    return this.#home.waitingHere(name);
  }

  heldHere(name: string): readonly HoldRecord[] {
    return this.#home.heldHere(name);
  }

  placeIn(lock: Seated): PlaceBehind | undefined {
    const lane = this.#own(lock);
    if (lane?.policy.side !== 'read') return undefined;
    // Once it asks it keeps its place, whoever joins it.
    if (lane.tenure === undefined) lane.policy.behind = this.#behindWriters;
    return lane.policy.behind;
  }

  /**
   * A writer may have come before it: while no message could reach it, or Redis refused it for now, it had no place. Then its calls close a
   * circle now, if any.
   */
  onPlace(lock: Seated): void {
    const lane = this.#own(lock);
    if (lane?.policy.side !== 'read') return;
    const behind = this.#behindWriters;
    if (behind?.writer === lane.policy.behind?.writer) return;
    lane.policy.behind = behind;
    lane.policy.isOvertaken = behind !== undefined;
    for (const waiter of lane.queue) waiter.standsBehind = behind;
  }

  onKeptOut(lock: Seated): void {
    const lane = this.#own(lock);
    if (lane?.policy.isOvertaken !== true) return;
    lane.policy.isOvertaken = false;
    for (const one of [...this]) one.check();
    for (const waiter of lane.queue) judgeAnew(waiter, this, this.#parts);
  }

  /** Where readers stand who ask now. Not behind writers that wait in memory for one of this client: readers may come in before them. */
  get #behindWriters(): PlaceBehind | undefined {
    const writers = this.#writers;
    if (writers === undefined || !(writers.tenure as Tenure | undefined)?.inLine) return undefined;
    return placeBehind(writers.queue, () => this.heldHere(this.name));
  }

  /**
   * A look at a lease may find it over, and leave no lane. Others look for the call here all the same once it has its lane, so the lock is given up
   * only after that.
   */
  acquire(request: AcquireRequest): Promise<unknown> {
    this.#admitting++;
    try {
      return this.#admit(request);
    } finally {
      this.#admitting--;
      this.#dismissIfIdle();
    }
  }

  #admit(request: AcquireRequest): Promise<unknown> {
    for (const lane of isInsideAnything(request) ? [...this] : [this.#readers, this.#writers]) lane?.check();
    if (this.#isUpgrade(request)) {
      const error = new LockUpgradeError(this.name);
      this.#parts.reporter.failed(request, error);
      return rejection(atSite(error, request.site));
    }
    const lane = this.#laneOf(request);
    const outcome = lane.acquire(request);
    if (lane === this.#readers) this.#countWriters(lane);
    return outcome;
  }

  granted(lock: Seated): void {
    this.#home.granted(lock);
  }

  /** It goes to a lane of this lock, or to another lock of the name. Readers have it together. */
  onGranted(granted: Seated): void {
    if (this.#own(granted)?.policy.side === 'read') this.#writers?.onGranted(granted);
    else for (const lane of [...this]) lane.onGranted(granted);
  }

  refuseWaiting(): void {
    for (const lane of [...this]) lane.refuseWaiting();
  }

  close(): void {
    for (const lane of [...this]) lane.close();
  }

  // ---------------------------------------------------------------- by which lane

  /** The call is inside read holds, and would wait for them. A writer that reads may write on, unless it reads in other branches too. */
  #isUpgrade(request: AcquireRequest): boolean {
    if (request.side !== 'write' || lostAround(request, request.scope) !== undefined) return false;
    const lane = this.#laneAround(request);
    return lane?.policy.entry(lane, request) === 'none' && !around(lane.holds, request).every(isWrite);
  }

  /** The call may have been let in, or not, by a hold that has come or gone since it began to wait. */
  #reseat(waiter: Waiter, from: Lane, to?: Lane): void {
    const { request } = waiter;
    if (this.#isUpgrade(request)) waiter.refuse(new LockUpgradeError(this.name));
    else from.handOn(waiter, to ?? this.#laneOf(request));
  }

  /** Calls that were made, and went their own ways, while the `lock()` of the run around them still waited are inside that one from now on. */
  #onOpened(lane: Lane, record: HoldRecord): void {
    if (lane.policy.becomesRead(lane.holds)) void this.#downgrade(lane, lane.tenure as Stake);
    if ((record.unlockScope ?? record.owner) === undefined) return;
    for (const from of this)
      if (from !== lane)
        for (let next = from.queue.firstInside(record); next !== undefined; next = from.queue.firstInside(record))
          this.#reseat(next, from, lane);
  }

  #laneOf(request: AcquireRequest): Lane {
    const inside = this.#laneAround(request);
    if (inside !== undefined) return inside;
    if (request.side === 'write') return (this.#writers ??= this.#open('write'));
    const { terms, owner } = request;
    if (owner !== undefined || terms.mode === 'fixed' || terms.maxHoldMs !== undefined) return this.#open('read');
    if (this.#readers === undefined || !this.#isOpen(this.#readers)) this.#readers = this.#open('read');
    return this.#readers;
  }

  /** The lane of a hold that the call is inside of: of several the one by which it enters at once, or may write. */
  #laneAround(request: AcquireRequest): Lane | undefined {
    if (!isInsideAnything(request)) return undefined;
    const lanes = [...this].filter(({ holds }) => around(holds, request).length > 0);
    return lanes.find((lane) => lane.policy.entry(lane, request) === 'inside') ?? lanes[0];
  }

  #isOpen({ tenure }: Lane): boolean {
    if (!tenure?.held) return true;
    const writerWaits = this.#writers !== undefined || tenure.otherWaiters.count > 0;
    const { lease } = tenure;
    // One that runs out may have hardly anything left, and is to go when it has.
    return !writerWaits && lease.check() && lease.state === 'held' && !lease.runsOut;
  }

  /** The lane, if it is one of this lock's. */
  #own(lock: Seated): Lane | undefined {
    return this.holding.has(lock as Lane) ? (lock as Lane) : undefined;
  }

  #open(side: Side): Lane {
    const { operations } = this;
    const policy = new LanePolicy(
      side,
      (tenure) => this.#downgrade(lane, tenure),
      (record) => this.#onOpened(lane, record),
    );
    const lane: Lane = new Coordinator(operations.of(side), policy, this.#parts, this);
    this.holding.add(lane);
    return lane;
  }

  /** Nothing is left of it. */
  dismiss(lock: Seated): void {
    if (!this.holding.delete(lock as Lane)) return;
    if (this.#writers === lock) this.#writers = undefined;
    if (this.#readers === lock) this.#readers = undefined;
    this.#dismissIfIdle();
  }

  #dismissIfIdle(): void {
    if (this.holding.size === 0 && this.#admitting === 0) this.#home.dismiss(this);
  }

  // ---------------------------------------------------------------- what Redis is told

  /** Calls join without a command. Now and then Redis is asked all the same whether writers wait: their notice may be lost, or forbidden. */
  #countWriters({ tenure }: Lane): void {
    const { wakeup, clock, settings } = this.#parts;
    if (!tenure?.held || wakeup.blind || !tenure.steps.settled) return;
    if (tenure.otherWaiters.countedSince(clock.now() - 2 * settings.reaskMs)) return;
    void change(tenure, () => this.operations.look(tenure.id));
  }

  /** The last write hold of a lane has ended and reads inside it have not. Writers that wait there wait elsewhere from now on. */
  #downgrade(lane: Lane, tenure: Stake): Promise<CountedDown> {
    if (this.#writers === lane) this.#writers = undefined;
    for (const waiter of lane.queue) if (waiter.request.side === 'write') this.#reseat(waiter, lane);
    return change(tenure, () => this.operations.downgrade(tenure.id));
  }
}

/** A lock that readers share is kept on one server, so its stakes are tenures. */
async function change(stake: Stake, build: () => Command<HandoffReply>): Promise<CountedDown> {
  const outcome = await (stake as Tenure).steps.change(build);
  if (outcome.kind === 'lost') stake.lease.lose(outcome.reason);
  return outcome;
}
