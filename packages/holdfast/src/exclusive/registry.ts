import { whenRead } from '../connection/reading.js';
import { LockClientClosedError, type LockLostReason } from '../errors.js';
import { none } from '../lists.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { LockParts } from '../client-parts.js';
import type { LockIdentity, Operations } from '../tenure/operations.js';
import type { AcquireRequest, Waiter } from '../waiting/waiter.js';
import type { Coordinating, Coordination, HeldLock } from './coordinating.js';
import { Coordinator } from './coordinator.js';
import type { HoldRecord } from './hold-record.js';
import { Lanes } from './lanes.js';
import type { LockHome, Seated } from './lock.js';

/** A lock, as a handle wants it. */
interface Wanted {
  readonly operations: Operations;
  readonly policy: Coordination;
}

/** What waits for something else than a lock. */
export interface Waiting {
  /** The client closes: no call waits any more. */
  refuseWaiting(): void;
}

/** The coordinators of one client: one for each lock that is in use, or its lanes, and none for the others. */
export class Registry implements LockHome {
  readonly #parts: LockParts;
  /** By primitive, by name. */
  readonly #coordinators = new Map<string, Map<string, Coordinating | Lanes>>();
  readonly #others = new Set<Waiting>();
  #size = 0;
  #phase: 'open' | 'draining' | 'closed' = 'open';
  #whenQuiet: (() => void) | undefined;

  constructor(parts: LockParts) {
    this.#parts = parts;
  }

  get closing(): boolean {
    return this.#phase !== 'open';
  }

  /**
   * Lets a call in, or not: once the client closes, only from `inside` a hold that has been given time to finish, since its work could not
   * be completed otherwise.
   *
   * @throws LockClientClosedError
   */
  admit(name: string | undefined, inside?: () => ScopedHold | undefined): void {
    if (this.#phase === 'open') return;
    if (this.#phase === 'closed' || inside?.() === undefined) throw new LockClientClosedError(name);
  }

  /**
   * The coordinator of the lock for this call, made when there is none. `parts`: those of the handle.
   *
   * @throws LockLimitError
   */
  coordinator({ operations, policy }: Wanted, parts: LockParts, request: AcquireRequest): Coordinating {
    const known = this.#seat(operations);
    if (known !== undefined && !(known instanceof Lanes)) return known;
    if (known === undefined) this.#parts.limits.checkNames(operations, this.#size);
    if ('coordinate' in policy) return this.#place(operations, policy.coordinate(parts, this));
    const lane = known?.find(policy.originsOf(request));
    if (lane !== undefined) return lane;
    const coordinator = new Coordinator(operations, policy, parts, this);
    if (policy.contends === 'first') this.#place(operations, coordinator);
    else (known ?? this.#place(operations, new Lanes(policy.holders))).add(coordinator, request.owner);
    return coordinator;
  }

  /** How many more locks may come into use. */
  get room(): number {
    return this.#parts.settings.limits.locks - this.#size;
  }

  /** What is held of a lock in use. */
  find(lock: LockIdentity): HeldLock | undefined {
    return this.#seat(lock);
  }

  /** What is held of the locks of a name, of whatever kind: one command may take it away from all of them. */
  *allOf(name: string): Iterable<HeldLock> {
    for (const named of this.#coordinators.values()) {
      const seat = named.get(name);
      if (seat !== undefined) yield seat;
    }
  }

  heldHere(name: string): readonly HoldRecord[] {
    let held: readonly HoldRecord[] = none;
    for (const named of this.#coordinators.values()) {
      const open = exclusive(named.get(name))?.holds.all ?? none;
      held = held.length === 0 ? open : [...held, ...open];
    }
    return held;
  }

  *waitingHere(name: string): Iterable<Waiter> {
    for (const named of this.#coordinators.values()) {
      yield* exclusive(named.get(name))?.waiting ?? none;
    }
  }

  granted(lock: Seated): void {
    for (const named of this.#coordinators.values()) named.get(lock.name)?.onGranted(lock);
  }

  /** The coordinators of all locks in use. */
  *coordinators(): Iterable<Coordinating> {
    for (const named of this.#coordinators.values()) {
      for (const seat of named.values()) {
        if (seat instanceof Lanes) yield* seat;
        else yield seat;
      }
    }
  }

  /** What this client holds of the locks of a name is lost, as is known by other means than a renewal. Answers whether it held any. */
  takeAway(name: string, reason: LockLostReason): boolean {
    let isHeld = false;
    for (const lock of [...this.allOf(name)]) {
      for (const hold of lock.holds.all) {
        const id = lock.lockOf(hold)?.tenure?.id;
        if (id === undefined) continue;
        lock.takenAway(id, reason);
        isHeld = true;
      }
    }
    return isHeld;
  }

  /** Its calls are refused too when the client closes, until it leaves. */
  enlist(waiting: Waiting): void {
    this.#others.add(waiting);
  }

  leave(waiting: Waiting): void {
    this.#others.delete(waiting);
  }

  /** Refuses new calls and waiting ones; waits at most `drainMs` for open holds; then takes them back, without waiting for it. */
  async close(drainMs: number): Promise<void> {
    this.#phase = 'draining';
    for (const coordinator of [...this.coordinators()]) coordinator.refuseWaiting();
    this.#refuseOthers();
    if (drainMs > 0 && this.#size > 0) await this.#quiet(drainMs);
    this.#phase = 'closed';
    for (const coordinator of [...this.coordinators()]) coordinator.close();
    this.#refuseOthers();
  }

  #refuseOthers(): void {
    for (const waiting of [...this.#others]) waiting.refuseWaiting();
  }

  dismiss(coordinator: Seated): void {
    const seat = this.#seat(coordinator.operations);
    if (seat === coordinator || (seat instanceof Lanes && seat.remove(coordinator) && seat.isEmpty)) {
      this.#coordinators.get(coordinator.operations.primitive)?.delete(coordinator.name);
      this.#size--;
    }
    if (this.#size === 0) this.#whenQuiet?.();
  }

  #seat({ name, primitive }: LockIdentity): Coordinating | Lanes | undefined {
    return this.#coordinators.get(primitive)?.get(name);
  }

  #place<S extends Coordinating | Lanes>({ name, primitive }: LockIdentity, seat: S): S {
    const named = this.#coordinators.get(primitive) ?? new Map<string, Coordinating | Lanes>();
    this.#coordinators.set(primitive, named.set(name, seat));
    this.#size++;
    return seat;
  }

  #quiet(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const { waits, clock, nextTurn } = this.#parts;
      const limit = waits.at(clock.now() + withinMs, () => whenRead(nextTurn, resolve));
      this.#whenQuiet = () => {
        limit.cancel();
        resolve();
      };
    });
  }
}

/** The seat, if one who waits in it waits for those who are in. */
function exclusive(seat: Coordinating | Lanes | undefined): Coordinating | Lanes | undefined {
  return seat instanceof Lanes && seat.holders === 'many' ? undefined : seat;
}
