/**
 * A client of a later version, whose entries and messages have words that this version does not know (docs/upgrading.md), beside clients of
 * this one: both queue for the same lock, and each is served by the other in its turn. The later client is played by single commands, so that
 * what it writes is seen here; side-by-side.long.ts does it with processes.
 */
import { inboxChannel, lockKeys } from '@holdfast/core';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { freshName, openClient, warmUp } from '../support/clients.js';

const kit = useRedis();
/** Neither asks again nor renews while the test lasts: a client that is served was told. */
const patient = { watchdogTimeoutMs: 600_000, claimLeaseMs: 300_000, reaskMs: 200_000 };
const leaseMs = 60_000;

/** What a later version does with one lock. */
function laterClient(name: string) {
  const { admin } = kit;
  const keys = lockKeys(name);
  const tenure = 'later:1';
  const serverMs = async (): Promise<number> => {
    const [seconds, micros] = await admin.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  };
  return {
    tenure,
    queues: async () => {
      const [seconds, micros] = await admin.time();
      await admin.zadd(keys.queue, `${seconds}${String(micros).padStart(6, '0')}`, tenure);
      await admin.hset(keys.fresh, tenure, `${(await serverMs()) + leaseMs} ${leaseMs} shared 3`);
      for (const key of [keys.queue, keys.fresh]) await admin.pexpire(key, leaseMs);
    },
    /** Passes the lock to the first waiter, which its message tells more than this version knows. */
    releases: async () => {
      const [next = ''] = await admin.zpopmin(keys.queue);
      await admin
        .multi()
        .del(keys.lock)
        .hset(keys.lock, next, 1, 'seq', 1, 'since', 7)
        .pexpire(keys.lock, leaseMs)
        .exec();
      await admin.hdel(keys.fresh, next);
      const nowMs = await serverMs();
      const message = `1 grant ${next} ${nowMs + leaseMs} ${nowMs} 0 17 shared 3`;
      return admin.publish(inboxChannel(next.split(':').at(-2) ?? ''), message);
    },
  };
}

it('a waiter of a later version is served by this one in its turn, and serves it: none is passed over, one holds', async () => {
  const name = freshName();
  const { queue } = lockKeys(name);
  const [one, other] = [openClient(kit, patient), openClient(kit, patient)];
  for (const client of [one, other]) await warmUp(kit, client);
  const later = laterClient(name);
  const owner = async () => (await kit.admin.hkeys(name)).filter((field) => field.includes(':'));

  const inbox = kit.admin.duplicate();
  kit.cleanup(() => inbox.disconnect());
  const heard: string[] = [];
  inbox.on('message', (_channel, message) => heard.push(message));
  await inbox.subscribe(inboxChannel('later'));

  const hold = await one.getLock(name).acquire();
  await later.queues();
  let entered = false;
  const waiting = other
    .getLock(name)
    .acquire()
    .then((theirs) => {
      entered = true;
      return theirs;
    });
  await waitUntil(async () => (await kit.admin.zcard(queue)) === 2, { what: 'both wait' });
  await other.inspect(name).then(({ queue: waiters }) => expect(waiters[0]).toMatchObject({ id: later.tenure }));

  await hold.release();
  await waitUntil(() => heard.length > 0, { what: 'the later client is told' });
  expect(heard[0]).toMatch(/^1 grant later:1 \d+ \d+ 1 -$/);
  expect(await owner()).toEqual([later.tenure]);
  expect(await one.getLock(name).tryAcquire()).toBeNull();
  expect(entered).toBe(false);

  expect(await later.releases()).toBe(1);
  const theirs = await waiting;
  theirs.assertHeld();
  expect(await owner()).toEqual([expect.stringContaining(other.clientId)]);
  await theirs.release();
  expect(await kit.admin.exists(name, queue)).toBe(0);
});
