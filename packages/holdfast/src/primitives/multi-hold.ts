import { LockNotHeldError } from '../errors.js';
import { checkExtension } from '../exclusive/extension.js';
import { checkFunction, checkTime, MIN_LEASE_MS } from '../options.js';
import { shown } from '../reports/caller.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Hold, HoldState } from './hold.js';
import type { HoldBundle } from './hold-bundle.js';

/** The {@link Hold} of a multi-lock. Nothing that its bundle is known to knows it: what no code can release is found by its absence. */
export class MultiHold implements Hold {
  readonly name: string;
  readonly #bundle: HoldBundle;

  constructor(name: string, bundle: HoldBundle) {
    this.name = name;
    this.#bundle = bundle;
  }

  get signal(): AbortSignal {
    return this.#bundle.signal;
  }

  get inherited(): Inherited | undefined {
    return this.#bundle.inherited;
  }

  get state(): HoldState {
    return this.#bundle.state;
  }

  remainingMs(): number {
    return this.#bundle.remainingMs();
  }

  assertHeld(): void {
    const lost = this.#bundle.check();
    if (lost !== undefined) throw lost.lossError();
    if (this.state === 'released') throw new LockNotHeldError(this.name, 'this hold: it has been released');
  }

  run<T>(fn: () => PromiseLike<T>): Promise<T>;
  run<T>(fn: () => T): T;
  run(fn: () => unknown): unknown {
    checkFunction('hold.run', fn);
    this.assertHeld();
    return this.#bundle.inside(fn, 'run');
  }

  async extend(ms: number): Promise<void> {
    checkTime('ms', ms, MIN_LEASE_MS);
    this.assertHeld();
    const { taken } = this.#bundle;
    // Each has a limit and an end of its own: before the first of them sends anything.
    for (const { member, record } of taken) checkExtension(member.host.parts, record, ms);
    await shown(Promise.all(taken.map(({ record }) => record.extend(ms))));
  }

  release(): Promise<void> {
    for (const { member, record } of this.#bundle.taken) member.host.parts.forgotten.unwatch(record);
    return shown(this.#bundle.release());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}
