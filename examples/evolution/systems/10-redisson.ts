import { Notified } from './09-notified.js';

/** System 10: what Redisson's `RLock` is in short: re-entrant, told of releases, and renewed while it is held. One server keeps it. */
export class RedissonLike extends Notified {
  #timer: NodeJS.Timeout | undefined;

  override async tryLock(waitMs = 0): Promise<boolean> {
    const got = await super.tryLock(waitMs);
    if (got) this.#timer ??= setInterval(() => void this.#keep(), this.leaseMs / 3);
    return got;
  }

  override async unlock(): Promise<'free' | 'still held'> {
    const left = await super.unlock();
    if (left === 'free') this.shutdown();
    return left;
  }

  shutdown(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #keep(): Promise<void> {
    if (!(await this.renew().catch(() => true))) this.shutdown();
  }
}
