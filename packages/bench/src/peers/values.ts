/** Two ways to have a value that is computed once: by a lock and a key, as it is done without `share`, and by `share`. Sections are computations here. */

import { createLockClient, type LockClient } from 'holdfast';
import type { Redis } from 'ioredis';
import { connect } from './connect.js';
import type { Locker, Peer } from './peer.js';

const TTL_MS = 60_000;
const VALUE = 'x'.repeat(100);

const notMeasured = (): Promise<never> => Promise.reject(new Error('values are had by run()'));

interface Way extends Pick<Peer, 'name' | 'settings'> {
  readonly have: (client: LockClient, redis: Redis, name: string, compute: () => unknown) => Promise<unknown>;
}

const peerOf = ({ have, ...traits }: Way): Peer => ({
  ...{ ...traits, kind: 'value', renews: true, reenters: false },
  async connect(options) {
    const redis = await connect(options);
    const client = createLockClient({ redis, watchdogTimeoutMs: options.leaseMs });
    const locker: Locker = {
      run: (name, compute) => have(client, redis, name, compute),
      tryOnce: notMeasured,
      hold: notMeasured,
    };
    return { locker: () => locker };
  },
});

/** As recipes tell it: look, lock, look again, compute, leave it there. */
export const byLock = peerOf({
  ...{ name: 'withLock and a key', settings: '`GET`, `withLock`, `GET` again, compute, `SET … PX`' },
  async have(client, redis, name, compute) {
    const key = `value:${name}`;
    if ((await redis.get(key)) !== null) return;
    await client.getLock(name).withLock(async () => {
      if ((await redis.get(key)) !== null) return;
      await compute();
      await redis.set(key, VALUE, 'PX', TTL_MS);
    });
  },
});

export const byShare = peerOf({
  ...{ name: 'share', settings: '`share(name, { ttlMs, fn })`' },
  have: (client, _redis, name, compute) =>
    client.share(name, {
      ttlMs: TTL_MS,
      fn: async () => {
        await compute();
        return VALUE;
      },
    }),
});

export const values: readonly Peer[] = [byLock, byShare];
