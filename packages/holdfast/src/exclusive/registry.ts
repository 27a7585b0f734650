import { LockClientClosedError } from '../errors.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { LockParts } from '../client-parts.js';
import type { LockIdentity, Operations } from '../tenure/operations.js';
import { Coordinator } from './coordinator.js';
import type { ExclusivePolicy } from './policy.js';

/** The coordinators of one client: one for each lock that is in use, and none for the others. */
export class Registry {
  readonly #parts: LockParts;
  /** By primitive, by name. */
  readonly #coordinators = new Map<string, Map<string, Coordinator>>();
  #size = 0;
  #phase: 'open' | 'draining' | 'closed' = 'open';
  #whenQuiet: (() => void) | undefined;

  constructor(parts: LockParts) {
    this.#parts = parts;
  }

  /**
   * Lets a call in, or not: once the client closes, only from `inside` a hold that has been given time to finish, since its work could not
   * be completed otherwise.
   *
   * @throws LockClientClosedError
   */
  admit(name: string, inside?: () => ScopedHold | undefined): void {
    if (this.#phase === 'open') return;
    if (this.#phase === 'closed' || inside?.() === undefined) throw new LockClientClosedError(name);
  }

  /**
   * The coordinator of a lock, made when it comes into use.
   *
   * @throws LockLimitError
   */
  coordinator(operations: Operations, policy: ExclusivePolicy): Coordinator {
    const known = this.find(operations);
    if (known !== undefined) return known;
    const { name, primitive } = operations;
    this.#parts.limits.checkNames(name, this.#size);
    const coordinator = new Coordinator(operations, policy, this.#parts, this.#dismiss);
    const named = this.#coordinators.get(primitive);
    if (named === undefined) this.#coordinators.set(primitive, new Map([[name, coordinator]]));
    else named.set(name, coordinator);
    this.#size++;
    return coordinator;
  }

  /** The coordinator of a lock in use. */
  find({ name, primitive }: LockIdentity): Coordinator | undefined {
    return this.#coordinators.get(primitive)?.get(name);
  }

  /** The coordinators of all locks in use. */
  *coordinators(): Iterable<Coordinator> {
    for (const named of this.#coordinators.values()) yield* named.values();
  }

  /** Refuses new calls and waiting ones; waits at most `drainMs` for open holds; then takes them back, without waiting for it. */
  async close(drainMs: number): Promise<void> {
    this.#phase = 'draining';
    for (const coordinator of [...this.coordinators()]) coordinator.refuseWaiting();
    if (drainMs > 0 && this.#size > 0) await this.#quiet(drainMs);
    this.#phase = 'closed';
    for (const coordinator of [...this.coordinators()]) coordinator.close();
  }

  readonly #dismiss = (coordinator: Coordinator): void => {
    if (this.find(coordinator.operations) === coordinator) {
      this.#coordinators.get(coordinator.operations.primitive)?.delete(coordinator.name);
      this.#size--;
    }
    if (this.#size === 0) this.#whenQuiet?.();
  };

  #quiet(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const { waits, clock } = this.#parts;
      const limit = waits.at(clock.now() + withinMs, resolve);
      this.#whenQuiet = () => {
        limit.cancel();
        resolve();
      };
    });
  }
}
