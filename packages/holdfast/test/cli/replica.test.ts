import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
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

  it('says nothing with inspect and unlock of a node of a Cluster that has the lock: all of it is there', async () => {
    const node = await startPrivateRedis({ args: ['--cluster-enabled', 'yes'] });
    kit.cleanup(() => node.stop());
    const admin = new Redis(node.url);
    kit.cleanup(() => admin.disconnect());
    await admin.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => slot));
    await waitUntil(async () => /cluster_state:ok/.test(String(await admin.call('CLUSTER', 'INFO'))));
    for (const args of [
      ['inspect', 'order:1'],
      ['unlock', 'order:1', '--yes'],
    ])
      expect(await holdfast(kit, [...args, '--redis', node.url])).toMatchObject({ code: 1, errors: '' });
  });
});
