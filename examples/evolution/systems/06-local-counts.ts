import { Owned } from './04-owned.js';

/** System 6: system 4, and a count in the process: who has the lock comes in again without asking Redis. */
export class LocalCounts extends Owned {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  override async tryLock(waitMs = 0): Promise<boolean> {
    if (this.#count > 0 || (await super.tryLock(waitMs))) {
      this.#count++;
      return true;
    }
    return false;
  }

  override async unlock(): Promise<void> {
    this.#count--;
    if (this.#count === 0) await super.unlock();
  }
}
