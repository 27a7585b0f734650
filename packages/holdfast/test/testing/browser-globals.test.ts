/** @jest-environment <rootDir>/test/support/browser-environment.mjs */
import { afterAll, describe, expect, it } from '@jest/globals';
import { createTestClient } from 'holdfast/testing';

describe('where timers are numbers and there is no setImmediate, as under jsdom,', () => {
  const locks = createTestClient();
  const inRealTime = createTestClient({ time: 'system' });
  afterAll(() => Promise.all([locks.close(), inRealTime.close()]));

  it('a lock of a test client is had, waited for and lost', async () => {
    const hold = await locks.getLock('x').acquire({ leaseMs: 500 });
    const waiting = locks.getLock('x').withLock(() => 'served');
    await locks.advance(600);
    expect(hold.state).toBe('lost');
    expect(await waiting).toBe('served');
  });

  it('a lock is had, waited for in time and given back by timers of the system', async () => {
    expect(setTimeout(() => undefined, 0)).toEqual(expect.any(Number));
    const lock = inRealTime.getLock('x');
    await lock.withLock(async () => {
      expect(await inRealTime.exit(() => lock.tryAcquire({ waitMs: 20 }))).toBe(null);
    });
  });
});
