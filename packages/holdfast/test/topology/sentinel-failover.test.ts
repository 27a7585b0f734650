import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@holdfast/testkit';
import type { Hold } from 'holdfast';
import { freshName } from '../support/clients.js';
import { useSentinel } from '../support/topologies.js';
import { type Fault, itSurvives } from './failover.js';

const kit = useSentinel();

const faults: Fault[] = [
  {
    title: 'SENTINEL FAILOVER',
    mayForget: true,
    strike: async () => {
      await kit.sentinel.failover();
      return () => kit.sentinel.whenReady();
    },
  },
  {
    title: 'SIGKILL',
    mayForget: true,
    strike: async () => {
      const master = await kit.sentinel.master();
      await master.kill();
      await kit.sentinel.masterAfter(master);
      return async () => {
        await master.restart();
        await kit.sentinel.whenReady();
      };
    },
  },
  {
    title: 'SIGSTOP',
    mayForget: true,
    strike: async () => {
      const master = await kit.sentinel.master();
      await master.stopProcess();
      await kit.sentinel.masterAfter(master);
      return async () => {
        await master.continueProcess();
        await kit.sentinel.whenReady();
      };
    },
  },
];

describe('when the master behind Sentinel goes', () => {
  for (const fault of faults) itSurvives(kit, fault, async () => freshName());

  it('connections leave an old master that still takes writes, and every hold that only it knew is told', async () => {
    const client = kit.open({ watchdogTimeoutMs: 30_000 });
    const before = await kit.sentinel.master();
    const holds: Hold[] = [];
    let over = false;
    const taking = (async () => {
      while (!over) {
        const hold = await client
          .getLock(freshName())
          .tryAcquire({ waitMs: 2_000 })
          .catch(() => null);
        if (hold !== null) holds.push(hold);
      }
    })();
    const after = await kit.sentinel.failover();
    // The old master has not been told yet that it is one no more.
    expect(String(await (await before.admin()).role())).toMatch(/^master/);
    await waitUntil(async () => (await kit.connectionsTo(before)).length === 0, {
      what: 'all connections to leave the old master',
      timeoutMs: 4_000,
    });
    over = true;
    await taking;
    expect(holds.length).toBeGreaterThan(0);
    const known = await Promise.all(holds.map(async ({ name }) => (await after.admin()).exists(name)));
    await waitUntil(() => holds.every((hold, index) => known[index] === 1 || hold.state === 'lost'), {
      what: 'those to be told whose lock the new master does not have',
      timeoutMs: 3_000,
    });
    expect(holds.filter((hold, index) => known[index] === 1 && hold.state === 'lost')).toEqual([]);
    await Promise.all(holds.map((hold) => hold.release().catch(() => undefined)));
    await kit.sentinel.whenReady();
  }, 90_000);
});
