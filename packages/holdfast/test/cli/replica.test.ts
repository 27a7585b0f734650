import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { holdfast } from './terminal.js';

const kit = useRedis();

describe('the command line on a replica', () => {
  it('says with inspect and unlock that it may be behind: a lock that is free there may be held', async () => {
    const { host, port } = kit.server;
    const replica = await startPrivateRedis({ args: ['--replicaof', host, `${port}`] });
    kit.cleanup(() => replica.stop());
    for (const args of [
      ['inspect', 'order:1'],
      ['unlock', 'order:1', '--yes'],
    ]) {
      expect(await holdfast(kit, [...args, '--redis', replica.url])).toMatchObject({
        code: 1,
        errors: expect.stringContaining('this is a replica, which may be behind'),
      });
    }
  });
});
