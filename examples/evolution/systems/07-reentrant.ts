import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

const take = `
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return -1
end
return redis.call('PTTL', KEYS[1])`;

/** The channel on which system 9 hears of a release; nobody listens before. */
const give = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return nil end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[1], 'free')
return 1`;

const renewIfMine = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** System 7: a hash with a field for the owner and a count in it; three scripts take, give back and renew. */
export class Reentrant {
  readonly owner = randomUUID();

  constructor(
    readonly redis: Redis,
    readonly key: string,
    readonly leaseMs: number,
  ) {}

  /** `'mine'`, or for how many milliseconds somebody else has it. */
  async attempt(): Promise<'mine' | number> {
    const left = Number(await this.redis.eval(take, 1, this.key, this.owner, this.leaseMs));
    return left === -1 ? 'mine' : left;
  }

  async tryLock(): Promise<boolean> {
    return (await this.attempt()) === 'mine';
  }

  async unlock(): Promise<'free' | 'still held'> {
    const left = await this.redis.eval(give, 1, this.key, this.owner);
    if (left === null) throw new Error('not locked by you');
    return left === 1 ? 'free' : 'still held';
  }

  /** Whether there was something to renew. */
  async renew(): Promise<boolean> {
    return (await this.redis.eval(renewIfMine, 1, this.key, this.owner, this.leaseMs)) === 1;
  }
}
