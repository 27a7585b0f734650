/**
 * Whoever may publish on the same Redis: a forged message may cost a command, never a lock.
 *
 * A grant is believed without asking because the id of the tenure that it names cannot be guessed, and before the grant stands in the queue
 * alone. Here is a forger who knows everything else. One who can read the queues can write a grant that is believed: `SECURITY.md`.
 */
import { inboxChannel } from '@holdfast/core';
import { countCommands, proofRuns, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { LockClient } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { Forger, forgeries } from '../support/forger.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { Room, turns } from '../support/room.js';

const kit = useRedis();

/** Re-asks and renewals are far away: what is sent is what the messages cause. */
const patient = { reaskMs: 20_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000 };

const queued = (name: string, count = 1) =>
  waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === count, {
    what: `${count} in the queue`,
  });
const scripts = async (counter: Awaited<ReturnType<typeof countCommands>>) => {
  const { evalsha = 0, eval: whole = 0 } = await counter.delta();
  return evalsha + whole;
};

describe('while somebody forges messages to everybody', () => {
  const { parameters, timeoutMs } = proofRuns({ quick: 12, long: 400 });

  it(
    'nobody is let in beside another, no hold is lost, and everybody has a turn',
    async () => {
      const property = fc.asyncProperty(forgeries, async (forged) => {
        const names = [freshName(), freshName()];
        const clients = [openClient(kit), openClient(kit), openClient(kit)];
        const rooms = new Map(names.map((name) => [name, new Room()]));
        const forger = new Forger(
          kit,
          names,
          clients.map(({ clientId }) => clientId),
        );
        await forger.listen();
        const task = async (client: LockClient, name: string) => {
          for (let i = 0; i < 8; i++) {
            await client.getLock(name).withLock(async (hold) => {
              await rooms.get(name)?.visit(() => turns(2));
              hold.assertHeld();
            });
          }
        };
        const work = Promise.all(
          clients.flatMap((client) => names.flatMap((name) => [task(client, name), task(client, name)])),
        );
        await forger.during(work, forged);
        await work;
        for (const room of rooms.values()) expect(room).toMatchObject({ most: 1, visits: 8 * 2 * clients.length });
        for (const client of clients) expect(client.stats().losses).toEqual({});
        expect(forger.published).toBeGreaterThan(0);
        await Promise.all(clients.map((client) => client.close()));
        for (const name of names) expect(await holdsInRedis(kit, name)).toBe(0);
      });
      await fc.assert(property, parameters);
    },
    timeoutMs,
  );
});

/** A holder and a waiter that is in the queue, each of its own client, both quiet. */
async function holderAndWaiter() {
  const name = freshName();
  const [holder, waiter] = [openClient(kit, patient), openClient(kit, patient)];
  const hold = await holder.getLock(name).acquire();
  let entered = false;
  const waiting = waiter.getLock(name).withLock(() => {
    entered = true;
  });
  await queued(name);
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inboxChannel(waiter.clientId)))[1]) === 1, {
    what: 'the waiter listens',
  });
  const [holderId = ''] = (await kit.admin.hkeys(name)).filter((field) => field.includes(':'));
  const [waiterId = ''] = await kit.admin.zrange(`holdfast_queue:{${name}}`, '0', '-1');
  return {
    ...{ name, holder, waiter, hold, waiting, holderId, waiterId },
    entered: () => entered,
    say: (client: LockClient, message: string) => kit.admin.publish(inboxChannel(client.clientId), message),
    grant: (id: string, lastsMs = 2_000) => `1 grant ${id} ${Date.now() + lastsMs} ${Date.now()} 0 -`,
    /** What was published before has been heard. */
    heard: async (client: LockClient) => {
      const before = client.stats().acquisitions.tried;
      await client.getLock(freshName()).withLock(() => undefined);
      await turns(5);
      expect(client.stats().acquisitions.tried).toBe(before + 1);
    },
    /** Without waiting for the next question of a waiter that has been told too much. */
    end: async () => {
      await hold.release();
      await Promise.all([waiter.close(), failureOf(waiting)]);
      expect(await holdsInRedis(kit, name)).toBe(0);
    },
  };
}

describe('a grant is not believed', () => {
  it('when it names a tenure by its number alone', async () => {
    const { waiter, entered, say, grant, heard, end } = await holderAndWaiter();
    for (let n = 0; n < 20; n++) await say(waiter, grant(`${waiter.clientId}:${n}`));
    await heard(waiter);
    expect(entered()).toBe(false);
    await end();
  });

  it('when the tenure was named in a message before: its id is no secret any more', async () => {
    const { waiter, waiterId, entered, say, grant, heard, end } = await holderAndWaiter();
    await say(waiter, grant(waiterId, 10 * 365 * 86_400_000));
    await say(waiter, grant(waiterId));
    await heard(waiter);
    expect(entered()).toBe(false);
    await end();
  });

  it('when the inbox was closed meanwhile, and somebody else may have heard the real one', async () => {
    const { waiter, waiterId, entered, say, grant, heard, end } = await holderAndWaiter();
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inboxChannel(waiter.clientId)))[1]) === 1, {
      what: 'the waiter listens again',
    });
    await say(waiter, grant(waiterId));
    await heard(waiter);
    expect(entered()).toBe(false);
    await end();
  });
});

describe('a forged loss', () => {
  it('is asked about, and the hold goes on', async () => {
    const { holder, hold, holderId, say, heard, end } = await holderAndWaiter();
    const renewed = () => holder.stats().renewals.held + holder.stats().renewals.renewed;
    await say(holder, `1 lost ${holderId} force-unlocked`);
    await waitUntil(() => renewed() === 1, { what: 'the question' });
    await heard(holder);
    expect([hold.state, hold.signal.aborted]).toEqual(['held', false]);
    await end();
  });

  it('does not hide a real one, which has its own reason', async () => {
    const { name, waiter, holder, hold, holderId, say, waiting } = await holderAndWaiter();
    await say(holder, `1 lost ${holderId} force-unlocked`);
    await waitUntil(() => holder.stats().renewals.held + holder.stats().renewals.renewed === 1, {
      what: 'the question',
    });
    await waiter.getLock(name).forceUnlock();
    await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
    await waiting;
  });
});

describe('a flood of messages costs at most two commands for each lock that is held or waited for, in each re-ask period:', () => {
  const floods: [string, (ids: { own: string; clientId: string }) => string][] = [
    ['grants for years', ({ own }) => `1 grant ${own} ${Date.now() + 2 ** 40} ${Date.now()} 0 -`],
    ['grants that are over', ({ own }) => `1 grant ${own} ${Date.now() - 1} ${Date.now() - 100} 0 -`],
    ['losses', ({ own }) => `1 lost ${own} force-unlocked`],
    ['notices', ({ own }) => `1 contended ${own}`],
    ['messages of a version to come', ({ own }) => `2 grant ${own}`],
    ['messages to nobody', () => 'gibberish'],
    ['messages to strangers', ({ clientId }) => `1 grant ${clientId}:1 ${Date.now() + 1_000} ${Date.now()} 0 -`],
  ];

  it.each(floods)('%s', async (_, message) => {
    const { holder, waiter, hold, holderId, waiterId, entered, heard, end } = await holderAndWaiter();
    const counter = await countCommands(kit.admin);
    const forger = new Forger(kit, [], []);
    for (let i = 0; i < 20; i++) {
      await forger.publish(
        Array.from({ length: 50 }, () => [
          [holder.clientId, message({ own: holderId, clientId: holder.clientId })] as const,
          [waiter.clientId, message({ own: waiterId, clientId: waiter.clientId })] as const,
        ]).flat(),
      );
      await turns(2);
    }
    await heard(holder);
    await heard(waiter);
    // Apart from the four of `heard`.
    expect((await scripts(counter)) - 4).toBeLessThanOrEqual(2 + 2);
    expect([hold.state, entered()]).toEqual(['held', false]);
    await end();
  });

  it('and puts a turn off by such a period at most', async () => {
    const name = freshName();
    const quick = { reaskMs: 300, claimLeaseMs: 3_000 };
    const waiter = openClient(kit, quick);
    const hold = await openClient(kit, quick).getLock(name).acquire();
    const waiting = waiter.getLock(name).withLock(() => performance.now());
    await queued(name);
    const [id = ''] = await kit.admin.zrange(`holdfast_queue:{${name}}`, '0', '-1');
    const forged = `1 grant ${id} ${Date.now() + 2 ** 40} ${Date.now()} 0 -`;
    await new Forger(kit, [], []).publish(Array.from({ length: 500 }, () => [waiter.clientId, forged] as const));
    const releasedAt = performance.now();
    await hold.release();
    expect((await waiting) - releasedAt).toBeLessThan(quick.claimLeaseMs);
  });

  it('however many tenures a client has', async () => {
    const client = openClient(kit, patient);
    // The inbox opens with the first use. Who waits at that moment asks again.
    const use = () => client.getLock(freshName()).withLock(() => undefined);
    await use();
    const inbox = `holdfast_inbox:${client.clientId}`;
    await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inbox))[1]) === 1, { what: 'it listens' });
    await use();
    const names = Array.from({ length: 20 }, freshName);
    const holds = await Promise.all(names.map((name) => openClient(kit, patient).getLock(name).acquire()));
    const waiting = names.map((name) => client.getLock(name).withLock(() => undefined));
    await Promise.all(names.map((name) => queued(name)));
    const counter = await countCommands(kit.admin);
    await new Forger(kit, [], []).publish(Array.from({ length: 2_000 }, () => [client.clientId, 'gibberish'] as const));
    await use();
    await turns(5);
    expect((await scripts(counter)) - 2).toBeLessThanOrEqual(2 * names.length);
    await Promise.all(holds.map((hold) => hold.release()));
    await Promise.all(waiting);
  });
});

it('a flood on the channel of Java’s releases costs at most one question a round trip', async () => {
  const proxy = await openProxy(kit);
  const oneWayMs = 20;
  proxy.delay(oneWayMs);
  const name = freshName();
  const client = openClient(kit, { ...patient, wakeup: 'redisson', redis: proxy.url });
  const hold = await openClient(kit, { ...patient, wakeup: 'redisson' })
    .getLock(name)
    .acquire();
  const waiting = client.getLock(name).withLock(() => 'served');
  const channel = `redisson_lock__channel:{${name}}`;
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', channel))[1]) === 1, { what: 'it listens' });
  const counter = await countCommands(kit.admin);
  const startedAt = performance.now();
  for (let i = 0; i < 20; i++) {
    const pipeline = kit.admin.pipeline();
    for (const text of ['0', '1', 'gibberish', '', 'x'.repeat(10_000)])
      for (let j = 0; j < 20; j++) pipeline.publish(channel, text);
    await pipeline.exec();
    await turns(2);
  }
  await client.getLock(freshName()).withLock(() => undefined);
  const roundTrips = (performance.now() - startedAt) / (2 * oneWayMs);
  expect((await scripts(counter)) - 2).toBeLessThanOrEqual(roundTrips + 2);
  await hold.release();
  expect(await waiting).toBe('served');
});
