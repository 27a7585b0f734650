import { Owned } from './04-owned.js';

const renewIfMine = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** System 5: system 4, and a timer that renews the lease at a third of it. An error ends the timer. */
export class Watchdog extends Owned {
  #timer: NodeJS.Timeout | undefined;

  get isRenewing(): boolean {
    return this.#timer !== undefined;
  }

  override async tryLock(waitMs = 0): Promise<boolean> {
    const got = await super.tryLock(waitMs);
    if (got) this.#timer = setInterval(() => void this.#renew(), this.leaseMs / 3);
    return got;
  }

  override async unlock(): Promise<void> {
    this.stop();
    await super.unlock();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #renew(): Promise<void> {
    try {
      const renewed = await this.redis.eval(renewIfMine, 1, this.key, this.owner, this.leaseMs);
      if (renewed === 0) this.stop();
    } catch {
      this.stop();
    }
  }
}
