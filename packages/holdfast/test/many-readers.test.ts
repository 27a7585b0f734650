/** Readers with a lease of their own have each a lane: what one costs must not grow with how many there are. */
import { useRedis } from '@holdfast/testkit';
import { expect, it, jest } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { Coordinator } from '../src/exclusive/coordinator.js';

const kit = useRedis();

it('a reader with a lease of its own looks at no other, however many there are', async () => {
  const client = createLockClient({ redis: kit.server.url });
  kit.cleanup(() => client.close());
  const lock = client.getReadWriteLock('order').readLock();
  const looks = jest.spyOn(Coordinator.prototype, 'check');
  const holds = await Promise.all(Array.from({ length: 200 }, () => lock.acquire({ leaseMs: 60_000 })));
  expect(looks.mock.calls.length).toBeLessThan(1_000);
  looks.mockRestore();
  await Promise.all(holds.map((hold) => hold.release()));
});
