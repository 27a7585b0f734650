import type { Redis } from 'ioredis';
import { guardLeaks } from './leaks/guard-leaks.js';
import type { Cleanup, LeakCheckOptions } from './leaks/leak-check.js';
import { hook } from './leaks/runner-hooks.js';
import { startRedis } from './redis/server.js';
import type { RedisServer } from './redis/server.js';

/** A server for the tests of a file. */
export interface RedisKit {
  /** @throws Error before the first test. */
  readonly server: RedisServer;
  /** The test's own client. @throws Error before the first test. */
  readonly admin: Redis;
  /** Undoes something when the running test has ended, before the leak check; the last registered runs first. */
  cleanup(undo: Cleanup): void;
}

/**
 * One server for a file (or a `describe`): started before its tests, empty at the start of each, stopped after them,
 * with the leak checks of `guardLeaks`.
 *
 * ```ts
 * const kit = useRedis();                       // useRedis(startPrivateRedis) for tests that stop or kill it
 * it('…', async () => {
 *   const redis = new Redis(kit.server.url);
 *   kit.cleanup(() => redis.disconnect());
 * });
 * ```
 *
 * A shared server (`REDIS_URL`) is neither flushed nor checked: tests on it use names of their own.
 */
export function useRedis(start: () => Promise<RedisServer> = startRedis, options?: LeakCheckOptions): RedisKit {
  let running: { server: RedisServer; admin: Redis } | undefined;
  const present = (): { server: RedisServer; admin: Redis } => {
    if (running === undefined) throw new Error('the server runs only during tests: use it inside them');
    return running;
  };
  hook('beforeAll', async () => {
    const server = await start();
    running = { server, admin: await server.admin() };
    leaks.track(server);
  });
  hook('beforeEach', async () => {
    const { server, admin } = present();
    if (!server.isShared) await admin.flushall();
  });
  const leaks = guardLeaks(options);
  hook('afterAll', async () => {
    await running?.server.stop();
    running = undefined;
  });
  return {
    get server() {
      return present().server;
    },
    get admin() {
      return present().admin;
    },
    cleanup: (undo) => leaks.cleanup(undo),
  };
}
