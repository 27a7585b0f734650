/** Fake timers that are there before holdfast is, as with `fakeTimers: { enableGlobally: true }` of Jest. */
import { afterEach, expect, it, jest } from '@jest/globals';

afterEach(() => void jest.useRealTimers());

it.each([10, 300])('calls for %d free locks at once have them, though nobody moves time on', async (many) => {
  jest.useFakeTimers();
  jest.resetModules();
  const { createTestClient } = await import('holdfast/testing');
  const locks = createTestClient({ time: 'system' });
  const holds = await Promise.all(Array.from({ length: many }, (_, n) => locks.getLock(`order:${n}`).acquire()));
  expect(holds.map(({ state }) => state)).toEqual(holds.map(() => 'held'));
  await Promise.all(holds.map((hold) => hold.release()));
  await locks.close();
});
