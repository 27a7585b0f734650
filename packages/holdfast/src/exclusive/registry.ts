import { LockClientClosedError } from '../errors.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { ClientParts } from '../client-parts.js';
import type { Operations } from '../tenure/operations.js';
import { Coordinator } from './coordinator.js';
import type { ExclusivePolicy } from './policy.js';

/** The coordinators of one client: one for each lock name that is in use, and none for the others. */
export class Registry {
  readonly #policy: ExclusivePolicy;
  readonly #parts: ClientParts;
  readonly #coordinators = new Map<string, Coordinator>();
  #phase: 'open' | 'draining' | 'closed' = 'open';
  #whenQuiet: (() => void) | undefined;

  constructor(policy: ExclusivePolicy, parts: ClientParts) {
    this.#policy = policy;
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
  coordinator(operations: Operations): Coordinator {
    const { name } = operations;
    const known = this.#coordinators.get(name);
    if (known !== undefined) return known;
    this.#parts.limits.checkNames(name, this.#coordinators.size);
    const coordinator = new Coordinator(operations, this.#policy, this.#parts, this.#dismiss);
    this.#coordinators.set(coordinator.name, coordinator);
    return coordinator;
  }

  /** The coordinator of a name in use. */
  find(name: string): Coordinator | undefined {
    return this.#coordinators.get(name);
  }

  /** The coordinators of all names in use. */
  get coordinators(): Iterable<Coordinator> {
    return this.#coordinators.values();
  }

  /** Refuses new calls and waiting ones; waits at most `drainMs` for open holds; then takes them back, without waiting for it. */
  async close(drainMs: number): Promise<void> {
    this.#phase = 'draining';
    for (const coordinator of [...this.#coordinators.values()]) coordinator.refuseWaiting();
    if (drainMs > 0 && this.#coordinators.size > 0) await this.#quiet(drainMs);
    this.#phase = 'closed';
    for (const coordinator of [...this.#coordinators.values()]) coordinator.close();
  }

  readonly #dismiss = (coordinator: Coordinator): void => {
    if (this.#coordinators.get(coordinator.name) === coordinator) this.#coordinators.delete(coordinator.name);
    if (this.#coordinators.size === 0) this.#whenQuiet?.();
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
