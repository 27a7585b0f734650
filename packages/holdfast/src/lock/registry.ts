import type { LockKeys } from '@holdfast/core';
import { LockClientClosedError } from '../errors.js';
import type { ScopedLevel } from '../scope.js';
import { Monitor } from './monitor.js';
import type { Parts } from './parts.js';

/** The monitors of one client: one for each lock name that is in use, and none for the others. */
export class Registry {
  readonly #parts: Parts;
  readonly #monitors = new Map<string, Monitor>();
  #phase: 'open' | 'draining' | 'closed' = 'open';
  #whenQuiet: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Lets a call in, or not: once the client closes, only from `inside` a hold that has been given time to finish, since its work could not
   * be completed otherwise.
   *
   * @throws LockClientClosedError
   */
  admit(name: string, inside?: () => ScopedLevel | undefined): void {
    if (this.#phase === 'open') return;
    if (this.#phase === 'closed' || inside?.() === undefined) throw new LockClientClosedError(name);
  }

  /**
   * The monitor of a lock, made when it comes into use.
   *
   * @throws LockLimitError
   */
  monitor(keys: LockKeys): Monitor {
    const known = this.#monitors.get(keys.name);
    if (known !== undefined) return known;
    this.#parts.limits.checkNames(keys.name, this.#monitors.size);
    const monitor = new Monitor(keys, this.#parts, this.#dismiss);
    this.#monitors.set(monitor.name, monitor);
    return monitor;
  }

  /** The monitor of a name in use. */
  find(name: string): Monitor | undefined {
    return this.#monitors.get(name);
  }

  /** The monitors of all names in use. */
  get monitors(): Iterable<Monitor> {
    return this.#monitors.values();
  }

  /** Refuses new calls and waiting ones; waits at most `drainMs` for open holds; then takes them back, without waiting for it. */
  async close(drainMs: number): Promise<void> {
    this.#phase = 'draining';
    for (const monitor of [...this.#monitors.values()]) monitor.refuseWaiting();
    if (drainMs > 0 && this.#monitors.size > 0) await this.#quiet(drainMs);
    this.#phase = 'closed';
    for (const monitor of [...this.#monitors.values()]) monitor.close();
  }

  readonly #dismiss = (monitor: Monitor): void => {
    if (this.#monitors.get(monitor.name) === monitor) this.#monitors.delete(monitor.name);
    if (this.#monitors.size === 0) this.#whenQuiet?.();
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
