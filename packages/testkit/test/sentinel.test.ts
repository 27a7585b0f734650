import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { guardLeaks, startSentinel, waitUntil } from '@holdfast/testkit';
import type { TestSentinel } from '@holdfast/testkit';

jest.setTimeout(180_000);

let kit: TestSentinel;
beforeAll(async () => {
  kit = await startSentinel();
});
afterAll(() => kit.stop());
const leaks = guardLeaks();

function connect(): Redis {
  const redis = new Redis({ sentinels: kit.sentinels, name: kit.name, sentinelRetryStrategy: () => 20 });
  redis.on('error', () => undefined);
  leaks.cleanup(() => redis.disconnect());
  return redis;
}

describe('a master with replicas under Sentinel', () => {
  it('is what a client finds by its name, and replicates', async () => {
    const redis = connect();
    await redis.set('k', 'v');
    expect(await redis.wait(2, 5_000)).toBe(2);
    const master = await kit.master();
    expect(await (await master.admin()).get('k')).toBe('v');
    expect(kit.nodes.map((node) => node.port)).toContain(master.port);
  });

  it('fails over on demand, and the old master follows the new one', async () => {
    const before = await kit.master();
    const after = await kit.failover();
    expect(after).not.toBe(before);
    expect(await kit.master()).toBe(after);
    await kit.whenReady();
    expect((await (await before.admin()).role())[0]).toBe('slave');
  });

  it('fails over when the master is killed, which comes back as a replica without its data', async () => {
    const before = await kit.master();
    const admin = await before.admin();
    await admin.set('k', 'v');
    await before.kill();
    expect(await kit.masterAfter(before)).not.toBe(before);
    await before.restart();
    expect(await admin.dbsize()).toBe(0);
    await kit.whenReady();
    expect((await admin.role())[0]).toBe('slave');
  });

  it('fails over when the master hangs', async () => {
    const before = await kit.master();
    await before.stopProcess();
    leaks.cleanup(() => before.continueProcess());
    const after = await kit.masterAfter(before);
    await before.continueProcess();
    await waitUntil(async () => (await kit.master()) === after, { what: 'the new master to stay' });
    await kit.whenReady();
  });
});
