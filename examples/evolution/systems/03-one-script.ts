import type { Redis } from 'ioredis';

const take = `
if redis.call('SETNX', KEYS[1], 'locked') == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

/** System 3: both commands in one script. */
export class OneScript {
  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly leaseMs: number,
  ) {}

  async tryLock(): Promise<boolean> {
    return (await this.redis.eval(take, 1, this.key, this.leaseMs)) === 1;
  }

  async unlock(): Promise<void> {
    await this.redis.del(this.key);
  }
}
