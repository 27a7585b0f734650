/**
 * Two versions of holdfast on one Redis at the same time, as while a fleet is upgraded node by node. See docs/upgrading.md.
 */
import { spawnWorker, type TestWorker, useRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freshName } from '../support/clients.js';
import { hasCommit, type OtherVersion, patchedVersion, thisVersion, versionAt } from './other-version.js';
import type { methods } from './version.worker.js';

jest.setTimeout(120_000);

/** Writes wire format 1, which is this one for the names that are used here: they have no braces. */
const earlier = '8a120ea';

/** Adds words behind everything that this version writes into entries of waiters and into messages (ADR 20). */
const wordier = [
  { file: 'packages/core/src/lock/seek.lua', from: "'%.0f %d', nowMs", to: "'%.0f %d shared 3 17', nowMs" },
  { file: 'packages/core/src/queue/grant.lua', from: 'waiting(), token)', to: "waiting(), '17 shared 3')" },
  {
    file: 'packages/core/src/lock/seek.lua',
    from: "'1 contended ' .. holder",
    to: "'1 contended ' .. holder .. ' by 3'",
  },
  { file: 'packages/core/src/lock/force.lua', from: "' force-unlocked'", to: "' force-unlocked by 3'" },
];

/** Writes what the rules of the wire format allow a later version to write, and this version does not understand. */
const later = [
  { file: 'packages/core/src/lock/own.lua', from: "id, '1', 'seq', '1')", to: "'since', '7', id, '1', 'seq', '1')" },
  { file: 'packages/core/src/queue/grant.lua', from: "'1 grant ", to: "'2 grant " },
  { file: 'packages/core/src/lock/seek.lua', from: "'1 contended ", to: "'2 contended " },
  { file: 'packages/core/src/lock/force.lua', from: "'1 lost ", to: "'2 lost " },
  { file: 'packages/notify/src/inbox-message.ts', from: "version === '1'", to: "version === '2'" },
];

const others: [string, () => OtherVersion][] = [
  ['a later one with other messages and more bookkeeping', () => patchedVersion(later)],
  ['a later one with more words in entries and messages', () => patchedVersion(wordier)],
];
if (hasCommit(earlier)) others.push([`the one of commit ${earlier}`, () => versionAt(earlier)]);
else process.stderr.write(`not run: this version beside ${earlier}: this clone does not have that commit\n`);

/** Re-asks and renewals are far away and claims outlast the test: whoever is served in time was told. */
const patient = { watchdogTimeoutMs: 600_000, claimLeaseMs: 300_000, reaskMs: 200_000 };

const kit = useRedis();

/** Whoever is not told asks again soon. */
const asking = { ...patient, claimLeaseMs: 600, reaskMs: 100 };

const spawn = async (version: OtherVersion, times = patient): Promise<TestWorker<typeof methods>> => {
  const args = [JSON.stringify({ redis: kit.server.url, ...times })];
  const worker = await spawnWorker<typeof methods>(version.worker, { args });
  kit.cleanup(() => worker.stop());
  return worker;
};

const waiting = (name: string, count: number) =>
  waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === count, {
    what: `${count} in the queue`,
  });

/** Whether the owner's process listens to its inbox, which it opens in the background. */
const hearsOf = async (name: string): Promise<boolean> => {
  const owner = (await kit.admin.hkeys(name)).find((field) => field.includes(':')) ?? '';
  const reply = await kit.admin.pubsub('NUMSUB', `holdfast_inbox:${owner.split(':').at(-2)}`);
  return Number(reply[1]) === 1;
};

/** Tombstones of commands whose fate was unknown go by themselves. */
const expectNothingLeft = async () => {
  const keys = await kit.admin.keys('*');
  expect(keys.filter((key) => !/^holdfast_(?:tagged_)?dead:/.test(key))).toEqual([]);
};

describe.each(others)('this version beside %s', (_, make) => {
  let other: OtherVersion;
  beforeAll(() => {
    other = make();
  });
  afterAll(() => other.remove());
  type Party = TestWorker<typeof methods>;
  /** Two processes of each version: `one` and `one2` are of the same. */
  const inBothOrders = async (run: (one: Party, another: Party, one2: Party) => Promise<void>, times = patient) => {
    const versions = [thisVersion, thisVersion, other, other];
    const parties = (await Promise.all(versions.map((version) => spawn(version, times)))) as [
      Party,
      Party,
      Party,
      Party,
    ];
    const [ours, ours2, theirs, theirs2] = parties;
    await run(ours, theirs, ours2);
    await run(theirs, ours, theirs2);
    await Promise.all(parties.map((party) => party.call('close')));
    await expectNothingLeft();
  };

  it('excludes the other, holds counted, and takes what the other has left', async () => {
    await inBothOrders(async (one, another) => {
      const name = freshName();
      await one.call('acquire', name);
      expect(await another.call('tryAcquire', name)).toBe(false);
      await one.call('release');
      expect(await another.call('tryAcquire', name)).toBe(true);
      await another.call('release');
    });
  });

  it('excludes the other on names with braces of their own too, where who waits comes by asking again', async () => {
    await inBothOrders(async (one, another) => {
      const text = freshName();
      for (const name of [`{${text}}`, `${text}{7}`]) {
        await one.call('acquire', name);
        expect(await another.call('tryAcquire', name)).toBe(false);
        const had = another.call('acquire', name);
        const queues = [`holdfast_queue:${name}`, `holdfast_tagged_queue:${name}`];
        await waitUntil(async () => (await kit.admin.exists(...queues)) === 1, { what: 'the other waits' });
        await one.call('release');
        await had;
        await another.call('release');
      }
    }, asking);
  });

  it('wakes the other at once, in the order in which they came', async () => {
    await inBothOrders(async (one, another, one2) => {
      const name = freshName();
      await one.call('acquire', name);
      const second = another.call('acquire', name);
      await waiting(name, 1);
      const third = one2.call('acquire', name);
      await waiting(name, 2);
      await one.call('release');
      await second;
      await another.call('release');
      await third;
      await one2.call('release');
    });
  });

  it('lets the other in while its own tasks pass the lock on among themselves', async () => {
    await inBothOrders(async (one, another) => {
      const name = freshName();
      const busy = one.call('keepBusy', name);
      await waitUntil(() => hearsOf(name), { what: 'the inbox of the owner to be open' });
      await another.call('acquire', name);
      await one.call('stopBusy');
      await another.call('release');
      await busy;
    });
  });

  it('tells the other of a force unlock, long before a renewal could', async () => {
    await inBothOrders(async (one, another) => {
      const name = freshName();
      await one.call('acquire', name);
      await waitUntil(() => hearsOf(name), { what: 'the inbox of the owner to be open' });
      const loss = one.call('lossOfNewest');
      expect(await another.call('force', name)).toBe(true);
      expect(await loss).toMatch(/^(force-unlocked|deleted)$/);
    });
  });

  it('loses no addition to a number that both change, and nobody waits for ever', async () => {
    const workers = await Promise.all([spawn(thisVersion), spawn(other), spawn(thisVersion), spawn(other)]);
    const [name, counter] = [freshName(), freshName()];
    await Promise.all(workers.map((worker) => worker.call('add', name, counter, 200)));
    expect(await kit.admin.get(counter)).toBe('800');
    await kit.admin.del(counter);
    await Promise.all(workers.map((worker) => worker.call('close')));
    await expectNothingLeft();
  });
});
