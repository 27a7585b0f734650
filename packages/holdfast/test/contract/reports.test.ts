import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { driveTime, spawnWorker, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import {
  type LockClient,
  type LockClientEvents,
  type LockClientOptions,
  type LockClientStats,
  type LockHoldEvent,
  LockLostError,
} from 'holdfast';
import { confirmedRenewals, freshName, openClient, warmUp } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import type { methods } from '../support/report.worker.js';
import { whichIoredis } from '../support/which-ioredis.js';

const kit = useRedis();

const events = ['lost', 'suspect', 'leak', 'self-wait', 'foreign-owner', 'error'] as const;

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  return { client, name, lock: client.getLock(name), heard: listenTo(client) };
};

/** Everything that a client tells, in order. */
function listenTo(client: LockClient): [event: keyof LockClientEvents, payload: unknown][] {
  const heard: [keyof LockClientEvents, unknown][] = [];
  for (const event of events) client.on(event, (payload: unknown) => heard.push([event, payload]));
  return heard;
}

const here = expect.stringContaining('reports.test.ts') as unknown;
const lossOf = (name: string, reason: string) => ({
  name,
  holdId: expect.any(String) as unknown,
  error: expect.objectContaining({ code: 'LOCK_LOST', lockName: name, reason }) as unknown,
});

/** `self-wait` and `foreign-owner` are in scopes.test.ts. */
describe('events', () => {
  it('lost: once for each open acquisition, with name and error', async () => {
    const { name, lock, heard } = setUp();
    const outer = await lock.acquire();
    const inner = await outer.run(() => lock.acquire());
    await lock.forceUnlock();
    await failureOf(inner.release());
    await failureOf(outer.release());
    expect(heard).toEqual([
      ['lost', lossOf(name, 'force-unlocked')],
      ['lost', lossOf(name, 'force-unlocked')],
    ]);
    expect(heard.every(([, payload]) => (payload as { error: unknown }).error instanceof LockLostError)).toBe(true);
  });

  it('leak: once, with the site of the call, behind the loss of the same hold, and nothing else', async () => {
    const { client, name, lock, heard } = setUp({ watchdogTimeoutMs: 600 });
    await client.run(() => lock.lock());
    await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lease to run out' });
    expect(heard).toEqual([
      ['lost', lossOf(name, 'scope-ended')],
      ['leak', { name, holdId: expect.any(String), how: 'scope-ended', site: here }],
    ]);
    expect(new Set(heard.map(([, payload]) => (payload as LockHoldEvent).holdId)).size).toBe(1);
    expect(client.stats().losses).toEqual({ 'scope-ended': 1 });
  });

  it('suspect: once for each time the connection goes, and the hold is held again when it is back', async () => {
    const proxy = await openProxy(kit);
    const { name, lock, heard } = setUp({ redis: proxy.url });
    const hold = await lock.acquire();
    for (let times = 1; times <= 2; times++) {
      proxy.refuse();
      proxy.reset();
      await waitUntil(() => hold.state === 'suspect', { what: 'the doubt' });
      await proxy.heal();
      await waitUntil(() => hold.state === 'held', { what: 'the hold to be verified' });
      expect(heard.filter(([event]) => event !== 'error')).toEqual(
        Array.from({ length: times }, () => ['suspect', { name }]),
      );
    }
    await hold.release();
    expect(heard.filter(([event]) => event === 'lost')).toEqual([]);
  });

  it('error: what goes wrong in the background, and nothing when nothing does', async () => {
    const { client, lock, heard } = setUp({ redis: 'redis://127.0.0.1:1', attemptTimeoutMs: 500 });
    await expect(lock.tryLock()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(heard[0]).toEqual(['error', expect.objectContaining({ code: 'ECONNREFUSED' })]);
    await client.close();
    const quiet = setUp();
    await quiet.lock.withLock(() => undefined);
    await quiet.client.close();
    expect(quiet.heard).toEqual([]);
  });

  it('reach a listener until it is taken off, also when it takes itself off while being told', async () => {
    const { client, lock } = setUp();
    const told: string[] = [];
    const once = () => {
      told.push('once');
      client.off('lost', once);
    };
    client.on('lost', once).on('lost', () => told.push('always'));
    for (let times = 0; times < 2; times++) {
      const hold = await lock.acquire();
      await lock.forceUnlock();
      await failureOf(hold.release());
    }
    expect(told).toEqual(['once', 'always', 'always']);
  });
});

describe('listening', () => {
  it('once is told once, also when it is taken off before', async () => {
    const { client, lock } = setUp();
    const told: string[] = [];
    const never = () => told.push('never');
    client
      .once('lost', () => told.push('once'))
      .once('lost', never)
      .off('lost', never);
    for (let times = 0; times < 2; times++) {
      const hold = await lock.acquire();
      await lock.forceUnlock();
      await failureOf(hold.release());
    }
    expect(told).toEqual(['once']);
  });

  // One is there already. What Node.js warns of is left behind by the test, see guard-leaks.ts.
  it('a hundred listeners of one event are no leak to Node.js', () => {
    const { client } = setUp();
    const listen = () => client.on('lost', () => undefined);
    expect(Array.from({ length: 99 }, listen)).toHaveLength(99);
  });

  it.each(['on', 'once', 'off'] as const)(
    '%s refuses an event that there is not, and names those there are',
    (method) => {
      const { client } = setUp();
      const listen = () => client[method]('losst' as 'lost', () => undefined);
      expect(listen).toThrow(RangeError);
      expect(listen).toThrow('There is no event "losst": the events are lost, suspect, leak,');
      expect(() => client[method]('toString' as 'lost', () => undefined)).toThrow(RangeError);
      expect(() => client[method]('lost', 'no function' as never)).toThrow(
        expect.objectContaining({ name: 'TypeError' }),
      );
    },
  );
});

describe('listeners', () => {
  const startWorker = async () => {
    const file = new URL('../support/report.worker.ts', import.meta.url);
    const worker = await spawnWorker<typeof methods>(file, { ioredis: whichIoredis });
    kit.cleanup(() => worker.stop());
    return worker;
  };
  const warning = (event: string): unknown =>
    expect.stringMatching(
      `^warning HoldfastWarning: A listener of the lock client's "${event}" event threw: Error: listener\n`,
    );

  it.each(['throws', 'rejects'] as const)('go on when one of them %s: a process warning tells of it', async (kind) => {
    const worker = await startWorker();
    const { heard, complaints } = await worker.call('trouble', kit.server.url, kind);
    expect(heard.sort()).toEqual(['error', 'leak', 'lost']);
    // Both locks are lost, one of them to the end of its scope.
    expect(complaints.sort()).toEqual([warning('error'), warning('leak'), warning('lost'), warning('lost')]);
  });

  it('are needed for no event, not even for error', async () => {
    const worker = await startWorker();
    // A lock that no code will unlock is worth a warning.
    const complaints = [expect.stringContaining('Lock "leak" was still held')];
    expect(await worker.call('trouble', kit.server.url, 'none')).toEqual({ heard: ['error'], complaints });
  });
});

describe('stats', () => {
  const boundsMs = [
    ...[1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 20_000, 30_000, 60_000],
    ...[120_000, 300_000, 900_000, 3_600_000],
  ];

  it('of a new client are zero, and its success rate is 1', () => {
    const stats = openClient(kit).stats();
    const buckets = boundsMs.map((upToMs) => ({ upToMs, count: 0 }));
    const none = { count: 0, sumMs: 0, meanMs: 0, p50Ms: 0, p99Ms: 0, minMs: 0, maxMs: 0, buckets };
    expect(stats).toEqual({
      acquisitions: { tried: 0, won: 0, refused: 0, failed: 0, found: 0, successRate: 1 },
      waits: none,
      holds: none,
      handoffs: { local: 0, passed: 0, granted: 0 },
      reentries: 0,
      renewals: { renewed: 0, held: 0, lost: 0, unknown: 0, lateness: none, slack: none },
      losses: {},
      limited: {},
      staleWrites: 0,
      waiting: 0,
      held: 0,
    } satisfies LockClientStats);
  });

  it('count each acquisition once, as won, refused or failed', async () => {
    const { client, name, lock } = setUp();
    const stop = AbortSignal.abort(new Error('enough'));
    const hold = await lock.acquire();
    await hold.run(() => lock.withLock(() => undefined));
    expect(await lock.tryLock()).toBe(false);
    expect(await lock.tryAcquire({ waitMs: 20 })).toBe(null);
    expect(await lock.tryWithLock({}, () => 1)).toEqual({ ran: false });
    await failureOf(lock.acquire({ waitMs: 20 }));
    const abort = new AbortController();
    const aborted = failureOf(lock.acquire({ signal: abort.signal }));
    abort.abort();
    await aborted;
    await failureOf(lock.lock({ signal: stop }));
    await hold.release();
    await client.getLock(name).withLock(() => undefined);
    expect(client.stats().acquisitions).toEqual({
      tried: 8,
      won: 3,
      refused: 4,
      failed: 1,
      found: 0,
      successRate: 3 / 8,
    });
    expect(client.stats().reentries).toBe(1);
  });

  it('count handoffs by kind', async () => {
    const { client, lock, name } = setUp();
    const other = openClient(kit);
    let hold = await lock.acquire();
    for (const leaseMs of [undefined, undefined, 5_000]) {
      const next = lock.acquire(leaseMs === undefined ? {} : { leaseMs });
      await hold.release();
      hold = await next;
    }
    // A waiter whose inbox opens while it waits asks again, and may find the lock free.
    await other.getLock(freshName()).withLock(() => undefined);
    const inbox = `holdfast_inbox:${other.clientId}`;
    await waitUntil(async () => (await kit.admin.pubsub('NUMSUB', inbox))[1] === 1, { what: 'the inbox to be open' });
    const theirs = other.getLock(name).acquire();
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'the queue' });
    await hold.release();
    await (await theirs).release();
    expect(client.stats().handoffs).toEqual({ local: 2, passed: 1, granted: 0 });
    expect(other.stats().handoffs).toEqual({ local: 0, passed: 0, granted: 1 });
  });

  it('measure waits and holds in milliseconds', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp();
    const hold = await lock.acquire();
    const waiting = lock.acquire();
    await time.advance(100);
    await hold.release();
    await (await waiting).release();
    const { waits, holds } = client.stats();
    expect([waits.count, holds.count]).toEqual([2, 2]);
    for (const { meanMs, p50Ms, p99Ms, maxMs } of [waits, holds]) {
      expect(maxMs).toBeGreaterThan(99);
      expect(maxMs).toBeLessThan(101.1);
      expect(p50Ms).toBeLessThanOrEqual(p99Ms);
      expect(p99Ms).toBeLessThanOrEqual(maxMs);
      expect(meanMs).toBeLessThanOrEqual(maxMs);
      expect(meanMs).toBeGreaterThan(maxMs / 3);
    }
  });

  it('measure holds of less than a millisecond, whenever they begin', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp();
    for (let i = 0; i < 5; i++) {
      const hold = await lock.acquire();
      await time.advance(0.3);
      await hold.release();
    }
    expect(client.stats().holds.maxMs).toBeCloseTo(0.3);
  });

  it('have histograms: of each bound how many were no longer, and in count those that were', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp();
    // A handshake that is under way when time goes on by 20 s never ends: its connection is taken for dead, and comes back only as time goes on.
    await warmUp(kit, client);
    for (const heldMs of [0, 100, 101, 20_000, 70_000]) {
      const hold = await lock.acquire({ leaseMs: 100_000 });
      await time.advance(heldMs);
      await hold.release();
    }
    const { holds } = client.stats();
    const upTo = (bound: number) => holds.buckets.find(({ upToMs }) => upToMs === bound)?.count;
    // One more, of warming up.
    expect([upTo(50), upTo(250), upTo(10_000), upTo(30_000), upTo(60_000), holds.count]).toEqual([2, 4, 4, 5, 5, 6]);
    expect(holds.buckets.map(({ upToMs }) => upToMs)).toEqual(boundsMs);
    expect(Math.round(holds.sumMs / 1_000)).toBe(90);
  });

  it('know how many calls wait and how many holds are open, however they end', async () => {
    const { client, name, lock } = setUp({ watchdogTimeoutMs: 1_500 });
    const gauges = () => {
      const { waiting, held } = client.stats();
      return { waiting, held };
    };
    const hold = await lock.acquire();
    const inner = await hold.run(() => lock.acquire());
    const waits = [lock.acquire(), lock.acquire()];
    expect(gauges()).toEqual({ waiting: 2, held: 2 });
    await inner.release();
    await hold.release();
    await (await waits[0])?.release();
    const third = await waits[1];
    expect(gauges()).toEqual({ waiting: 0, held: 1 });
    await lock.forceUnlock();
    expect(gauges()).toEqual({ waiting: 0, held: 0 });
    await failureOf(third?.release() ?? Promise.resolve());
    // The answer to the release says that it was lost before: it is counted once.
    const deleted = await lock.acquire();
    await kit.admin.del(name);
    await failureOf(deleted.release());
    expect(gauges()).toEqual({ waiting: 0, held: 0 });
    await client.run(() => lock.lock());
    expect(gauges()).toEqual({ waiting: 0, held: 0 });
    await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lease to run out' });
    const closed = await lock.acquire();
    await client.close();
    await failureOf(closed.release());
    expect(gauges()).toEqual({ waiting: 0, held: 0 });
  });

  it('show the stall that cost a lock in the lateness of renewals', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp();
    const hold = await lock.acquire();
    time.jump(40_000);
    expect(hold.state).toBe('lost');
    const { renewals, losses } = client.stats();
    expect(losses).toEqual({ clock: 1 });
    expect(renewals).toMatchObject({ renewed: 0, unknown: 1, lateness: { count: 1 } });
    expect(renewals.lateness.maxMs).toBeGreaterThan(29_000);
    expect(renewals.lateness.maxMs).toBeLessThan(31_000);
    await failureOf(hold.release());
  });

  it('count renewals with their lateness, and losses by reason', async () => {
    const time = driveTime(kit);
    const { client, lock, name } = setUp();
    const first = await lock.acquire();
    for (const count of [1, 2, 3]) {
      // A third of the lease, and what is lost to rounding.
      await time.advance(10_001);
      await waitUntil(() => confirmedRenewals(client) >= count, { what: `${count} renewals` });
    }
    await kit.admin.del(name);
    await time.advance(10_000);
    await waitUntil(() => first.state === 'lost', { what: 'the loss' });
    const second = await lock.acquire({ leaseMs: 60_000 });
    await time.advance(60_000);
    expect(second.state).toBe('lost');
    // A connection that owed an answer for all that time may be replaced now.
    time.flow();
    await kit.admin.del(name);
    const third = await lock.acquire();
    await lock.forceUnlock();
    for (const hold of [first, second, third]) await failureOf(hold.release());
    const { renewals, losses } = client.stats();
    expect(losses).toEqual({ deleted: 1, expired: 1, 'force-unlocked': 1 });
    const { lateness, slack, ...outcomes } = renewals;
    expect(outcomes.lost).toBe(1);
    // How many of the three prolonged a lease, and how many looks at the fixed one were answered, is Redis' clock's business.
    expect(outcomes.renewed).toBeGreaterThan(0);
    expect(confirmedRenewals(client)).toBeGreaterThanOrEqual(3);
    expect(lateness.count).toBe(Object.values(outcomes).reduce((sum, count) => sum + count, 0));
    expect(lateness.maxMs).toBeLessThan(1);
    expect(slack.count).toBe(outcomes.renewed);
    // Two thirds of the lease, without the margin for clocks. The fixed one is no part of it.
    expect(slack.meanMs).toBeGreaterThan(18_000);
  });

  it('are a copy: they stay as they were read', async () => {
    const { client, lock } = setUp();
    const before = client.stats();
    const hold = await lock.acquire();
    await lock.forceUnlock();
    await failureOf(hold.release());
    expect(before).toMatchObject({ acquisitions: { tried: 0 }, losses: {} });
    expect(before.waits.count).toBe(0);
    expect(client.stats().losses).toEqual({ 'force-unlocked': 1 });
  });
});

describe('diagnostics channels', () => {
  /** The messages about one client. */
  function record(client: LockClient): [channel: string, message: object][] {
    const messages: [string, object][] = [];
    for (const channel of ['acquired', 'refused', 'released', 'renewal', 'lost', 'leak', 'self-wait']) {
      const note = (message: unknown) => {
        const { clientId, ...rest } = message as { clientId: string };
        if (clientId === client.clientId) messages.push([channel, rest]);
      };
      subscribe(`holdfast:${channel}`, note);
      kit.cleanup(() => unsubscribe(`holdfast:${channel}`, note));
    }
    return messages;
  }
  const ms = expect.any(Number) as unknown;

  it('tell of acquisitions, refusals and releases, and the id of a hold joins what is told of it', async () => {
    const { client, name, lock } = setUp();
    const messages = record(client);
    const hold = await lock.acquire();
    await hold.run(() => lock.withLock(() => undefined));
    expect(await lock.tryLock()).toBe(false);
    const failure = new Error('enough');
    const stop = new AbortController();
    const aborted = failureOf(lock.acquire({ signal: stop.signal }));
    stop.abort(failure);
    await aborted;
    const next = lock.acquire();
    await hold.release();
    await (await next).release();
    const ids = messages.flatMap(([, message]) => ('holdId' in message ? [message.holdId] : []));
    const [outer, inner, , , last] = ids;
    expect(new Set(ids).size).toBe(3);
    expect(messages).toEqual([
      ['acquired', { name, holdId: outer, waitedMs: ms, how: 'asked' }],
      ['acquired', { name, holdId: inner, waitedMs: ms, how: 're-entered' }],
      ['released', { name, holdId: inner, heldMs: ms }],
      ['refused', { name, outcome: 'busy' }],
      ['refused', { name, outcome: 'error', error: failure }],
      ['released', { name, holdId: outer, heldMs: ms }],
      ['acquired', { name, holdId: last, waitedMs: ms, how: 'local' }],
      ['released', { name, holdId: last, heldMs: ms }],
    ]);
  });

  it.each([
    ['', undefined],
    [', by the name the user calls the lock, whatever the prefix', 'app:'],
  ])('tell of renewals and losses, with the ids of the holds they are of%s', async (_, prefix) => {
    const time = driveTime(kit);
    const { client, name, lock, heard } = setUp(prefix === undefined ? {} : { prefix });
    const messages = record(client);
    const outer = await lock.acquire();
    const inner = await outer.run(() => lock.acquire());
    const [first, second] = messages.map(([, message]) => (message as { holdId: string }).holdId);
    await time.advance(10_000);
    await waitUntil(() => messages.length >= 3, { what: 'a renewal' });
    expect(messages[2]).toEqual([
      'renewal',
      { name, holdIds: [first, second], outcome: 'renewed', latenessMs: ms, slackMs: ms },
    ]);
    await kit.admin.del(`${prefix ?? ''}${name}`);
    await time.advance(10_000);
    await waitUntil(() => inner.state === 'lost', { what: 'the loss' });
    await failureOf(inner.release());
    await failureOf(outer.release());
    const last = messages.filter(([channel]) => channel === 'renewal').at(-1);
    expect(last?.[1]).toMatchObject({ holdIds: [first, second], outcome: 'lost' });
    expect(messages.filter(([channel]) => channel === 'lost')).toEqual([
      ['lost', { name, holdId: first, reason: 'deleted', heldMs: ms }],
      ['lost', { name, holdId: second, reason: 'deleted', heldMs: ms }],
    ]);
    expect(messages.filter(([channel]) => channel === 'released')).toEqual([]);
    expect(heard.map(([, event]) => (event as { holdId: string }).holdId)).toEqual([first, second]);
  });

  it('tell of a loss that only the release finds, without a time that was told before', async () => {
    const { client, name, lock } = setUp();
    const messages = record(client);
    const hold = await lock.acquire();
    await kit.admin.del(name);
    await failureOf(hold.release());
    const [, released, lost] = messages;
    const holdId = expect.any(String) as unknown;
    expect(released).toEqual(['released', { name, holdId, heldMs: ms }]);
    expect(lost).toStrictEqual(['lost', { name, holdId, reason: 'deleted', heldMs: undefined }]);
  });

  it('tell of leaks and of calls that wait for themselves', async () => {
    const time = driveTime(kit);
    const { client, name, lock } = setUp();
    const messages = record(client);
    const hold = await lock.acquire();
    const waiting = lock.acquire();
    await time.advance(2_000);
    await hold.release();
    await (await waiting).release();
    await client.run(() => lock.lock());
    expect(messages.filter(([channel]) => ['leak', 'self-wait'].includes(channel))).toEqual([
      ['self-wait', { name }],
      ['leak', { name, holdId: expect.any(String), how: 'scope-ended' }],
    ]);
    await lock.forceUnlock();
  });
});

describe('inspect', () => {
  it('a free lock: nobody', async () => {
    const { client, name } = setUp();
    expect(await client.inspect(name)).toEqual({
      name,
      owner: undefined,
      holders: [],
      remainingMs: undefined,
      queue: [],
    });
  });

  it('a nested lock with a queue, seen from inside and outside', async () => {
    const { client, name, lock } = setUp();
    const [other, third] = [openClient(kit), openClient(kit)];
    const holder = await lock.acquire({ leaseMs: 20_000 });
    await holder.run(() =>
      lock.withLock(async () => {
        const waiting: Promise<void>[] = [];
        for (const waiter of [other, third]) {
          const before = waiting.length;
          waiting.push(client.exit(() => waiter.getLock(name).withLock(() => undefined)));
          await waitUntil(async () => (await client.inspect(name)).queue.length > before, { what: 'the queue' });
        }
        const seen = await client.inspect(name);
        const owner = {
          id: expect.stringContaining(client.clientId),
          holdCount: 2,
          kind: 'this-client',
          resting: false,
          remainingMs: expect.any(Number),
        };
        const waiting30s = { waitingMs: expect.any(Number), thisClient: false, leaseMs: 30_000 };
        expect(seen).toEqual({
          name,
          owner,
          holders: [owner],
          remainingMs: expect.any(Number),
          queue: [
            { id: expect.stringContaining(other.clientId), ...waiting30s },
            { id: expect.stringContaining(third.clientId), ...waiting30s },
          ],
        });
        expect(seen.remainingMs).toBeGreaterThan(15_000);
        for (const { waitingMs } of seen.queue) expect(waitingMs).toBeLessThan(1_000);
        expect(seen.queue.every(({ waitingMs }) => Number.isInteger(waitingMs))).toBe(true);
        expect(await other.inspect(name)).toMatchObject({
          owner: { kind: 'holdfast', holdCount: 2 },
          queue: [{ thisClient: true }, { thisClient: false }],
        });
        void Promise.all(waiting).then(() => undefined);
      }),
    );
    await holder.release();
    await waitUntil(async () => (await client.inspect(name)).owner === undefined, { what: 'everybody served' });
  });

  it('a lock of an explicit owner: the name is in the id', async () => {
    const { client, name } = setUp();
    const lock = client.getLock(name, { owner: 'worker-7' });
    await lock.lock();
    expect(await client.inspect(name)).toMatchObject({
      owner: { id: expect.stringMatching(/^worker-7:/), holdCount: 1, kind: 'this-client' },
    });
    await lock.unlock();
  });

  it('a lock of a client that knows no queue: foreign, with its count; -1 when it has no expiry', async () => {
    const { client, name, lock } = setUp();
    const id = '6e1c9d4e-6b0c-4f6e-8a53-7a2ab1a6d8f1:42';
    await kit.admin.hset(name, id, 3);
    const owner = { id, holdCount: 3, kind: 'foreign', resting: false };
    const foreign = {
      name,
      owner,
      holders: [owner],
      remainingMs: undefined,
      queue: [],
    };
    expect(await client.inspect(name)).toEqual(foreign);
    expect(await lock.remainTimeToLive()).toBe(-1);
    await kit.admin.pexpire(name, 5_000);
    expect((await client.inspect(name)).remainingMs).toBeGreaterThan(4_000);
    await kit.admin.del(name);
  });

  it('writes nothing, and needs no hold', async () => {
    const { client, name, lock } = setUp();
    await using _hold = await lock.acquire({ leaseMs: 20_000 });
    const before = await kit.admin.hgetall(name);
    await openClient(kit).inspect(name);
    await client.inspect(name);
    expect(await kit.admin.hgetall(name)).toEqual(before);
  });
});
