import { memoryRedis, type Network } from '@holdfast/memory';
import type { guardLeaks, ManualClock } from '@holdfast/testkit';
import type { LockClient, LockClientOptions } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';

/** Makes clients with connections of their own through a network in memory, on one clock that the test drives; closed when the test has ended. */
export function memoryClients(clock: ManualClock, leaks: ReturnType<typeof guardLeaks>) {
  return (network: Network, options: Partial<LockClientOptions> = {}): LockClient => {
    const redis = () =>
      memoryRedis(
        { network, timers: clock },
        { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      );
    const openRedis = () => ({ kind: 'node', redis: redis(), ownership: 'ours' }) as const;
    const surroundings = { ...systemSurroundings(), clock, openRedis };
    const client = createLockClientIn(surroundings, { redis: 'redis://memory', ...options });
    leaks.cleanup(() => client.close());
    return client;
  };
}
