import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { beforeEach } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';
import { KEPT, waitersOf, type World } from './world.js';

const EPOCH_MS = 1_700_000_000_000;
/** Time passes in steps of this, so that what waits for one another takes turns. */
const STEP_MS = 5;
/** No test waits for longer. */
const PATIENCE_MS = 60_000;

/** A memory server, and time that passes only while a test waits for something. */
export function memoryWorld(): World {
  const leaks = guardLeaks();
  let clock: ManualClock;
  let admin: Redis;
  let openRedis: () => Redis;
  beforeEach(async () => {
    clock = new ManualClock();
    const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
    const place = { network: direct(() => server), timers: clock };
    openRedis = () => memoryRedis(place, { lazyConnect: true, enableOfflineQueue: false });
    admin = openRedis();
    await admin.connect();
    leaks.cleanup(() => admin.disconnect());
  });
  /** A test and what it runs may both wait: one of them lets time pass. */
  let isPassing = false;
  const step = async () => {
    if (isPassing) return turns();
    isPassing = true;
    try {
      await clock.advance(STEP_MS);
    } finally {
      isPassing = false;
    }
  };
  const pass = async (isOver: () => boolean | Promise<boolean>, what: string) => {
    const end = clock.now() + PATIENCE_MS;
    while (!(await isOver())) {
      if (clock.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS} ms of this world's time`);
      await step();
    }
  };
  return {
    title: 'on a memory server',
    open: (options) => {
      const surroundings = {
        ...systemSurroundings(),
        clock,
        openRedis: () => ({ kind: 'node' as const, redis: openRedis(), ownership: 'ours' as const }),
      };
      const client = createLockClientIn(surroundings, { redis: 'redis://memory', ...options });
      leaks.cleanup(() => client.close());
      return client;
    },
    until: pass,
    outcome: async (call) => {
      let settled = false;
      const end = () => {
        settled = true;
      };
      call.then(end, end);
      await pass(() => settled, 'a call');
      return call;
    },
    deleteLock: async (name) => void (await admin.del(name)),
    keysOf: async (name) => (await admin.keys(`*${name}*`)).filter((key) => !KEPT.test(key)),
    waiters: (name, wakeup) => waitersOf(admin, name, wakeup),
  };
}
