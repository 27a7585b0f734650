import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import {
  batches,
  batchLimitMs,
  casesFor,
  encounter,
  ending,
  everySpeaker,
  faultsOf,
  type Speaker,
  speakers,
} from '../support/hostile-clients.js';
import { confusing, recoverable } from '../support/hostile-frames.js';
import type { Hostility } from '../support/hostile-server.js';

/** A server that turns hostile while locks are held: nothing it says may keep a hold believed beyond its lease, or a call hanging. */
const kit = useRedis();

/** Time flows while this process runs, and the hostile servers are in it too: no machine is too slow for these. */
const longer = { responseTimeoutMs: 1_000, watchdogTimeoutMs: 2_000 };
const { responseTimeoutMs, watchdogTimeoutMs } = longer;
const waitMs = 150;

const aborted = (hold: Hold) =>
  new Promise<never>((_, reject) => {
    hold.signal.addEventListener('abort', () => reject(hold.signal.reason as Error), { once: true });
  });

/** Everything that can be under way when the server turns: one lock for each. */
async function openHolds(client: LockClient) {
  const acquire = (name: string, leaseMs?: number) =>
    client.getLock(name).acquire(leaseMs === undefined ? {} : { leaseMs });
  const [renewed, entered, nested, released, handed] = await Promise.all([
    acquire('renewed'),
    acquire('entered'),
    acquire('nested'),
    acquire('released'),
    acquire('handed', 5_000),
  ]);
  const inner = await nested.run(() => client.getLock('nested').acquire());
  return { renewed, entered, nested, inner, released, handed };
}

type Holds = Awaited<ReturnType<typeof openHolds>>;

const everyCall = (client: LockClient, holds: Holds) => ({
  'a renewal': ending(watchdogTimeoutMs, () => aborted(holds.renewed)),
  'a nested acquire': ending(responseTimeoutMs, () => holds.entered.run(() => client.getLock('entered').acquire())),
  'a nested release': ending(responseTimeoutMs, () => holds.inner.release()),
  'a release': ending(responseTimeoutMs, () => holds.released.release()),
  'a wait behind it': ending(waitMs, () => client.getLock('handed').acquire({ leaseMs: 5_000, waitMs })),
  'a release that hands over': ending(responseTimeoutMs, () => holds.handed.release()),
  'a wait and its cancel': ending(waitMs, () => client.getLock('busy').tryLock(waitMs)),
  getHoldCount: ending(responseTimeoutMs, () => holds.renewed.run(() => client.getLock('renewed').getHoldCount())),
  isLocked: ending(responseTimeoutMs, () => client.getLock('renewed').isLocked()),
  inspect: ending(responseTimeoutMs, () => client.inspect('renewed')),
  forceUnlock: ending(responseTimeoutMs, () => client.getLock('forced').forceUnlock()),
});

const believed = (holds: Partial<Holds>) =>
  Object.entries(holds)
    .filter(([, { state }]) => state === 'held' || state === 'suspect')
    .map(([name]) => name);

async function faults(speaker: Speaker, hostility: Hostility): Promise<string[]> {
  const { server, client, end } = await encounter(kit, speaker, longer);
  const holds = await openHolds(client);
  const waiting = client.getLock('busy').tryLock(waitMs);
  server.hostileToScripts(hostility);
  const found = await faultsOf({ ...everyCall(client, holds), 'a wait that had begun': ending(waitMs, () => waiting) });
  await waitUntil(() => believed(holds).length === 0, { what: 'the end of every lease' });
  return [...found, ...(await end())];
}

describe.each(everySpeaker)(
  '$title: during a hold every call ends in time, and no hold outlives its lease,',
  (speaker) => {
    // With a connection of our own it only makes a difference whether that is replaced.
    it.each(batches(speakers.includes(speaker) ? casesFor(speaker) : confusing))(
      'told $told',
      async ({ part }) => {
        driveTime(kit).flow(5);
        const outcomes = await Promise.all(
          part.map(async ([title, hostility]) => ({ title, faults: await faults(speaker, hostility) })),
        );
        expect(outcomes).toEqual(part.map(([title]) => ({ title, faults: [] })));
      },
      batchLimitMs,
    );
  },
);

/** Refuses nothing but the commands of holds, and in the end nothing at all: what is left then must be what was before. */
async function faultsAfter(speaker: Speaker, hostility: Hostility): Promise<string[]> {
  const { server, client, end } = await encounter(kit, speaker, longer);
  const { entered, released, handed } = await openHolds(client);
  server.hostileTo(['again', 'release', 'handoff', 'cancel'], hostility);
  const found = await faultsOf({
    'a nested acquire': ending(responseTimeoutMs, () => entered.run(() => client.getLock('entered').acquire())),
    'a release': ending(responseTimeoutMs, () => released.release()),
    'a wait behind it': ending(waitMs, () => client.getLock('handed').acquire({ leaseMs: 5_000, waitMs })),
    'a release that hands over': ending(responseTimeoutMs, () => handed.release()),
    'a wait and its cancel': ending(waitMs, () => client.getLock('busy').tryLock(waitMs)),
  });
  if (believed({ entered }).length === 0) found.push('the nested acquire has cost the hold around it');
  server.polite();
  await entered.release();
  for (const name of ['entered', 'released', 'handed']) {
    const outcome = await client.getLock(name).tryWithLock({ waitMs: 2_000 }, () => 'inside');
    if (!outcome.ran) found.push(`${name} cannot be had any more`);
  }
  return [...found, ...(await end())];
}

describe.each(everySpeaker)('$title: when the server is polite again its locks can be had,', (speaker) => {
  it.each(batches(recoverable))(
    'after $told',
    async ({ part }) => {
      driveTime(kit).flow(5);
      const outcomes = await Promise.all(
        part.map(async ([title, hostility]) => ({ title, faults: await faultsAfter(speaker, hostility) })),
      );
      expect(outcomes).toEqual(part.map(([title]) => ({ title, faults: [] })));
    },
    batchLimitMs,
  );
});
