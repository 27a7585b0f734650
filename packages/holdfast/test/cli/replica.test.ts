import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { holdfast } from './terminal.js';

const replica = useRedis(() => startPrivateRedis({ args: ['--replicaof', '127.0.0.1', '1'] }));

describe('the command line on a replica', () => {
  it.each([
    ['inspect', 'order:1'],
    ['unlock', 'order:1', '--yes'],
  ])('says with %s that it may be behind: a lock that is free there may be held', async (...args) => {
    expect(await holdfast(replica, args)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('this is a replica, which may be behind'),
    });
  });
});
