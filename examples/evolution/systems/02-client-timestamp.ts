import type { Redis } from 'ioredis';

/** System 2: the value is when the lock ends, by the clock of the client; whoever finds that time passed takes the lock with `GETSET`. */
export class ClientTimestamp {
  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly leaseMs: number,
  ) {}

  async tryLock(): Promise<boolean> {
    const end = String(Date.now() + this.leaseMs);
    if ((await this.redis.setnx(this.key, end)) === 1) return true;
    const seen = await this.redis.get(this.key);
    if (seen !== null && Number(seen) > Date.now()) return false;
    return (await this.redis.getset(this.key, end)) === seen;
  }

  async unlock(): Promise<void> {
    await this.redis.del(this.key);
  }
}
