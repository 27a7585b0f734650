import { giveBackSome } from '../exclusive/shrinking.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { checkCount } from '../options.js';
import { shown } from '../reports/caller.js';
import type { LockHost } from './acquisition.js';
import { HoldHandle, type HoldState, LOGGED } from './hold.js';
import type { PermitHold } from './semaphore.js';
import type { SemaphoreOperations } from './semaphore-operations.js';

/** The {@link PermitHold} of one record. */
export class PermitHoldHandle implements PermitHold {
  readonly #host: LockHost;
  readonly #operations: SemaphoreOperations;
  readonly #record: HoldRecord;
  readonly #hold: HoldHandle;
  /** Told when it has no permits any more. */
  readonly #onOver: (hold: PermitHoldHandle) => void;
  #permits: number;

  constructor(
    host: LockHost,
    operations: SemaphoreOperations,
    { record, permits }: { readonly record: HoldRecord; readonly permits: number },
    onOver: (hold: PermitHoldHandle) => void,
  ) {
    this.#host = host;
    this.#operations = operations;
    this.#record = record;
    this.#hold = new HoldHandle(host, record);
    this.#permits = permits;
    this.#onOver = onOver;
  }

  get name(): string {
    return this.#record.name;
  }

  get permits(): number {
    return this.#permits;
  }

  get signal(): AbortSignal {
    return this.#record.signal;
  }

  get state(): HoldState {
    return this.#record.state;
  }

  /** Its fixed lease has ended, as it may have been meant to. */
  get ranOut(): boolean {
    return this.#record.terms.mode === 'fixed' && this.state === 'lost';
  }

  remainingMs(): number {
    return this.#record.remainingMs();
  }

  assertHeld(): void {
    this.#hold.assertHeld();
  }

  extend(ms: number): Promise<void> {
    return this.#hold.extend(ms);
  }

  async release(permits?: number): Promise<void> {
    const had = this.#permits;
    if (permits !== undefined && had > 0) checkCount('release: permits', permits, had);
    // They are not this hold's from now on, whatever becomes of the command.
    this.#permits -= had === 0 ? 0 : (permits ?? had);
    const left = this.#permits;
    if (left === 0) this.#onOver(this);
    await shown(left > 0 && this.#record.state !== 'lost' ? this.#shrink(left) : this.#record.release());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  [LOGGED](): object {
    return { ...this.#hold[LOGGED](), permits: this.#permits };
  }

  async #shrink(left: number): Promise<void> {
    const lock = this.#host.registry.find(this.#operations)?.lockOf(this.#record);
    if (lock === undefined) throw this.#record.lossError();
    await giveBackSome(lock, this.#record, (tenure) => this.#operations.shrink(tenure, left));
  }
}
