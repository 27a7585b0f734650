import { driveTime, type FaultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { byUrl, type InputWay, openProxy, ownDefault, ownWithoutResend } from '../support/redis-inputs.js';
import { type CommandName, isCommand, loadScripts } from '../support/scripts.js';

const kit = useRedis();

beforeEach(() => loadScripts(kit));

interface Situation {
  readonly client: LockClient;
  readonly proxy: FaultProxy;
  readonly name: string;
  /** The next such command is executed, and its reply is lost with the connection. */
  readonly lose: (command: CommandName) => void;
  /** As many replies have been lost as were to be; the lock is free, and nothing of it waits. */
  readonly expectFreeAfter: (losses: number) => Promise<void>;
}

async function setUp(way: InputWay, options: Partial<LockClientOptions> = {}): Promise<Situation> {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { ...options, redis: way.open(kit, proxy) });
  const name = freshName();
  // The inbox is open and every later command is the test's.
  await client.getLock(freshName()).withLock(() => undefined);
  return {
    client,
    proxy,
    name,
    lose: (command) => proxy.loseNextReply({ after: isCommand(command) }),
    expectFreeAfter: async (losses) => {
      // What ends a call that has given up is sent behind its answer.
      await waitUntil(() => proxy.repliesLost === losses, { what: `${losses} replies lost` });
      await waitUntil(async () => (await kit.admin.exists(name, `holdfast_queue:{${name}}`)) === 0, {
        what: 'the lock is free and nobody waits',
        timeoutMs: 3_000,
      });
      expect(await client.getLock(name).tryWithLock({}, () => 'again')).toEqual({ ran: true, value: 'again' });
    },
  };
}

const queued = (client: LockClient, name: string, size: number) =>
  waitUntil(async () => (await client.inspect(name)).queue.length === size, { what: `${size} in the queue` });

describe.each([byUrl, ownDefault, ownWithoutResend])('given by $title, a reply lost', (way) => {
  it('on ask leaves one hold', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    lose('ask');
    await client.getLock(name).withLock(async () => expect(await holdsInRedis(kit, name)).toBe(1));
    await expectFreeAfter(1);
  });

  it('on the first ask of a script that the server does not know leaves one hold', async () => {
    const { client, name, proxy, expectFreeAfter } = await setUp(way);
    await kit.admin.script('FLUSH');
    proxy.loseNextReply({ after: (request) => /eval\r\n/i.test(request.toString('latin1', 0, 40)) });
    await client.getLock(name).withLock(async () => expect(await holdsInRedis(kit, name)).toBe(1));
    await expectFreeAfter(1);
  });

  it('on the ask of a waiter leaves it its place and one hold', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const stranger = openClient(kit);
    const busy = await stranger.getLock(name).acquire();
    lose('ask');
    const waiting = client.getLock(name).acquire();
    await queued(stranger, name, 1);
    const later = openClient(kit).getLock(name).acquire();
    await queued(stranger, name, 2);
    await busy.release();
    const hold = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
    await (await later).release();
    await expectFreeAfter(1);
  });

  it('on a nested acquire counts it once', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    await client.getLock(name).withLock(async () => {
      lose('again');
      await client.getLock(name).withLock(async () => expect(await holdsInRedis(kit, name)).toBe(2));
      expect(await holdsInRedis(kit, name)).toBe(1);
    });
    await expectFreeAfter(1);
  });

  it('on a nested release counts it once', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const lock = client.getLock(name);
    await client.run(async () => {
      await lock.lock();
      await lock.lock();
      await lock.lock();
      lose('release');
      await lock.unlock();
      expect(await lock.getHoldCount()).toBe(2);
      await lock.unlock();
      expect(await lock.getHoldCount()).toBe(1);
      await lock.unlock();
    });
    await expectFreeAfter(1);
  });

  it('on the last release is no loss, and harms nobody who has the lock since', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const lost: unknown[] = [];
    client.on('lost', (event) => lost.push(event));
    const stranger = openClient(kit);
    const hold = await client.getLock(name).acquire();
    const waiting = stranger.getLock(name).acquire();
    await queued(stranger, name, 1);
    lose('release');
    await hold.release();
    const next = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    next.assertHeld();
    await next.release();
    expect(lost).toEqual([]);
    await expectFreeAfter(1);
  });

  it('on the release of a lock nobody waits for is no loss', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    lose('release');
    expect(await client.getLock(name).withLock(() => 'done')).toBe('done');
    await expectFreeAfter(1);
  });

  it('on a handoff to the next task with a fixed lease leaves it one hold with its own lease', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const lock = client.getLock(name);
    const first = await lock.acquire({ leaseMs: 60_000 });
    const waiting = lock.acquire({ leaseMs: 20_000 });
    lose('handoff');
    await first.release();
    const second = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    const ttlMs = await kit.admin.pttl(name);
    expect(ttlMs).toBeGreaterThan(15_000);
    expect(ttlMs).toBeLessThanOrEqual(20_000);
    await second.release();
    await expectFreeAfter(1);
  });

  it('on a renewal keeps the hold, for longer than its lease', async () => {
    const time = driveTime(kit);
    const leaseMs = 30_000;
    const { client, name, proxy, lose, expectFreeAfter } = await setUp(way, { watchdogTimeoutMs: leaseMs });
    const hold = await client.getLock(name).acquire();
    const leaseEnds = time.now() + hold.remainingMs();
    lose('renew');
    await time.advance(leaseMs / 3);
    await waitUntil(() => proxy.repliesLost === 1, { what: 'the renewal' });
    time.flow();
    await waitUntil(() => time.now() + hold.remainingMs() > leaseEnds + 1_000, { what: 'a lease that ends later' });
    expect(hold.state).toBe('held');
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
    await expectFreeAfter(1);
  });

  it('on a cancel leaves nobody in the queue', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const stranger = openClient(kit);
    const busy = await stranger.getLock(name).acquire();
    lose('cancel');
    expect(await client.getLock(name).tryLock(50)).toBe(false);
    await queued(stranger, name, 0);
    await busy.release();
    await expectFreeAfter(1);
  });

  it('on an ask whose caller has given up, and on its cancel, leaves the lock free', async () => {
    const { client, name, proxy, lose, expectFreeAfter } = await setUp(way);
    lose('ask');
    lose('cancel');
    proxy.delay(40, 'down');
    const outcome = await client
      .getLock(name)
      .tryLock(10)
      .catch((error: { code?: string }) => error.code);
    // Whether the connection is known to be down by then is a matter of time.
    expect([false, 'LOCK_UNAVAILABLE']).toContain(outcome);
    await waitUntil(() => proxy.repliesLost === 2, { what: 'both replies lost' });
    await expectFreeAfter(2);
  });

  it('on a force-unlock takes the lock from its holder and not from the next', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const stranger = openClient(kit);
    const third = openClient(kit);
    const forced = await stranger.getLock(name).acquire();
    const waiting = third.getLock(name).acquire();
    await queued(stranger, name, 1);
    lose('force');
    expect(await client.getLock(name).forceUnlock()).toBe(true);
    const hold = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    await waitUntil(() => forced.state === 'lost', { what: 'the victim knows' });
    await expect(forced.release()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
    await hold.release();
    await expectFreeAfter(1);
  });

  it('on a question costs a second try', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    lose('peek');
    expect(await client.getLock(name).isLocked()).toBe(false);
    lose('inspect');
    expect(await client.inspect(name)).toMatchObject({ name, queue: [] });
    await expectFreeAfter(2);
  });

  it('on the SUBSCRIBE of the inbox does not keep a waiter from its grant', async () => {
    const { client, name, proxy } = await setUp(way);
    const stranger = openClient(kit);
    const busy = await stranger.getLock(name).acquire();
    const waiting = client.getLock(name).acquire();
    await queued(stranger, name, 1);
    proxy.loseNextReply({ after: (request) => /subscribe\r\n/i.test(request.toString('latin1', 0, 40)) });
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await waitUntil(() => proxy.repliesLost === 1, { what: 'the second subscription to be lost as well' });
    await busy.release();
    await (await waiting).release();
  });
});
