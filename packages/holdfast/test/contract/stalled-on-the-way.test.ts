import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openFaulty } from '../support/faulty.js';

const kit = useRedis(startPrivateRedis);

const leaseMs = 30_000;
let readingsLeft = Number.POSITIVE_INFINITY;
let lostMs = 0;

beforeAll(() => {
  const read = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => {
    if (--readingsLeft === 0) lostMs += 2 * leaseMs;
    return read() + lostMs;
  });
});

/** Runs `body` in a process that stands still, for longer than a lease, right before the `nth` reading of its clock. */
function standingStillBefore(nth: number, body: () => void): void {
  readingsLeft = nth;
  body();
  readingsLeft = Number.POSITIVE_INFINITY;
}

describe('a process that stands still while it passes a lock on', () => {
  it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    'keeps nobody waiting beyond their time (before reading %i of the clock)',
    async (nth) => {
      const { lock, proxy } = await openFaulty(kit, { watchdogTimeoutMs: leaseMs });
      const hold = await lock.acquire();
      let outcome: unknown;
      const next = lock.tryAcquire({ waitMs: 300 });
      void next.then(
        (granted) => (outcome = granted === null ? 'busy' : 'held'),
        (error: { code?: string }) => (outcome = error.code),
      );
      proxy.hold('both');
      standingStillBefore(nth, () => void hold.release().catch(() => undefined));
      await waitUntil(() => outcome !== undefined, { what: 'the waiting call to be answered', timeoutMs: 5_000 });
      expect(['held', 'busy', 'LOCK_UNAVAILABLE']).toContain(outcome);
      await proxy.heal();
    },
    20_000,
  );
});
