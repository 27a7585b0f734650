import { type CommandCounter, countCommands, driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { confirmedRenewals, freshName, openClient } from '../support/clients.js';
import { spawnLockWorker } from '../support/workers.js';

const kit = useRedis();

/** Re-asks and renewals far away: they are counted apart. */
const patient: Partial<LockClientOptions> = { reaskMs: 20_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000 };

/** A client that is connected, listens, and whose scripts the server knows. */
async function warmClient() {
  const client = openClient(kit, patient);
  await client.getLock(freshName()).withLock(() => undefined);
  await waitUntil(
    async () => Number((await kit.admin.pubsub('NUMSUB', `holdfast_inbox:${client.clientId}`))[1]) === 1,
    {
      what: 'the client listens',
    },
  );
  return client;
}

/** What clients have sent, by command: what scripts call is left out. */
async function sent(counter: CommandCounter): Promise<Record<string, number>> {
  const sentByClients = new Set([
    'eval',
    'evalsha',
    'subscribe',
    'unsubscribe',
    'ping',
    'script|load',
    'multi',
    'wait',
  ]);
  return Object.fromEntries(Object.entries(await counter.delta()).filter(([command]) => sentByClients.has(command)));
}

describe('commands of one client', () => {
  it('an uncontended cycle costs 2, whichever methods it is made of', async () => {
    const client = await warmClient();
    const lock = client.getLock(freshName());
    const cycles: (() => Promise<unknown>)[] = [
      () => lock.withLock(() => undefined),
      () => lock.tryWithLock({ waitMs: 5_000 }, () => undefined),
      async () => (await lock.acquire()).release(),
      async () => (await lock.tryAcquire())?.release(),
      () => lock.lock().then(() => lock.unlock()),
      () => lock.tryLock().then(() => lock.unlock()),
      () => lock.tryLock(1_000, 5_000).then(() => lock.unlock()),
      () => client.run(() => lock.lock().then(() => lock.unlock())),
      () => client.getLock(lock.name, { owner: 'me' }).withLock(() => undefined),
    ];
    for (const cycle of cycles) {
      const counter = await countCommands(kit.admin);
      for (let i = 0; i < 10; i++) await cycle();
      expect(await sent(counter)).toEqual({ evalsha: 20 });
    }
  });

  it('the first cycle costs one EVAL for each script and one subscription more', async () => {
    await kit.admin.script('FLUSH');
    const counter = await countCommands(kit.admin);
    const client = openClient(kit);
    await client.getLock(freshName()).withLock(() => undefined);
    await waitUntil(async () => (await sent(counter))['subscribe'] === 1, { what: 'the client listens' });
    expect(await sent(counter)).toEqual({ evalsha: 2, eval: 2, subscribe: 1 });
  });

  it('cycles on 64 locks at once cost 2 each', async () => {
    const client = await warmClient();
    const counter = await countCommands(kit.admin);
    await Promise.all(Array.from({ length: 64 }, () => client.getLock(freshName()).withLock(() => undefined)));
    expect(await sent(counter)).toEqual({ evalsha: 128 });
  });

  it('a local handoff costs nothing: 1,000 critical sections of 50 tasks cost what one costs', async () => {
    const client = await warmClient();
    const lock = client.getLock(freshName());
    const counter = await countCommands(kit.admin);
    const before = client.stats().handoffs.local;
    const task = async () => {
      for (let i = 0; i < 20; i++) await lock.withLock(() => undefined);
    };
    await Promise.all(Array.from({ length: 50 }, task));
    expect(await sent(counter)).toEqual({ evalsha: 2 });
    expect(client.stats().handoffs.local - before).toBe(999);
  });

  it('a handoff of a fixed lease costs 1', async () => {
    const client = await warmClient();
    const lock = client.getLock(freshName());
    await lock.withLock({ leaseMs: 5_000 }, () => lock.tryWithLock({}, () => undefined));
    await Promise.all([1, 2].map(() => lock.withLock({ leaseMs: 5_000 }, () => undefined)));
    const counter = await countCommands(kit.admin);
    await Promise.all(Array.from({ length: 20 }, () => lock.withLock({ leaseMs: 5_000 }, () => undefined)));
    expect(await sent(counter)).toEqual({ evalsha: 1 + 19 + 1 });
    expect(client.stats().handoffs.passed).toBe(1 + 19);
  });

  it('a nested acquire costs 1 and its release 1, also with a fixed lease', async () => {
    const client = await warmClient();
    const lock = client.getLock(freshName());
    await lock.withLock(async () => {
      await lock.withLock(() => undefined);
      for (const options of [{}, { leaseMs: 1_000 }, { leaseMs: 500_000 }]) {
        const counter = await countCommands(kit.admin);
        await lock.withLock(options, async () => {
          expect(await sent(counter)).toEqual({ evalsha: 1 });
        });
        expect(await sent(counter)).toEqual({ evalsha: 2 });
      }
    });
  });

  it('a lock that a run leaves open costs nothing until its lease is over, and then 1', async () => {
    const client = openClient(kit, { ...patient, watchdogTimeoutMs: 600 });
    const leakOne = async () => {
      const { name } = client.getLock(freshName());
      const counter = await countCommands(kit.admin);
      await client.run(() => client.getLock(name).lock());
      await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lease is over' });
      await (await client.getLock(freshName()).acquire()).release();
      return sent(counter);
    };
    // Until the server knows all scripts, and the client listens.
    await leakOne();
    expect(await leakOne()).toEqual({ evalsha: 1 + 1 + 2 });
  });

  it('a tryLock() of a lock that is held costs 1', async () => {
    const client = await warmClient();
    const hold = await (await warmClient()).getLock(freshName()).acquire();
    const lock = client.getLock(hold.name);
    expect(await lock.tryLock()).toBe(false);
    const counter = await countCommands(kit.admin);
    for (let i = 0; i < 5; i++) expect(await lock.tryLock()).toBe(false);
    expect(await sent(counter)).toEqual({ evalsha: 5 });
  });

  it('renewing 1,000 locks costs at most 15 a round', async () => {
    const time = driveTime(kit);
    const client = openClient(kit);
    await Promise.all(Array.from({ length: 1_000 }, () => client.getLock(freshName()).acquire()));
    const round = async (count: number) => {
      await time.advance(10_000);
      await waitUntil(() => confirmedRenewals(client) >= count * 1_000, { what: `round ${count} of renewals` });
    };
    await round(1);
    const counter = await countCommands(kit.admin);
    for (const count of [2, 3]) await round(count);
    const { evalsha = 0 } = await sent(counter);
    expect(evalsha).toBeLessThanOrEqual(2 * 15);
    expect(client.stats().losses).toEqual({});
  });
});

describe('a contended cycle', () => {
  it.each([2, 8, 16])('between %i clients costs 2 commands, re-asks apart', async (size) => {
    const clients = await Promise.all(Array.from({ length: size }, warmClient));
    const name = freshName();
    const all = (cycles: number) =>
      Promise.all(
        clients.map(async (client) => {
          for (let i = 0; i < cycles; i++) await client.getLock(name).withLock(() => undefined);
        }),
      );
    await all(2);
    const counter = await countCommands(kit.admin);
    await all(20);
    expect(await sent(counter)).toEqual({ evalsha: 2 * 20 * size });
    const granted = clients.reduce((sum, client) => sum + client.stats().handoffs.granted, 0);
    expect(granted).toBeGreaterThan(10 * size);
  });

  it('between 3 processes costs 2 commands, re-asks apart', async () => {
    const workers = await Promise.all([1, 2, 3].map(() => spawnLockWorker(kit, patient)));
    const name = freshName();
    const all = (cycles: number) => Promise.all(workers.map((worker) => worker.call('cycles', name, cycles)));
    await all(20);
    // Before a process can hear its inbox, its first wait costs one more ask.
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === workers.length, {
      what: 'all three listen',
    });
    const counter = await countCommands(kit.admin);
    await all(100);
    expect(await sent(counter)).toEqual({ evalsha: 2 * 100 * 3 });
    await Promise.all(workers.map((worker) => worker.call('close')));
  });
});
