import { createTestClient, holdfastMatchers } from 'holdfast/testing';
import { afterEach, expect, test, vi } from 'vitest';

expect.extend(holdfastMatchers);
afterEach(() => vi.useRealTimers());

test('the lock is kept while work goes on, by the timers of Vitest', async () => {
  vi.useFakeTimers();
  const locks = createTestClient({ time: 'system' });
  const hold = await locks.getLock('report').acquire();
  await vi.advanceTimersByTimeAsync(3_600_000);
  await expect(hold).toBeHeld();
  await hold.release();
  await expect(locks.getLock('report')).toBeFree();
  await locks.close();
});
