import { inspect } from 'node:util';
import { countCommands, driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { Gate } from '../support/room.js';

/** What a newcomer reads when something is wrong. The words are part of the promise: they say what to do. */
const kit = useRedis();

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  return { client, name, lock: () => client.getLock(name) };
};

const messageOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await failureOf(call);
  return error instanceof Error ? error.message : error;
};

/** The first line of a stack that is not its message: where the user called. */
const callerIn = (site: string | undefined): string | undefined => site?.split('\n')[1]?.trim();

async function takeAndForget(client: LockClient, name: string): Promise<void> {
  await client.getLock(name).lock();
}

describe('a site', () => {
  it('of a leak begins with the function that took the lock, not inside holdfast', async () => {
    const { client, name } = setUp();
    const sites: (string | undefined)[] = [];
    client.on('leak', ({ site }) => sites.push(site));
    await client.run(() => takeAndForget(client, name));
    expect(sites).toHaveLength(1);
    expect(sites[0]).toMatch(/^Error: The lock was asked for here\n/);
    expect(callerIn(sites[0])).toMatch(/takeAndForget.*diagnosis\.test\.ts/);
  });

  it('is noted of every lock() and tryLock(), and of no section: a leak that is listened for later has one', async () => {
    const { client, name } = setUp();
    const noted = jest.spyOn(Error, 'captureStackTrace');
    kit.cleanup(() => noted.mockRestore());
    await client.getLock(name).withLock(() => client.getLock(name).withLock(() => undefined));
    expect(noted).not.toHaveBeenCalled();
    const sites: (string | undefined)[] = [];
    await client.run(async () => {
      expect(await client.getLock(name).tryLock()).toBe(true);
      await takeAndForget(client, name);
      client.on('leak', ({ site }) => sites.push(site));
    });
    const here = expect.stringContaining('diagnosis.test.ts');
    expect(sites).toEqual([here, here]);
  });

  it('is not recorded for withLock, which cannot leak: that would cost each section a stack', async () => {
    const { client, name, lock } = setUp();
    const leaks: unknown[] = [];
    client.on('leak', (event) => leaks.push(event));
    await client.run(() => lock().withLock(() => lock().withLock(() => undefined)));
    expect(leaks).toEqual([]);
    expect((await client.inspect(name)).owner).toBeUndefined();
  });
});

describe('foreign-owner', () => {
  it('is told once for each lock, however many wait and however long', async () => {
    const { client, name, lock } = setUp({ reaskMs: 20, claimLeaseMs: 300 });
    const events: unknown[] = [];
    client.on('foreign-owner', (event) => events.push(event));
    await kit.admin.multi().hincrby(name, '6e1c9d4e-6b0c-4f6e-8a53-7a2ab1a6d8f1:1', 1).pexpire(name, 60_000).exec();
    const giveUp = new AbortController();
    const waits = [1, 2, 3].map(() => failureOf(lock().lock({ signal: giveUp.signal })));
    await waitUntil(() => events.length > 0, { what: 'it to be told' });
    const counter = await countCommands(kit.admin);
    await waitUntil(async () => ((await counter.delta())['evalsha'] ?? 0) >= 5, { what: 'five more questions' });
    giveUp.abort();
    await Promise.all(waits);
    expect(events).toEqual([{ name }]);
    await kit.admin.del(name);
  });
});

describe('a message says what is wrong and what to do:', () => {
  it('strictScopes, before Redis is asked', async () => {
    const { name, lock } = setUp({ strictScopes: true });
    const counter = await countCommands(kit.admin);
    const refused = `lock() and tryLock() on "${name}" outside client.run, or behind its end, are refused by strictScopes; use withLock`;
    expect(await messageOf(lock().lock())).toBe(refused);
    expect(await messageOf(lock().tryLock(10))).toBe(refused);
    expect(await counter.delta()).toEqual({});
  });

  it('two threads in one client.run', async () => {
    const { client, name, lock } = setUp();
    await client.run(async () => {
      const first = lock().lock();
      expect(await messageOf(lock().lock())).toBe(
        `Another lock() on "${name}" is still pending in this client.run, which acts as one thread; use withLock for branches`,
      );
      await first;
      await lock().unlock();
    });
  });

  it('a call that its scope did not await', async () => {
    const { client, name, lock } = setUp();
    const hold = await openClient(kit).getLock(name).acquire();
    let forgotten: Promise<unknown> | undefined;
    client.run(() => {
      forgotten = messageOf(lock().lock());
    });
    expect(await forgotten).toBe(
      `A call was still waiting for lock "${name}" when its scope ended: await it inside that client.run or withLock, or begin it in client.exit, unless its caller hung up`,
    );
    await hold.release();
  });

  it('an unlock() of what is not held, by each kind of owner', async () => {
    const { client, name, lock } = setUp();
    expect(await messageOf(lock().unlock())).toBe(
      `Lock "${name}" is not held by this handle: outside client.run, unlock() undoes a lock() of the same handle only`,
    );
    let behind: Promise<unknown> | undefined;
    const ended = new Gate();
    client.run(() => {
      behind = ended.opened.then(() => messageOf(lock().unlock()));
    });
    ended.open();
    expect(await behind).toBe(
      `Lock "${name}" is not held by this handle: the client.run or withLock around it has ended: open client.run there, or unlock() the same handle`,
    );
    expect(await messageOf(client.run(() => lock().unlock()))).toBe(
      `Lock "${name}" is not held by this client.run: unlock() undoes a lock() of the same client.run only`,
    );
    expect(await messageOf(client.getLock(name, { owner: 'me' }).unlock())).toBe(
      `Lock "${name}" is not held by this owner: unlock() undoes a lock() of the same client and owner only`,
    );
  });

  it('a lost lock, with the reason in words', async () => {
    const time = driveTime(kit);
    const { client, name, lock } = setUp();
    const forced = lock().withLock(() => client.exit(() => lock().forceUnlock()));
    expect(await messageOf(forced)).toBe(`Lock "${name}" was lost: force-unlocked (forceUnlock() took it away)`);
    const overwritten = lock().withLock(() => kit.admin.set(name, 'data', 'PX', 5_000));
    expect(await messageOf(overwritten)).toBe(
      `Lock "${name}" was lost: deleted (its key in Redis was deleted, or overwritten)`,
    );
    await kit.admin.del(name);
    const entered = new Gate();
    const expired = messageOf(
      lock().withLock({ leaseMs: 60_000 }, (hold) => {
        entered.open();
        return new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
      }),
    );
    await entered.opened;
    await time.advance(60_000);
    expect(await expired).toBe(`Lock "${name}" was lost: expired (its lease ran out before it was released)`);
  });

  it('a lock that stayed busy, a key that is no lock, one beside it that is not ours, a client that is closed', async () => {
    const { client, name, lock } = setUp();
    const hold = await openClient(kit).getLock(name).acquire();
    expect(await messageOf(lock().acquire({ waitMs: 0 }))).toMatch(
      /^Lock ".*" stayed busy for \d+ ms: client\.inspect\(\) tells who has it$/,
    );
    await hold.release();
    await kit.admin.set(name, 'no lock', 'PX', 5_000);
    expect(await messageOf(lock().acquire())).toBe(
      `Redis refused a command on lock "${name}": this key is not a lock but other data, and was left as it is: give the lock another name, or its client a prefix`,
    );
    await kit.admin.del(name);
    await kit.admin.set(`holdfast_queue:{${name}}`, 'no queue', 'PX', 5_000);
    expect(await messageOf(lock().acquire())).toBe(
      `Redis refused a command on lock "${name}": WRONGTYPE: a key beside it (holdfast_…, redisson_…, a guarded one) is other data`,
    );
    await client.close();
    expect(await messageOf(lock().acquire())).toBe(`The lock client is closed: "${name}" cannot be had or asked about`);
  });

  it('whatever it is that a semaphore or a latch refuses, by the name and as what it is', async () => {
    const time = driveTime(kit);
    const { client, name } = setUp();
    const [semaphore, latch] = [client.getSemaphore(name), client.getCountDownLatch(`${name}:latch`)];
    expect(await messageOf(semaphore.acquire())).toBe(
      `Redis refused a command on semaphore "${name}": there is no such semaphore: set its permits first, by trySetPermits or the option permits of getSemaphore`,
    );
    await semaphore.trySetPermits(1);
    const kept = await semaphore.acquire();
    expect(await messageOf(semaphore.acquire(1, { waitMs: 0 }))).toMatch(
      /^Semaphore ".*" stayed busy for \d+ ms: its inspect\(\) tells/,
    );
    await kept.release();
    const hold = await semaphore.acquire(1, { leaseMs: 60_000 });
    await time.advance(60_000);
    expect(await messageOf(hold.release())).toBe(
      `The hold of semaphore "${name}" was lost: expired (its lease ran out before it was released)`,
    );
    for (const text of ['99999999999999999999', '9007199254740993', '1e3', '007', 'five']) {
      await kit.admin.set(name, text, 'PX', 5_000);
      for (const call of [
        semaphore.acquire(),
        semaphore.tryAcquire(),
        semaphore.addPermits(1),
        semaphore.setPermits(1),
      ])
        expect(await messageOf(call)).toMatch(
          /^Redis refused a command on semaphore ".*": this key is not a semaphore /,
        );
      expect(await messageOf(semaphore.availablePermits())).toMatch(/this key is not a semaphore /);
      expect(await kit.admin.get(name)).toBe(text);
    }
    await kit.admin.set(`${name}:latch`, 'five', 'PX', 5_000);
    expect(await messageOf(latch.countDown())).toMatch(
      /^Redis refused a command on latch ".*": this key is not a countdown/,
    );
  });

  it('a Redis that cannot be reached, with what is known of it', async () => {
    const proxy = await openProxy(kit);
    proxy.refuse();
    const client = openClient(kit, { redis: proxy.url, attemptTimeoutMs: 100, responseTimeoutMs: 100 });
    const known = `: nothing listens at that address (connect ECONNREFUSED 127.0.0.1:${proxy.port})`;
    const said: unknown[] = [];
    client.on('error', (error) => said.push((error as Error).message));
    expect(await messageOf(client.getLock('gone').isLocked())).toBe(
      `Redis gave no answer in time about lock "gone"${known}`,
    );
    const message = await messageOf(client.getLock('gone').tryLock());
    expect(message).toMatch(/^Redis has not answered for \d+ ms about lock "gone": /);
    expect(message).toContain(known);
    expect(said[0]).toContain(`connect ECONNREFUSED 127.0.0.1:${proxy.port}`);
  });

  it('a Redis that does not answer, with where else to look', async () => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, attemptTimeoutMs: 100, responseTimeoutMs: 100 });
    await client.connect({ timeoutMs: 20_000 });
    proxy.hold('both');
    expect(await messageOf(client.getLock('gone').isLocked())).toBe(
      'Redis gave no answer in time about lock "gone": is Redis up, and reachable from here? The "error" event of the client may say more',
    );
  });
});

it('no message or event tells the owner id or the arguments of a command', async () => {
  const { client, name } = setUp();
  const told: unknown[] = [];
  client.on('error', (error) => told.push(error));
  client.on('foreign-owner', (event) => told.push(event));
  client.on('lost', (event) => told.push(event));
  const secret = client.getLock(name, { owner: 'secret-owner' });
  await kit.admin.set(name, 'no lock', 'PX', 5_000);
  told.push(await failureOf(secret.lock()), await failureOf(secret.unlock()));
  await kit.admin.del(name);
  await secret.lock();
  await kit.admin.del(name);
  told.push(await failureOf(secret.unlock()));
  expect(told.length).toBeGreaterThanOrEqual(3);
  const text = inspect(told, { depth: 8, showHidden: true });
  expect(text).toContain(name);
  expect(text).not.toContain('secret-owner');
  expect(text).not.toContain(client.clientId);
});
