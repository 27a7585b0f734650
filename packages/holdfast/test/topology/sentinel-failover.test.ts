import { beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@holdfast/testkit';
import type { Hold } from 'holdfast';
import { freshName } from '../support/clients.js';
import { useSentinel } from '../support/topologies.js';
import { type Fault, itSurvives, take } from './failover.js';

const kit = useSentinel();
// Whatever became of the test before.
beforeEach(() => kit.sentinel.whenReady(), 100_000);

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
      const back = await take(kit, master, 'kill', 'restart');
      await kit.sentinel.masterAfter(master);
      return async () => {
        await back();
        await kit.sentinel.whenReady();
      };
    },
  },
  {
    title: 'SIGSTOP',
    mayForget: true,
    strike: async () => {
      const master = await kit.sentinel.master();
      const back = await take(kit, master, 'stopProcess', 'continueProcess');
      await kit.sentinel.masterAfter(master);
      return async () => {
        await back();
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
    // Or the Sentinels would tell it after some seconds that it is a master no more, which sends everybody away.
    const deposable = async (by: '+' | '-') =>
      (await before.admin()).acl('SETUSER', 'default', `${by}slaveof`, `${by}replicaof`);
    kit.cleanup(() => deposable('+'));
    await deposable('-');
    const holds: Hold[] = [];
    const stop = new AbortController();
    kit.cleanup(() => stop.abort());
    const taking = (async () => {
      while (!stop.signal.aborted) {
        const hold = await client
          .getLock(freshName())
          .tryAcquire({ waitMs: 2_000 })
          .catch(() => null);
        if (hold !== null) holds.push(hold);
      }
    })();
    const after = await kit.sentinel.failover();
    await waitUntil(async () => (await kit.connectionsTo(before)).length === 0, {
      what: 'all connections to leave the old master',
    });
    // It was not the old master that has sent them away.
    expect(String(await (await before.admin()).role())).toMatch(/^master/);
    await deposable('+');
    stop.abort();
    await taking;
    expect(holds.length).toBeGreaterThan(0);
    const known = await Promise.all(holds.map(async ({ name }) => (await after.admin()).exists(name)));
    await waitUntil(() => holds.every((hold, index) => known[index] === 1 || hold.state === 'lost'), {
      what: 'those to be told whose lock the new master does not have',
      timeoutMs: 5_000,
    });
    expect(holds.filter((hold, index) => known[index] === 1 && hold.state === 'lost')).toEqual([]);
    await Promise.all(holds.map((hold) => hold.release().catch(() => undefined)));
    await kit.sentinel.whenReady();
  }, 180_000);

  it('a lock whose release the new master has not heard of is free before its lease is over: its client gives it back once more', async () => {
    const client = kit.open({ watchdogTimeoutMs: 60_000 });
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    await kit.replicated(name);
    const master = await kit.sentinel.master();
    const replicas = kit.sentinel.nodes.filter((node) => node !== master);
    const wake = await Promise.all(replicas.map((replica) => take(kit, replica, 'stopProcess', 'continueProcess')));
    await (await master.admin()).client('KILL', 'TYPE', 'REPLICA');
    await hold.release();
    const back = await take(kit, master, 'kill', 'restart');
    for (const go of wake) await go();
    const after = await kit.sentinel.masterAfter(master);
    await waitUntil(async () => (await (await after.admin()).exists(name)) === 0, {
      what: 'the lock to be given back there',
      timeoutMs: 20_000,
    });
    await back();
    await kit.sentinel.whenReady();
  }, 180_000);
});
