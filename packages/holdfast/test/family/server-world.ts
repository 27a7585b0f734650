import { useRedis, waitUntil } from '@holdfast/testkit';
import { openClient } from '../support/clients.js';
import { KEPT, waitersOf, type World } from './world.js';

/** A real server, and time that passes by itself. */
export function serverWorld(): World {
  const kit = useRedis();
  return {
    title: 'on a real server',
    open: (options) => {
      // By count, they stay for ever.
      kit.cleanup(async () => {
        const counters = await kit.admin.keys('redisson_lock_token:*');
        if (counters.length > 0) await kit.admin.del(counters);
      });
      return openClient(kit, options);
    },
    until: async (condition, what) => void (await waitUntil(condition, { what, timeoutMs: 60_000 })),
    outcome: (call) => call,
    deleteLock: async (name) => void (await kit.admin.del(name)),
    keysOf: async (name) => (await kit.admin.keys(`*${name}*`)).filter((key) => !KEPT.test(key)),
    waiters: (name, wakeup) => waitersOf(kit.admin, name, wakeup),
  };
}
