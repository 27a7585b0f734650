/**
 * This version beside the release before it, on everything that processes share: as while a fleet is upgraded node by node, or goes back. See
 * docs/upgrading.md.
 */
import { spawnWorker, type TestWorker, useRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freshName } from '../support/clients.js';
import { hasCommit, type OtherVersion, thisVersion, versionAt } from './other-version.js';
import type { Kind, methods } from './version.worker.js';

jest.setTimeout(120_000);

/** 0.2.0, as it was packed. */
const commit = '98fd6082';
const isHere = hasCommit(commit);
if (!isHere) process.stderr.write(`not run: this version beside ${commit}: this clone does not have that commit\n`);

/** Re-asks and renewals are far away and claims outlast the test: whoever is served in time was told. */
const patient = { watchdogTimeoutMs: 600_000, claimLeaseMs: 300_000, reaskMs: 200_000 };
/** Who has died is missed soon. */
const mortal = { watchdogTimeoutMs: 1_500, claimLeaseMs: 1_000, reaskMs: 300 };

const kit = useRedis();
type Party = TestWorker<typeof methods>;
/** A semaphore lasts until somebody deletes it. */
const forget = async (kind: Kind, name: string): Promise<void> => {
  if (kind === 'semaphore' || kind === 'permit') expect(await kit.admin.getdel(name)).toBe('1');
};

/** How many wait, in whatever is the line of that kind; of a multi-lock they stand in that of its first member, which may be the second that was named. */
const queued = async (name: string): Promise<number> => {
  const lines = ['queue', 'rw_writers', 'rw_readers', 'sem_queue'].map((kind) => `holdfast_${kind}:{${name}}`);
  const counts = [...lines, `holdfast_queue:{${name}-b}`].map((line) => kit.admin.zcard(line));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};
const waiting = (name: string, count: number) =>
  waitUntil(async () => (await queued(name)) === count, { what: `${count} in the queue` });

(isHere ? describe : describe.skip)(`this version beside 0.2.0 (${commit})`, () => {
  let other: OtherVersion;
  beforeAll(() => {
    other = versionAt(commit);
  });
  afterAll(() => other.remove());

  const spawn = async (version: OtherVersion, times: typeof patient): Promise<Party> => {
    const worker = await spawnWorker<typeof methods>(version.worker, {
      args: [JSON.stringify({ redis: kit.server.url, ...times })],
    });
    kit.cleanup(() => worker.stop());
    return worker;
  };
  /** Two processes of each version: `one` and `one2` are of the same. */
  const inBothOrders = async (run: (one: Party, another: Party, one2: Party) => Promise<void>, times = patient) => {
    const versions = [thisVersion, thisVersion, other, other];
    const parties = await Promise.all(versions.map((version) => spawn(version, times)));
    const [ours, ours2, theirs, theirs2] = parties as [Party, Party, Party, Party];
    await run(ours, theirs, ours2);
    await run(theirs, ours, theirs2);
    await Promise.all(parties.map((party) => party.call('close')));
  };

  it.each<Kind>(['lock', 'fair', 'fenced', 'write', 'multi', 'semaphore', 'permit', 'election'])(
    '%s: it goes to who waits in the other version, by message and in the order in which they came; tokens rise',
    async (kind) => {
      await inBothOrders(async (one, another, one2) => {
        const name = freshName();
        const tokens = [await one.call('take', kind, name)];
        const second = another.call('take', kind, name);
        await waiting(name, 1);
        const third = one2.call('take', kind, name);
        await waiting(name, 2);
        await one.call('giveBack');
        tokens.push(await second);
        expect(await queued(name)).toBe(1);
        await another.call('giveBack');
        tokens.push(await third);
        await one2.call('giveBack');
        expect(tokens).toEqual([...tokens].sort((a = 0, b = 0) => a - b));
        expect(new Set(tokens).size).toBe(kind === 'fenced' || kind === 'election' ? 3 : 1);
        await forget(kind, name);
      });
    },
  );

  it('readers of both read at once, a writer of either comes after the last of them, and lets readers of both in', async () => {
    await inBothOrders(async (one, another, one2) => {
      const name = freshName();
      await one.call('take', 'read', name);
      await another.call('take', 'read', name);
      const writer = one2.call('take', 'write', name);
      await waiting(name, 1);
      await one.call('giveBack');
      expect(await queued(name)).toBe(1);
      await another.call('giveBack');
      await writer;
      const readers = [one.call('take', 'read', name), another.call('take', 'read', name)];
      await waiting(name, 2);
      await one2.call('giveBack');
      await Promise.all(readers);
      for (const party of [one, another]) await party.call('giveBack');
    });
  });

  it('rounds of a latch are begun, counted and ended by either, and who waits goes on', async () => {
    await inBothOrders(async (one, another, one2) => {
      const name = freshName();
      // One after the other: each finds what the last has left.
      for (const [begins, counts] of [
        [one, another],
        [another, one],
        [one, another],
      ] as const) {
        expect(await begins.call('setLatch', name, 2)).toBe(true);
        expect(await counts.call('setLatch', name, 2)).toBe(false);
        const waits = [one, another, one2].map((party) => party.call('awaitLatch', name));
        await waitUntil(async () => (await listeners(`redisson_countdownlatch__channel__{${name}}`)) === 3, {
          what: 'three wait',
        });
        expect(await counts.call('countDown', name)).toBe(1);
        expect(await begins.call('countDown', name)).toBe(0);
        expect(await Promise.all(waits)).toEqual([true, true, true]);
      }
    });
  });

  it('what one computes the other shares, also when it waits for it', async () => {
    await inBothOrders(async (one, another, one2) => {
      const name = freshName();
      const computed = one.call('share', name);
      await waitUntil(() => one.call('isComputing'), { what: 'one computes' });
      const shared = another.call('share', name);
      await waiting(name, 1);
      await one.call('settleShared', 'a value');
      expect(await Promise.all([computed, shared, one2.call('share', name)])).toEqual(Array(3).fill('a value'));
    });
  });

  it('a lock that rests after its section is had by the other when its time is over, and not before', async () => {
    await inBothOrders(async (one, another) => {
      const name = freshName();
      const startedAt = performance.now();
      await one.call('keep', name, 3_000);
      expect(await another.call('tryAcquire', name)).toBe(false);
      expect(await kit.admin.hexists(name, 'rest')).toBe(1);
      await another.call('acquire', name);
      expect(performance.now() - startedAt).toBeGreaterThan(2_999);
      await another.call('release');
    });
  });

  it('who is forced out is told at once, by a handle of its kind, and by this version through any', async () => {
    const isTold = async (holder: Party, kind: 'lock' | 'write', forcer: Party, handle: 'lock' | 'write') => {
      const name = freshName();
      await holder.call('take', kind, name);
      await waitUntil(() => hearsOf(name), { what: 'the inbox of the owner to be open' });
      const loss = holder.call('lossOfTaken');
      expect(await forcer.call('forceAs', handle, name)).toBe(true);
      expect(await loss).toMatch(/^(force-unlocked|deleted)$/);
    };
    await inBothOrders(async (one, another) => {
      await isTold(one, 'lock', another, 'lock');
      await isTold(one, 'write', another, 'write');
    });
    const [ours, theirs] = [await spawn(thisVersion, patient), await spawn(other, patient)];
    await isTold(theirs, 'lock', ours, 'write');
    await isTold(theirs, 'write', ours, 'lock');
  });

  it.each<Kind>(['lock', 'fair', 'fenced', 'read', 'write', 'multi', 'semaphore', 'election'])(
    '%s: what a killed process had is had by the other version when its lease is over',
    async (kind) => {
      for (const [dies, lives] of [
        [thisVersion, other],
        [other, thisVersion],
      ] as const) {
        const name = freshName();
        const [holder, heir] = [await spawn(dies, mortal), await spawn(lives, mortal)];
        await holder.call('take', kind, name);
        const had = heir.call('take', kind === 'read' ? 'write' : kind, name);
        await waiting(name, 1);
        process.kill(holder.pid, 'SIGKILL');
        await had;
        await heir.call('giveBack');
        await forget(kind, name);
      }
    },
  );

  it.each<Kind>(['lock', 'fair', 'fenced', 'write', 'multi', 'semaphore', 'permit', 'election'])(
    '%s: under load no addition is lost, and nobody waits for ever',
    async (kind) => {
      const workers = await Promise.all([thisVersion, other, thisVersion, other].map((one) => spawn(one, mortal)));
      const [name, counter] = [freshName(), freshName()];
      await Promise.all(workers.map((worker) => worker.call('add', name, counter, 50, kind)));
      expect(await kit.admin.getdel(counter)).toBe('200');
      await forget(kind, name);
      await Promise.all(workers.map((worker) => worker.call('close')));
    },
  );

  /** Whether the owner's process listens to its inbox, which it opens in the background. */
  const hearsOf = async (name: string): Promise<boolean> => {
    const owner = (await kit.admin.hkeys(name)).find((field) => field.includes(':')) ?? '';
    return (await listeners(`holdfast_inbox:${owner.split(':').at(-2)}`)) === 1;
  };

  const listeners = async (channel: string): Promise<number> => Number((await kit.admin.pubsub('NUMSUB', channel))[1]);
});
