import type { RedisServer } from '../redis/server.js';
import { LeakCheck } from './leak-check.js';
import type { Cleanup, LeakCheckOptions } from './leak-check.js';
import { hook } from './runner-hooks.js';

/** The leak checks of a test file. */
export interface LeakGuard {
  /** Undoes something when the running test has ended, before the check; the last registered runs first. */
  cleanup(undo: Cleanup): void;
  /** Also looks at this server, from the next test on; for servers that live longer than a test. */
  track(server: RedisServer): void;
}

/**
 * Fails the test that leaks. Call it at the top of a test file, or of a `describe`.
 *
 * A leak is: a timer that the test set, unref'd or not (AbortSignal.timeout and the pool of redis-parser excepted: nothing can clear them); a socket or
 * process that keeps the event loop alive and was not there before; an unhandled rejection; a warning such as
 * MaxListenersExceeded; on a tracked private server a client, a subscription or a key without expiry.
 *
 * Undo things in `cleanup`, which runs before the check. An `afterEach` at the same level that is registered later runs
 * after it, too late.
 */
export function guardLeaks(options?: LeakCheckOptions): LeakGuard {
  const check = new LeakCheck(options);
  hook('beforeEach', () => check.begin());
  hook('afterEach', () => check.end());
  return { cleanup: (undo) => check.cleanup(undo), track: (server) => check.track(server) };
}
