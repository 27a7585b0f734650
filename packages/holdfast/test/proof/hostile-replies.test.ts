import { driveTime, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import {
  batches,
  batchLimitMs,
  casesFor,
  encounter,
  ending,
  everySpeaker,
  faultsOf,
  type Speaker,
  times,
} from '../support/hostile-clients.js';
import type { Hostility } from '../support/hostile-server.js';

/** A server that is hostile from the first question. What it may do later is in `hostile-holds` and `hostile-messages`. */
const kit = useRedis();

const { attemptTimeoutMs, responseTimeoutMs } = times;
const waitMs = 300;

const everyCall = (client: LockClient) => ({
  tryLock: ending(attemptTimeoutMs, () => client.getLock('tryLock').tryLock()),
  'tryLock with a wait': ending(waitMs, () => client.getLock('wait').tryLock(waitMs)),
  acquire: ending(waitMs, () => client.getLock('acquire').acquire({ waitMs })),
  withLock: ending(waitMs, () => client.getLock('withLock').withLock({ waitMs, leaseMs: 500 }, () => 'inside')),
  isLocked: ending(responseTimeoutMs, () => client.getLock('isLocked').isLocked()),
  remainTimeToLive: ending(responseTimeoutMs, () => client.getLock('ttl').remainTimeToLive()),
  forceUnlock: ending(responseTimeoutMs, () => client.getLock('force').forceUnlock()),
  inspect: ending(responseTimeoutMs, () => client.inspect('inspect')),
});

async function faults(speaker: Speaker, hostility: Hostility): Promise<string[]> {
  const { server, client, end } = await encounter(kit, speaker);
  server.hostileToScripts(hostility);
  return [...(await faultsOf(everyCall(client))), ...(await end())];
}

describe.each(everySpeaker)(
  '$title: every call ends with a typed error in time, and close() leaves nothing,',
  (speaker) => {
    it.each(batches(casesFor(speaker)))(
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
