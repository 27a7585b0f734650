import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';

/** System 1: `SETNX`, then `EXPIRE`, and `DEL` to unlock. Try once, or poll. */
export class SetnxExpire {
  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly leaseMs: number,
  ) {}

  async tryLock(): Promise<boolean> {
    if ((await this.redis.setnx(this.key, 'locked')) === 0) return false;
    await this.redis.pexpire(this.key, this.leaseMs);
    return true;
  }

  async poll(tries: number, everyMs: number): Promise<boolean> {
    for (let made = 0; made < tries; made++) {
      if (await this.tryLock()) return true;
      await sleep(everyMs);
    }
    return false;
  }

  async unlock(): Promise<void> {
    await this.redis.del(this.key);
  }
}
