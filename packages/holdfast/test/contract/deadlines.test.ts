import { driveTime, type FaultProxy, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClient, LockUnavailableError, type RLock } from 'holdfast';
import { Redis } from 'ioredis';
import { openClient } from '../support/clients.js';
import { byUrl, everyWay, type InputWay, openProxy, ownDefault } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);

// What the machine keeps from this process is no delay of a call.
beforeEach(() => driveTime(kit).flow());

const attemptTimeoutMs = 100;
const responseTimeoutMs = 250;
const waitMs = 150;
/** Turns of the event loop, in which other calls are served too. */
const slackMs = 250;

interface Situation {
  readonly client: LockClient;
  readonly redis: Redis | undefined;
  readonly proxy: FaultProxy;
}

/** A client that reaches Redis through a proxy. */
async function setUp(way: InputWay, before: (proxy: FaultProxy) => void = () => undefined): Promise<Situation> {
  const proxy = await openProxy(kit);
  before(proxy);
  const input = way.open(kit, proxy);
  const client = createLockClient({ redis: input, attemptTimeoutMs, responseTimeoutMs });
  kit.cleanup(() => client.close());
  return { client, redis: input instanceof Redis ? input : undefined, proxy };
}

/** Everything that asks Redis, each call on a lock of its own, with the time it may take. */
function everyAcquisition({ client }: Situation): [string, number, () => Promise<unknown>][] {
  return [
    ['tryLock()', attemptTimeoutMs, () => client.getLock('tryLock').tryLock()],
    ['tryLock(waitMs)', waitMs, () => client.getLock('tryLock-wait').tryLock(waitMs)],
    ['acquire', waitMs, () => client.getLock('acquire').acquire({ waitMs })],
    ['withLock', waitMs, () => client.getLock('withLock').withLock({ waitMs }, () => 'ran')],
    ['lock()', responseTimeoutMs, () => client.getLock('lock').lock()],
  ];
}

function everyQuestion({ client }: Situation, held: RLock): [string, number, () => Promise<unknown>][] {
  return [
    ['isLocked', responseTimeoutMs, () => client.getLock('isLocked').isLocked()],
    ['getHoldCount', responseTimeoutMs, () => held.getHoldCount()],
    ['remainTimeToLive', responseTimeoutMs, () => held.remainTimeToLive()],
    ['forceUnlock', responseTimeoutMs, () => client.getLock('forceUnlock').forceUnlock()],
    ['inspect', responseTimeoutMs, () => client.inspect('inspect')],
  ];
}

/** Runs all calls at once: each rejects with LockUnavailableError, neither before its deadline nor much later. */
async function expectDeadlines(calls: [string, number, () => Promise<unknown>][]): Promise<void> {
  const startedAt = performance.now();
  const outcomes = await Promise.all(
    calls.map(async ([title, boundMs, call]) => {
      const outcome = await call().then(
        (value) => `resolved with ${String(value)}`,
        (error: unknown) => (error instanceof LockUnavailableError ? 'unavailable' : error),
      );
      const ms = performance.now() - startedAt;
      const inTime = ms >= boundMs - 2 && ms < boundMs + slackMs;
      return { title, outcome, inTime: inTime || `after ${Math.round(ms)} ms, not ${boundMs}` };
    }),
  );
  expect(outcomes).toEqual(calls.map(([title]) => ({ title, outcome: 'unavailable', inTime: true })));
}

/** On a busy machine Redis may owe this answer, too, for longer than `responseTimeoutMs`; the lock is given back all the same. */
const giveBack = (held: RLock) =>
  held.unlock().catch((error: unknown) => expect(error).toBeInstanceOf(LockUnavailableError));

const lockKeys = async () => (await kit.admin.keys('*')).filter((key) => !key.startsWith('holdfast_dead:'));

/** Redis is back. Nothing is held or queued for calls that have been answered, now or later; the client works, and so does the user's. */
async function expectNothingTaken({ client, redis }: Situation): Promise<void> {
  const probe = client.getLock('probe');
  await waitUntil(() => probe.tryLock(2_000).catch(() => false), { what: 'the client is back' });
  await probe.unlock();
  await waitUntil(async () => (await lockKeys()).length === 0, { what: 'nothing is held or queued', timeoutMs: 3_000 });
  await client.close();
  if (redis !== undefined) {
    expect(await redis.ping()).toBe('PONG');
    expect(redis.status).toBe('ready');
  }
  expect(await lockKeys()).toEqual([]);
}

describe.each(everyWay)('given by $title', (way) => {
  it.each([
    ['nothing listens', (proxy: FaultProxy) => proxy.refuse()],
    ['a connection is accepted and then nothing', (proxy: FaultProxy) => proxy.blackHole()],
  ])('every call keeps its deadline when %s, and takes nothing when Redis comes', async (_, fault) => {
    const situation = await setUp(way, fault);
    await expectDeadlines([
      ...everyAcquisition(situation),
      ...everyQuestion(situation, situation.client.getLock('held')).filter(([title]) => title !== 'getHoldCount'),
    ]);
    await situation.proxy.heal();
    await expectNothingTaken(situation);
  });

  it('every call keeps its deadline when Redis hangs, and takes nothing when it goes on', async () => {
    const situation = await setUp(way);
    const held = situation.client.getLock('held');
    const returned = situation.client.getLock('returned');
    await Promise.all([held.lock(), returned.lock()]);
    situation.proxy.blackHole();
    await expectDeadlines([
      ...everyAcquisition(situation),
      ...everyQuestion(situation, held),
      ['unlock', responseTimeoutMs, () => returned.unlock()],
    ]);
    await situation.proxy.heal();
    await waitUntil(() => held.isLocked().catch(() => false), { what: 'the lock that was held is still held' });
    await giveBack(held);
    await expectNothingTaken(situation);
  });

  it('every call keeps its deadline when Redis goes in mid-call, and takes nothing when it comes back', async () => {
    const situation = await setUp(way);
    const { proxy } = situation;
    const held = situation.client.getLock('held');
    const returned = situation.client.getLock('returned');
    await Promise.all([held.lock(), returned.lock()]);
    proxy.hold('down');
    const calls = expectDeadlines([
      ...everyAcquisition(situation),
      ...everyQuestion(situation, held),
      ['unlock', responseTimeoutMs, () => returned.unlock()],
    ]);
    await waitUntil(async () => (await kit.admin.exists('tryLock', 'acquire', 'lock')) === 3, { what: 'they ran' });
    proxy.refuse();
    proxy.reset();
    await calls;
    await proxy.heal();
    await waitUntil(() => held.isLocked().catch(() => false), { what: 'the lock that was held is still held' });
    await giveBack(held);
    await expectNothingTaken(situation);
  });

  it.each([
    ['is gone', (proxy: FaultProxy) => (proxy.refuse(), proxy.reset())],
    ['hangs', (proxy: FaultProxy) => proxy.blackHole()],
  ])('close() settles when Redis %s, with a lock held, one waited for and one asked for', async (_, fault) => {
    const situation = await setUp(way);
    const { client, proxy, redis } = situation;
    await openClient(kit).getLock('busy').lock();
    const hold = await client.getLock('held').acquire();
    const waiting = client.getLock('busy').lock();
    await waitUntil(async () => (await client.inspect('busy')).queue.length === 1, { what: 'it waits' });
    fault(proxy);
    const asking = client.getLock('asked').lock();
    const settled = Promise.allSettled([waiting, asking]);
    const startedAt = performance.now();
    await client.close();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(hold.state).toBe('lost');
    const codes = (await settled).map((result) => result.status === 'rejected' && result.reason.code);
    expect(codes).toEqual(['LOCK_CLIENT_CLOSED', 'LOCK_CLIENT_CLOSED']);
    await proxy.heal();
    if (redis !== undefined)
      await waitUntil(() => redis.ping().catch(() => false), { what: "the user's client is back" });
  });
});

describe.each(everyWay.filter(({ yours }) => yours))('given by $title', (way) => {
  it('no script is handed to ioredis while its connection is not ready', async () => {
    const situation = await setUp(way, (proxy) => proxy.refuse());
    const redis = situation.redis as Redis;
    const handedWhile: string[] = [];
    const sendCommand = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, ...rest) => {
      if (command.name.startsWith('eval')) handedWhile.push(redis.status);
      return sendCommand(command, ...rest);
    };
    await expectDeadlines(everyAcquisition(situation));
    expect(handedWhile).toEqual([]);
    await situation.proxy.heal();
    await expectNothingTaken(situation);
    expect(new Set(handedWhile)).toEqual(new Set(['ready']));
  });
});

describe('a server that is stopped', () => {
  it('costs a call its deadline and no more; what it is sent meanwhile takes no lock for calls that gave up', async () => {
    const client = openClient(kit, { attemptTimeoutMs, responseTimeoutMs });
    const situation: Situation = { client, redis: undefined, proxy: await openProxy(kit) };
    await client.getLock('warm').isLocked();
    await kit.server.stopProcess();
    try {
      await expectDeadlines(everyAcquisition(situation));
    } finally {
      await kit.server.continueProcess();
    }
    await expectNothingTaken(situation);
  });

  it.each(everyWay)('does not hold up close() of a client given by $title', async (way) => {
    const input = way.open(kit, kit.server);
    const client = createLockClient({ redis: input, attemptTimeoutMs, responseTimeoutMs });
    await client.getLock('held').lock();
    await kit.server.stopProcess();
    try {
      const startedAt = performance.now();
      await client.close();
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    } finally {
      await kit.server.continueProcess();
    }
    if (input instanceof Redis) await waitUntil(() => input.ping().catch(() => false), { what: 'the user goes on' });
  });
});

describe('a lock that is known to be busy', () => {
  it('is answered false or timed out at the deadline, also when Redis has just gone', async () => {
    const { client, proxy } = await setUp(byUrl);
    await openClient(kit).getLock('busy').lock();
    const lock = client.getLock('busy');
    const trying = lock.tryLock(400);
    const acquiring = lock.acquire({ waitMs: 400 }).catch((error: unknown) => error);
    await waitUntil(async () => (await client.inspect('busy')).queue.length === 1, { what: 'they wait' });
    proxy.refuse();
    proxy.reset();
    expect(await trying).toBe(false);
    expect(await acquiring).toMatchObject({ code: 'LOCK_TIMEOUT' });
    await proxy.heal();
  });

  it('is waited for no longer than responseTimeoutMs when Redis does not answer any more', async () => {
    const { client, proxy } = await setUp(byUrl);
    const holder = openClient(kit).getLock('busy');
    const stranger = openClient(kit);
    const lock = client.getLock('busy');
    await holder.lock();
    const patient = lock.lock().catch((error: unknown) => error);
    await waitUntil(async () => (await stranger.inspect('busy')).queue.length === 1, { what: 'it waits' });
    proxy.refuse();
    proxy.reset();
    expect(await patient).toBeInstanceOf(LockUnavailableError);
    await proxy.heal();
    await holder.unlock();
    await waitUntil(async () => (await lockKeys()).length === 0, { what: 'nobody holds or waits' });
  });
});

it('a server that takes connections and drops them at once is as good as none', async () => {
  const situation = await setUp(ownDefault, (proxy) => proxy.acceptThenClose());
  await expectDeadlines(everyAcquisition(situation));
  await situation.proxy.heal();
  await expectNothingTaken(situation);
});
