import { countCommands, type FaultProxy, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Hold, type LockClient, type LockClientOptions, LockLostError, type RLock } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { LossRecord, lostFor, stall } from '../support/losses.js';
import { byUrl, type InputWay, openProxy, ownDefault } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);

const leaseMs = 600;
const quick = {
  watchdogTimeoutMs: leaseMs,
  reaskMs: 100,
  claimLeaseMs: 500,
  attemptTimeoutMs: 200,
  responseTimeoutMs: 400,
};
/** What scheduling on a busy machine may add. */
const slackMs = 250;

interface Situation {
  readonly client: LockClient;
  readonly proxy: FaultProxy;
  readonly name: string;
  readonly lock: RLock;
  /** A second client, straight to Redis. */
  readonly stranger: LockClient;
}

async function setUp(options: Partial<LockClientOptions> = {}, way: InputWay = byUrl): Promise<Situation> {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { ...quick, ...options, redis: way.open(kit, proxy) });
  // From now on the inbox is open.
  await waitUntil(
    async () => {
      await client.getLock(freshName()).withLock(() => undefined);
      return (await kit.admin.pubsub('CHANNELS', 'holdfast*')).length > 0;
    },
    { what: 'the inbox' },
  );
  const name = freshName();
  return { client, proxy, name, lock: client.getLock(name), stranger: openClient(kit, quick) };
}

/** Someone else waits for the lock from now on; the time at which it has it. */
async function takenBy(stranger: LockClient, name: string): Promise<{ hold: Hold; at: number }> {
  const hold = await stranger.getLock(name).acquire();
  return { hold, at: performance.now() };
}

describe.each([byUrl, ownDefault])('given by $title, the signal aborts before anybody else has the lock', (way) => {
  it.each([
    ['Redis is black-holed', undefined, 'unreachable'],
    ['Redis is black-holed, with a fixed lease', leaseMs, 'expired'],
  ] as const)('when %s', async (_, fixedMs, reason) => {
    const { client, proxy, name, lock, stranger } = await setUp({}, way);
    const hold = await lock.acquire(fixedMs === undefined ? {} : { leaseMs: fixedMs });
    const record = new LossRecord(client, hold);
    proxy.blackHole();
    const next = await takenBy(stranger, name);
    expect(record.abortedAt).toBeLessThan(next.at);
    expect(await record.told()).toEqual(lostFor(name, reason));
    await proxy.heal();
    await client.getLock(freshName()).withLock({ waitMs: 3_000 }, () => undefined);
    next.hold.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.hold.release();
  });

  it('when connections to Redis are refused', async () => {
    const { client, proxy, name, lock, stranger } = await setUp({}, way);
    const record = new LossRecord(client, await lock.acquire());
    proxy.refuse();
    proxy.reset();
    const next = await takenBy(stranger, name);
    expect(record.abortedAt).toBeLessThan(next.at);
    expect(await record.told()).toEqual(lostFor(name, 'unreachable'));
    await next.hold.release();
    await proxy.heal();
  });

  it('when Redis is stopped', async () => {
    const { client, name, lock } = await setUp({}, way);
    const record = new LossRecord(client, await lock.acquire());
    const next = takenBy(openClient(kit), name);
    await kit.server.stopProcess();
    const stoppedAt = performance.now();
    try {
      expect((await record.aborted()) - stoppedAt).toBeLessThan(leaseMs + slackMs);
    } finally {
      await kit.server.continueProcess();
    }
    expect(await record.told()).toEqual(lostFor(name, 'unreachable'));
    await (await next).hold.release();
  });

  it('when Redis is killed and stays away', async () => {
    const { client, name, lock } = await setUp({}, way);
    const record = new LossRecord(client, await lock.acquire());
    const killedAt = performance.now();
    await kit.server.kill();
    try {
      expect((await record.aborted()) - killedAt).toBeLessThan(leaseMs + slackMs);
    } finally {
      await kit.server.restart();
    }
    expect(await record.told()).toEqual(lostFor(name, 'unreachable'));
  });

  it('when a fixed lease has run out', async () => {
    const { client, name, lock, stranger } = await setUp({}, way);
    const record = new LossRecord(client, await lock.acquire({ leaseMs: 300 }));
    const next = await takenBy(stranger, name);
    expect(record.abortedAt).toBeLessThan(next.at);
    expect(await record.told()).toEqual(lostFor(name, 'expired'));
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.hold.release();
  });

  it('when maxHoldMs is reached, however well renewals go', async () => {
    const { client, name, lock, stranger } = await setUp({}, way);
    const startedAt = performance.now();
    const record = new LossRecord(client, await lock.acquire({ maxHoldMs: 900 }));
    const next = await takenBy(stranger, name);
    expect(record.abortedAt).toBeLessThan(next.at);
    expect((await record.aborted()) - startedAt).toBeGreaterThan(850);
    expect(await record.told()).toEqual(lostFor(name, 'max-hold'));
    await next.hold.release();
  });
});

describe('a lock that is taken away in Redis is lost at the next renewal', () => {
  const remove = (name: string) => kit.admin.del(name);
  it.each([
    ['all is flushed', 'deleted', () => kit.admin.flushall()],
    ['the key is deleted', 'deleted', remove],
    [
      'another owner is written',
      'taken',
      (name: string) => kit.admin.multi().del(name).hset(name, 'uuid:1', '1').pexpire(name, 5_000).exec(),
    ],
  ] as const)('when %s', async (_, reason, take) => {
    for (const options of [{}, { leaseMs: 2 * leaseMs }]) {
      const { client, name, lock } = await setUp();
      const record = new LossRecord(client, await lock.acquire(options));
      await take(name);
      const takenAt = performance.now();
      expect((await record.aborted()) - takenAt).toBeLessThan((options.leaseMs ?? leaseMs) / 3 + slackMs);
      expect(await record.told()).toEqual(lostFor(name, reason));
      await client.close();
      expect(await kit.admin.hkeys(name)).toEqual(reason === 'taken' ? ['uuid:1'] : []);
    }
  });

  it('when Redis has restarted empty: as soon as it is back', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 });
    const record = new LossRecord(client, await lock.acquire());
    await kit.server.restart();
    await record.aborted();
    expect(await record.told()).toEqual(lostFor(name, 'deleted'));
  });

  it('and a restart keeps nobody waiting: who is first afterwards gets the lock', async () => {
    const { client, name, lock, stranger } = await setUp({ watchdogTimeoutMs: 30_000 });
    const record = new LossRecord(client, await lock.acquire());
    const waiting = stranger.getLock(name).acquire();
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'it waits' });
    await kit.server.restart();
    const hold = await waiting;
    await record.aborted();
    expect(await record.told()).toMatchObject({ state: 'lost' });
    hold.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
  });

  it('and a call of the same process that waits behind it gets the lock afresh', async () => {
    const { client, name, lock } = await setUp();
    const record = new LossRecord(client, await lock.acquire());
    const waiting = lock.acquire();
    await remove(name);
    const hold = await waiting;
    expect(await record.told()).toEqual(lostFor(name, 'deleted'));
    hold.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
  });
});

describe('a forced lock', () => {
  it.each([{}, { leaseMs: 30_000 }])('is lost by message, long before a renewal (%j)', async (options) => {
    const { client, name, lock, stranger } = await setUp({ watchdogTimeoutMs: 30_000 });
    const record = new LossRecord(client, await lock.acquire(options));
    expect(await stranger.getLock(name).forceUnlock()).toBe(true);
    await record.aborted(2_000);
    expect(await record.told()).toEqual(lostFor(name, 'force-unlocked'));
  });

  it('of this process is lost before forceUnlock resolves', async () => {
    const { client, name, lock } = await setUp();
    const record = new LossRecord(client, await lock.acquire());
    const forcing = lock.forceUnlock().then(() => record.abortedAt);
    expect(await forcing).toBeDefined();
    expect(await record.told()).toEqual(lostFor(name, 'force-unlocked'));
  });

  it('is found by the renewal when the message does not arrive', async () => {
    const { client, name, lock, stranger } = await setUp();
    const record = new LossRecord(client, await lock.acquire());
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await stranger.getLock(name).forceUnlock();
    await record.aborted();
    expect(await record.told()).toMatchObject({ state: 'lost' });
  });
});

it('close() takes back what is held: the signal aborts, the lock is free', async () => {
  const { client, name, lock, stranger } = await setUp();
  const record = new LossRecord(client, await lock.acquire());
  await client.close();
  expect(await record.told()).toEqual(lostFor(name, 'closed'));
  expect(await stranger.getLock(name).tryLock()).toBe(true);
  await stranger.getLock(name).forceUnlock();
});

describe('who relied on a lost lock is told', () => {
  it('withLock rejects with LockLostError although its function resolved', async () => {
    const { name, lock } = await setUp();
    const section = lock.withLock(async ({ signal }) => {
      await kit.admin.del(name);
      await waitUntil(() => signal.aborted, { what: 'the loss' });
      return 'done';
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted', lockName: name });
  });

  it('an error of the function wins, and the loss is its cause', async () => {
    const { name, lock } = await setUp();
    const failure = new Error('work failed');
    const section = lock.withLock(async ({ signal }) => {
      await kit.admin.del(name);
      await waitUntil(() => signal.aborted, { what: 'the loss' });
      throw failure;
    });
    await expect(section).rejects.toBe(failure);
    expect(failure.cause).toBeInstanceOf(LockLostError);
  });

  it('a loss that nobody has noticed is found by the release', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 });
    const events: unknown[] = [];
    client.on('lost', ({ error }) => events.push(error.reason));
    const section = lock.withLock(() => kit.admin.del(name));
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(events).toEqual(['deleted']);
  });

  it('unlock rejects once with the reason, then there is nothing to unlock', async () => {
    const { client, name, lock } = await setUp();
    const lost = new Promise((resolve) => client.on('lost', resolve));
    await lock.lock();
    await kit.admin.del(name);
    await lost;
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
  });

  it('every level of nesting is told', async () => {
    const { name, lock } = await setUp();
    const outcomes: unknown[] = [];
    const outer = lock.withLock(async () => {
      const inner = lock.withLock(async ({ signal }) => {
        await kit.admin.del(name);
        await waitUntil(() => signal.aborted, { what: 'the loss' });
      });
      await inner.catch((error: unknown) => outcomes.push(error));
    });
    await outer.catch((error: unknown) => outcomes.push(error));
    expect(outcomes).toMatchObject([{ code: 'LOCK_LOST' }, { code: 'LOCK_LOST' }]);
  });
});

describe('the first line after a stalled event loop tells the truth', () => {
  it.each([
    ['a fixed lease', { leaseMs: 150 }, 'expired'],
    ['a watched lease', {}, 'clock'],
  ] as const)('about %s', async (_, options, reason) => {
    const { client, lock } = await setUp({ watchdogTimeoutMs: 150 });
    const reads: ((hold: Hold) => unknown)[] = [
      (hold) => hold.state === 'lost',
      (hold) => hold.remainingMs() === 0,
      (hold) => hold.signal.aborted && (hold.signal.reason as LockLostError).reason === reason,
      (hold) => {
        try {
          hold.assertHeld();
          return false;
        } catch (error) {
          return error instanceof LockLostError && error.reason === reason;
        }
      },
    ];
    for (const read of reads) {
      const hold = await client.getLock(freshName()).acquire(options);
      expect(hold.signal.aborted).toBe(false);
      stall(200);
      const truth = read(hold);
      expect(truth).toBe(true);
      await expect(hold.release()).rejects.toMatchObject({ reason });
    }
    expect(await lock.tryLock()).toBe(true);
    await lock.unlock();
  });

  it('about a nested call: it does not acquire afresh', async () => {
    const { lock } = await setUp({ watchdogTimeoutMs: 150 });
    const inner: unknown[] = [];
    const section = lock.withLock(async () => {
      stall(200);
      inner.push(await lock.withLock(() => 'ran').catch((error: unknown) => error));
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(inner).toMatchObject([{ code: 'LOCK_LOST' }]);
  });
});

describe('a hold in doubt', () => {
  it.each([byUrl, ownDefault])(
    'is suspect while the connection is away, and held again when it is back ($title)',
    async (way) => {
      const { client, proxy, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 }, way);
      const events: string[] = [];
      client.on('suspect', (event) => events.push(event.name));
      const watched = await lock.acquire();
      const fixed = await client.getLock(`${name}-fixed`).acquire({ leaseMs: 30_000 });
      proxy.refuse();
      proxy.reset();
      await waitUntil(() => watched.state === 'suspect' && fixed.state === 'suspect', { what: 'suspicion' });
      expect(watched.remainingMs()).toBeGreaterThan(20_000);
      watched.assertHeld();
      expect(watched.signal.aborted).toBe(false);
      await proxy.heal();
      await waitUntil(() => watched.state === 'held' && fixed.state === 'held', { what: 'trust' });
      expect(events.sort()).toEqual([name, `${name}-fixed`]);
      await Promise.all([watched.release(), fixed.release()]);
    },
  );

  it('is suspect when Redis hangs, before it is lost', async () => {
    const { client, proxy, name, lock } = await setUp();
    const events: string[] = [];
    client.on('suspect', (event) => events.push(event.name));
    const hold = await lock.acquire();
    proxy.blackHole();
    await waitUntil(() => events.length > 0, { what: 'suspicion', timeoutMs: leaseMs });
    expect(hold.state).toBe('suspect');
    await proxy.heal();
    await waitUntil(() => hold.state === 'held', { what: 'trust' });
    expect(events).toEqual([name]);
    await hold.release();
  });
});

describe('the watchdog', () => {
  it('does not stop because renewals are refused for a while', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 900 });
    const startedAt = performance.now();
    const hold = await lock.acquire();
    await kit.admin.call('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
    try {
      await waitUntil(() => client.stats().renewals.unknown >= 2, { what: 'two refused renewals' });
    } finally {
      await kit.admin.call('ACL', 'SETUSER', 'default', '+@all');
    }
    await waitUntil(() => performance.now() - startedAt > 1_000 || hold.state === 'lost', { what: 'a whole lease' });
    await waitUntil(() => hold.state === 'held', { what: 'trust', timeoutMs: 1_000 });
    expect(await kit.admin.pttl(name)).toBeGreaterThan(300);
    await hold.release();
  });

  it('renews nothing after the release has been called', async () => {
    const { client, proxy, lock } = await setUp({ watchdogTimeoutMs: 300 });
    const hold = await lock.acquire();
    await waitUntil(() => client.stats().renewals.renewed >= 2, { what: 'two renewals' });
    proxy.hold('down');
    const released = hold.release();
    const counter = await countCommands(kit.admin);
    const from = performance.now();
    await waitUntil(() => performance.now() - from > 250, { what: 'two more intervals' });
    await proxy.heal();
    await released;
    expect((await counter.delta())['evalsha'] ?? 0).toBeLessThanOrEqual(1);
    expect(await lock.isLocked()).toBe(false);
  });
});
