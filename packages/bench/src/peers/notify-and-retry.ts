/**
 * The design that everybody copies from Redisson, as small as it can be written: a hash with a count for each owner, a broadcast when it is
 * released, and waiters that try again after each message or when the lease that they were told has run out.
 *
 * As in Redisson a message wakes one waiter in each process, not all of them. Redisson's latch against repeated releases, its watchdog and
 * its wait for replicas are left out: all of them would only cost.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { connect } from './connect.js';
import { inside, type Peer, type PeerClient } from './peer.js';
import { Wakeups } from './wakeups.js';

const script = (source: string) => ({ source, sha: createHash('sha1').update(source).digest('hex') });

/** KEYS lock; ARGV owner, lease. Nil when the lock is the owner's now, else the rest of the lease. */
const tryScript = script(`
if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[1], 1)
  redis.call('pexpire', KEYS[1], ARGV[2])
  return nil
end
return redis.call('pttl', KEYS[1])`);

/** KEYS lock, channel; ARGV owner, lease. */
const releaseScript = script(`
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], '0')
return 1`);

const channelOf = (name: string) => `released:{${name}}`;

class NotifyAndRetry {
  readonly #redis: Redis;
  readonly #wakeups: Wakeups;
  readonly #leaseMs: number;

  constructor(redis: Redis, wakeups: Wakeups, leaseMs: number) {
    this.#redis = redis;
    this.#wakeups = wakeups;
    this.#leaseMs = leaseMs;
  }

  /** Undefined: acquired. Else the rest of the lease in ms. */
  async attempt(name: string, owner: string): Promise<number | undefined> {
    const rest = await this.#redis.evalsha(tryScript.sha, 1, name, owner, this.#leaseMs);
    return rest === null ? undefined : Number(rest);
  }

  async acquire(name: string, owner: string): Promise<void> {
    if ((await this.attempt(name, owner)) === undefined) return;
    const channel = channelOf(name);
    await this.#wakeups.join(channel);
    try {
      for (;;) {
        const restMs = await this.attempt(name, owner);
        if (restMs === undefined) return;
        await this.#wakeups.next(channel, Math.max(1, restMs));
      }
    } finally {
      this.#wakeups.leave(channel);
    }
  }

  release(name: string, owner: string): Promise<unknown> {
    return this.#redis.evalsha(releaseScript.sha, 2, name, channelOf(name), owner, this.#leaseMs);
  }
}

/** A client on two connections of the caller's. */
export async function notifyAndRetryClient(redis: Redis, subscriber: Redis, leaseMs: number): Promise<PeerClient> {
  await redis.script('LOAD', tryScript.source);
  await redis.script('LOAD', releaseScript.source);
  const lock = new NotifyAndRetry(redis, new Wakeups(subscriber), leaseMs);
  const id = randomUUID();
  let lockers = 0;
  return {
    locker() {
      const owner = `${id}:${++lockers}`;
      const hold = async (name: string) => {
        await lock.acquire(name, owner);
        return () => lock.release(name, owner);
      };
      return {
        run: (name, section) => inside(hold(name), section),
        async tryOnce(name) {
          const acquired = (await lock.attempt(name, owner)) === undefined;
          if (acquired) await lock.release(name, owner);
          return acquired;
        },
        hold,
      };
    },
  };
}

export const notifyAndRetry: Peer = {
  name: 'notify-and-retry',
  kind: 'lock',
  renews: false,
  reenters: true,
  settings:
    "Redisson's algorithm written here: hash script, broadcast on release, wait for the lease that was told; no renewal",
  connect: async (options) => notifyAndRetryClient(await connect(options), await connect(options), options.leaseMs),
};
