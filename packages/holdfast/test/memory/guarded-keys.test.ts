/** What a client keeps of the keys that a holder writes to under its token: counted, not measured. Time is driven. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { createTestClient } from 'holdfast/testing';
import { type Fence, FencingTokens } from '../../src/tenure/fence.js';

const client = createTestClient();
afterEach(() => void jest.restoreAllMocks());

it('is what it writes to at the moment, however many keys it has written to', async () => {
  let fence: Fence | undefined;
  const { get } = Object.getOwnPropertyDescriptor(FencingTokens.prototype, 'current') as {
    get: (this: FencingTokens) => Fence | undefined;
  };
  jest.spyOn(FencingTokens.prototype, 'current', 'get').mockImplementation(function (this: FencingTokens) {
    fence = get.call(this);
    return fence;
  });
  const hold = await client.getFencedLock('order').acquire();
  const { guard } = hold;
  for (let i = 0; i < 50; i++) await guard.set(`account ${i}`, i);
  const twice = [guard.set('balance', 1), guard.set('balance', 2)];
  const failing = expect(guard.hset('balance', { owner: 'Ada' })).rejects.toThrow();
  expect([...(fence?.underWay.keys() ?? [])]).toEqual(['balance']);
  await Promise.all([...twice, failing]);
  await Promise.resolve();
  expect(fence?.underWay.size).toBe(0);
  await hold.release();
  await client.close();
});
