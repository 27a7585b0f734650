import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const deleteIfMine = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** System 4: `SET key value NX PX` with a value of one's own, which a script compares before it deletes. Waits by polling. */
export class Owned {
  readonly owner = randomUUID();

  constructor(
    readonly redis: Redis,
    readonly key: string,
    readonly leaseMs: number,
  ) {}

  async tryLock(waitMs = 0): Promise<boolean> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      if ((await this.redis.set(this.key, this.owner, 'PX', this.leaseMs, 'NX')) === 'OK') return true;
      if (performance.now() >= deadline) return false;
      await sleep(50);
    }
  }

  async unlock(): Promise<void> {
    if ((await this.redis.eval(deleteIfMine, 1, this.key, this.owner)) === 0) throw new Error('not locked by you');
  }
}
