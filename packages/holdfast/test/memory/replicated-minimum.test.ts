/** With `replicas` a minimum beyond the lease, such as the period of `oncePer`, is confirmed as the lock is that it is for. Time is driven. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';
import { driven } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
/** What a write takes to the replica. */
const WAY_MS = 100;

/** A master and its replica, which has no more than the first `most` writes. */
async function setUp(most = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const options = { now: () => EPOCH_MS + clock.now(), timers: clock };
  const [master, replica] = [new MemoryServer(options), new MemoryServer(options)];
  let writes = 0;
  const replication = master.replicateTo(replica, () => {
    if (++writes <= most) clock.setTimer(() => replication.arrive(1), WAY_MS);
  });
  const settled = <T>(outcome: Promise<T>) => driven(clock, outcome);
  const open = async (server: MemoryServer, more: Partial<LockClientOptions> = {}): Promise<LockClient> => {
    const settings = { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 };
    const redis = () => memoryRedis({ network: direct(() => server), timers: clock }, settings);
    const openRedis = () => ({ kind: 'node', redis: redis(), ownership: 'ours' }) as const;
    const surroundings = { ...systemSurroundings(), clock, openRedis };
    const client = createLockClientIn(surroundings, { redis: 'redis://memory', ...more });
    leaks.cleanup(() => settled(client.close()));
    await settled(client.connect());
    return client;
  };
  const failOver = () => {
    replication.end();
    replica.promote();
  };
  return { clock, master, replica, settled, open, failOver };
}

const careful = { replicas: { min: 1 } };

it('is on a replica when the function of oncePer runs: whoever is the master then, the period is used up', async () => {
  const { clock, master, replica, settled, open, failOver } = await setUp();
  const client = await open(master, careful);
  expect(await settled(client.oncePer('report', HOUR_MS, failOver))).toMatchObject({ ran: true });
  await clock.advance(HOUR_MS / 2);
  const next = await open(replica);
  expect(await settled(next.oncePer('report', HOUR_MS, () => 'again'))).toEqual({ ran: false });
});

it('that no replica confirms is undone: the function has not run, and that of the next tick does', async () => {
  const { master, settled, open } = await setUp(1);
  const [client, next] = [await open(master, careful), await open(master)];
  let ran = false;
  const refused = await settled(failureOf(client.oncePer('report', HOUR_MS, () => (ran = true))));
  expect(refused).toMatchObject({ code: 'LOCK_NOT_REPLICATED', required: 1, confirmed: 0, lockName: 'report' });
  expect(ran).toBe(false);
  expect(await settled(next.oncePer('report', HOUR_MS, () => 'tonight'))).toEqual({ ran: true, value: 'tonight' });
});
