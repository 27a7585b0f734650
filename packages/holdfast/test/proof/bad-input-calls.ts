import { createLockClient, type AcquireOptions, type LockClient, type LockClientOptions, type RLock } from 'holdfast';
import { freshName } from '../support/clients.js';

/** What a caller in JavaScript passes where TypeScript would object. */
export const unchecked = (value: unknown): never => value as never;

/** One use of the SDK with some input, the lock given back: true when it was had, false when it was busy. */
export type Use = (client: LockClient) => Promise<boolean>;

/** The ways to take a lock, each with the options by name. */
export const ways = {
  lock: async (lock: RLock, options: AcquireOptions) => {
    await lock.lock(unchecked(options));
    await lock.unlock();
    return true;
  },
  tryLock: async (lock: RLock, { waitMs, leaseMs, ...others }: AcquireOptions) => {
    const had = await lock.tryLock(waitMs, leaseMs, others);
    if (had) await lock.unlock();
    return had;
  },
  acquire: async (lock: RLock, options: AcquireOptions) => {
    await (await lock.acquire(options)).release();
    return true;
  },
  tryAcquire: async (lock: RLock, options: AcquireOptions) => {
    const hold = await lock.tryAcquire(options);
    await hold?.release();
    return hold !== null;
  },
  withLock: async (lock: RLock, options: AcquireOptions) => lock.withLock(options, () => true),
  tryWithLock: async (lock: RLock, options: AcquireOptions) => (await lock.tryWithLock(options, () => true)).ran,
};

export type Way = keyof typeof ways;

/** Takes a lock of a client that exists. */
export function take(input: { name?: unknown; owner?: unknown; options?: unknown; way?: Way }): Use {
  const { way = 'withLock' } = input;
  return async (client) => {
    const name = 'name' in input ? input.name : freshName();
    const handle = 'owner' in input ? { owner: input.owner } : {};
    return ways[way](
      client.getLock(unchecked(name), unchecked(handle)),
      unchecked('options' in input ? input.options : {}),
    );
  };
}

/** Takes a lock with a client of its own. `redis` in the options wins. */
export async function takeWithOwnClient(redis: LockClientOptions['redis'], options: unknown): Promise<boolean> {
  const client = createLockClient(unchecked({ redis, ...(options as object) }));
  try {
    return await take({})(client);
  } finally {
    await client.close();
  }
}
