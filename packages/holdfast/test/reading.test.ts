import { ManualClock } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { expect, it } from '@jest/globals';
import { whenOver } from '../src/connection/reading.js';

/** A limit whose clock is driven, and what has been read of it. */
function setUp(ms: number) {
  const clock = new ManualClock(1_000.25);
  const waits = new Schedule(clock, 'keeps-process-alive', () => undefined);
  const seen = { over: 0 };
  const limit = whenOver(ms, { clock, waits, nextTurn: (run) => run() }, () => seen.over++);
  return { clock, limit, seen };
}

it.each([1, 7, 500, 10_000])('a limit of %i ms is over then, and once', async (ms) => {
  const { clock, seen } = setUp(ms);
  await clock.advance(ms - 1);
  expect(seen.over).toBe(0);
  await clock.advance(2);
  expect(seen.over).toBe(1);
  expect(clock.pendingTimers).toBe(0);
});

it.each([0, 300, 430])('of a limit, standing still takes an eighth at most (after %i of 500 ms)', async (ms) => {
  const { clock, seen } = setUp(500);
  await clock.advance(ms);
  clock.jump(60_000);
  await clock.advance(500 - ms - 64);
  expect(seen.over).toBe(0);
  await clock.advance(65);
  expect(seen.over).toBe(1);
});

it('a limit that is cancelled is never over', async () => {
  const { clock, limit, seen } = setUp(500);
  await clock.advance(200);
  limit.cancel();
  await clock.advance(1_000);
  expect([seen.over, clock.pendingTimers]).toEqual([0, 0]);
});
