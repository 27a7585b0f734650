/**
 * What redlock's own tests show of a single server, under the titles that it has published them with, of the package and of `holdfast/redlock` alike;
 * and what the one of them does about the locks of the other.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import * as ours from 'holdfast/redlock';
import { Redis, type RedisOptions } from 'ioredis';
import { createClient } from 'redis';
import * as untyped from 'redlock5';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { noteSends } from '../support/sends.js';
import { stall } from '../support/stall.js';

type Api = typeof ours;
/** That it has the types of ours is a claim of ours; what it does is looked at below. */
const original = untyped as unknown as Api;

/** Long, so that nothing ends by itself. */
const DURATION_MS = 60_000;
/** A tenth of a second in all. */
const impatient = { retryCount: 2, retryDelay: 50, retryJitter: 0 };

const kit = useRedis();

function connect(options: RedisOptions = {}): Redis {
  const redis = new Redis(kit.server.url, { disconnectTimeout: 50, ...options });
  kit.cleanup(() => redis.disconnect());
  return redis;
}

function thrownBy(run: () => void): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const pttl = (name: string) => kit.admin.pttl(name);
const exists = async (name: string) => (await kit.admin.exists(name)) === 1;
async function votesAgainst(error: unknown): Promise<Error[]> {
  const { attempts } = error as InstanceType<Api['ExecutionError']>;
  const stats = await Promise.all(attempts);
  return stats.flatMap(({ votesAgainst: against }) => [...against.values()]);
}

describe.each<[string, Api, number]>([
  ['redlock 5.0.0-beta.2', original, 3],
  ['holdfast/redlock', ours, 1],
])('%s', (_, { default: Redlock, ExecutionError, ResourceLockedError, Lock }, attempts) => {
  const open = (settings = {}) => new Redlock([connect()], settings);

  it('refuses to do without a duration, as when a setting is not there', async () => {
    const error = await failureOf(open().acquire([freshName()], undefined as never));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ExecutionError);
  });

  it('refuses to use a non-integer duration', async () => {
    const error = await failureOf(open().acquire([freshName()], Number.MAX_SAFE_INTEGER / 10));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ExecutionError);
  });

  it.each([
    ['a single lock', 1],
    ['a multi-resource lock', 2],
  ])('acquires, extends, and releases %s', async (_title, resources) => {
    const names = Array.from({ length: resources }, freshName);
    const redlock = open();
    const lock = await redlock.acquire(names, DURATION_MS);
    expect(lock).toBeInstanceOf(Lock);
    const { redlock: keeper }: { redlock: InstanceType<Api['default']> } = lock;
    expect(keeper).toBe(redlock);
    expect(lock).toMatchObject({ resources: names, value: expect.any(String) as unknown });
    for (const name of names) expect(await pttl(name)).toBeGreaterThan(0);
    for (const name of names) expect(await pttl(name)).toBeLessThanOrEqual(DURATION_MS);
    expect(lock.expiration).toBeGreaterThan(Date.now());
    expect(lock.expiration).toBeLessThan(Date.now() + DURATION_MS);

    const extended = await lock.extend(3 * DURATION_MS);
    for (const name of names) expect(await pttl(name)).toBeGreaterThan(DURATION_MS);
    expect(lock.expiration).toBe(0);
    expect(extended.value).toBe(lock.value);
    expect(extended.expiration).toBeGreaterThan(Date.now() + DURATION_MS);

    const [attempt] = (await extended.release()).attempts;
    expect(await attempt).toEqual({
      membershipSize: 1,
      quorumSize: 1,
      votesFor: redlock.clients,
      votesAgainst: new Map(),
    });
    for (const name of names) expect(await exists(name)).toBe(false);
    expect(extended.expiration).toBe(0);
  });

  it('locks fail when redis is unreachable', async () => {
    const redis = new Redis({
      ...{ host: '127.0.0.1', port: 1, maxRetriesPerRequest: 0, retryStrategy: () => null },
      autoResendUnfulfilledCommands: false,
    });
    redis.on('error', () => undefined);
    const redlock = new Redlock([redis], impatient);
    const error = await failureOf(redlock.acquire([freshName()], DURATION_MS));
    expect(error).toBeInstanceOf(ExecutionError);
    for (const against of await votesAgainst(error)) expect(against).not.toBeInstanceOf(ResourceLockedError);
    expect(await votesAgainst(error)).toHaveLength(attempts);
  });

  it('locks automatically expire', async () => {
    const name = freshName();
    const redlock = open(impatient);
    const first = await redlock.acquire([name], 500);
    await waitUntil(async () => !(await exists(name)), { what: 'the lock has expired' });
    const second = await redlock.acquire([name], DURATION_MS);
    expect(await failureOf(first.release())).toBeInstanceOf(ExecutionError);
    expect(await failureOf(first.extend(DURATION_MS))).toBeInstanceOf(ExecutionError);
    expect(await exists(name)).toBe(true);
    await second.release();
    expect(await exists(name)).toBe(false);
  });

  it('individual locks are exclusive', async () => {
    const name = freshName();
    const redlock = open(impatient);
    const lock = await redlock.acquire([name], DURATION_MS);
    const error = await failureOf(redlock.acquire([name], DURATION_MS));
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toMatchObject({ name: 'ExecutionError' });
    const against = await votesAgainst(error);
    expect(against).toHaveLength(attempts);
    for (const vote of against) expect(vote).toBeInstanceOf(ResourceLockedError);
    await lock.release();
    expect(await exists(name)).toBe(false);
  });

  it('overlapping multi-locks are exclusive', async () => {
    const [one, two, three] = [freshName(), freshName(), freshName()];
    const redlock = open(impatient);
    const lock = await redlock.acquire([one, two], DURATION_MS);
    const error = await failureOf(redlock.acquire([two, three], DURATION_MS));
    expect(error).toBeInstanceOf(ExecutionError);
    expect(await exists(three)).toBe(false);
    for (const vote of await votesAgainst(error)) expect(vote).toBeInstanceOf(ResourceLockedError);
    await lock.release();
    expect([await exists(one), await exists(two), await exists(three)]).toEqual([false, false, false]);
  });

  it('the `using` helper acquires, extends, and releases locks', async () => {
    const name = freshName();
    const redlock = open();
    const value = await redlock.using(
      [name],
      DURATION_MS,
      { automaticExtensionThreshold: DURATION_MS - 200 },
      async (signal) => {
        let least = DURATION_MS;
        const isRaised = async () => {
          const now = await pttl(name);
          least = Math.min(least, now);
          return now > least;
        };
        await waitUntil(isRaised, { what: 'the lock is extended' });
        expect(signal.aborted).toBe(false);
        expect(signal.error).toBeUndefined();
        return 'done';
      },
    );
    expect(value).toBe('done');
    expect(await exists(name)).toBe(false);
  });

  it('the `using` helper is exclusive', async () => {
    const name = freshName();
    const redlock = open({ retryCount: -1, retryDelay: 10, retryJitter: 5 });
    let inside = 0;
    const work = () =>
      redlock.using([name], DURATION_MS, async (signal) => {
        expect(++inside).toBe(1);
        expect(await exists(name)).toBe(true);
        inside--;
        return signal.aborted;
      });
    expect(await Promise.all([work(), work(), work()])).toEqual([false, false, false]);
    expect(await exists(name)).toBe(false);
  });

  it('is not re-entered: who has a resource cannot have it a second time', async () => {
    const name = freshName();
    const redlock = open(impatient);
    const nested = await redlock.using([name], DURATION_MS, () => failureOf(redlock.acquire([name], DURATION_MS)));
    expect(nested).toBeInstanceOf(ExecutionError);
  });

  it('releases once: a second release fails, and one by the lock that an extension has replaced does not', async () => {
    const redlock = open(impatient);
    const lock = await redlock.acquire([freshName()], DURATION_MS);
    await lock.extend(DURATION_MS);
    await lock.release();
    expect(await failureOf(lock.release())).toBeInstanceOf(ExecutionError);
  });

  it('tells by its event `error` of a lock that was busy, and needs no listener for it', async () => {
    const name = freshName();
    const redlock = open({ retryCount: 0 });
    await redlock.acquire([name], DURATION_MS);
    const told: unknown[] = [];
    expect(await failureOf(redlock.acquire([name], DURATION_MS))).toBeInstanceOf(ExecutionError);
    redlock.on('error', (error) => told.push(error));
    expect(await failureOf(redlock.acquire([name], DURATION_MS))).toBeInstanceOf(ExecutionError);
    expect(told.length).toBeGreaterThan(0);
    for (const error of told) expect(error).toBeInstanceOf(ResourceLockedError);
  });

  it('asks again without a delay, as often as it was told to', async () => {
    const name = freshName();
    const redlock = open({ retryCount: 2_000, retryDelay: 0, retryJitter: 0 });
    const lock = await redlock.acquire([name], DURATION_MS);
    const busy = new Promise((resolve) => redlock.once('error', resolve));
    const asking = redlock.acquire([name], DURATION_MS);
    await busy;
    await lock.release();
    await (await asking).release();
  });

  it('`quit` ends the client that it was given', async () => {
    const redlock = open();
    await redlock.using([freshName()], DURATION_MS, () => Promise.resolve());
    const [client] = redlock.clients;
    await redlock.quit();
    await waitUntil(() => client?.status === 'end', { what: 'the connection has ended' });
  });
});

describe('redlock and holdfast/redlock on one server', () => {
  it('keep each other out, and the one goes on when the other has released', async () => {
    const name = freshName();
    const old = new original.default([connect()], impatient);
    const now = new ours.default([connect()], { retryCount: -1, retryDelay: 5, retryJitter: 0 });
    const held = await old.acquire([name], DURATION_MS);
    const busy: unknown[] = [];
    now.on('error', (error) => busy.push(error));
    const waiting = now.acquire([name], DURATION_MS);
    await waitUntil(() => busy.length > 2, { what: 'it has been asked for several times' });
    for (const error of busy) expect(error).toBeInstanceOf(ours.ResourceLockedError);
    await held.release();
    const lock = await waiting;
    expect(await failureOf(old.acquire([name], DURATION_MS))).toBeInstanceOf(original.ExecutionError);
    await lock.release();
    await (await old.acquire([name], DURATION_MS)).release();
  });
});

describe('holdfast/redlock', () => {
  it('waits by message: a lock that is released goes to who waits, with nothing asked in between', async () => {
    const name = freshName();
    const redlock = new ours.default([connect()], { retryCount: 1, retryDelay: DURATION_MS });
    const other = new ours.default([connect()]);
    const first = await other.acquire([name], DURATION_MS);
    const waiting = redlock.acquire([name], DURATION_MS);
    await waitUntil(async () => (await kit.admin.keys(`*${name}*`)).length > 1, { what: 'somebody stands in line' });
    await first.release();
    await (await waiting).release();
  });

  it('tells of a busy lock when that is found, and once more when the wait was in vain', async () => {
    const name = freshName();
    const redlock = new ours.default([connect()], { retryCount: 10, retryDelay: 100 });
    const lock = await new ours.default([connect()]).acquire([name], DURATION_MS);
    const told: unknown[] = [];
    redlock.on('error', (error) => told.push(error));
    const waiting = failureOf(redlock.acquire([name], DURATION_MS));
    await waitUntil(() => told.length > 0, { what: 'it was found busy' });
    await waiting;
    expect(told).toEqual([expect.any(ours.ResourceLockedError), expect.any(ours.ResourceLockedError)]);
    await lock.release();
  });

  it('tells the routine of a loss, with the reason, and the caller by ExecutionError', async () => {
    const name = freshName();
    const redlock = new ours.default([connect()]);
    let seen: unknown;
    const error = await failureOf(
      redlock.using([name], 1_000, { automaticExtensionThreshold: 800 }, async (signal) => {
        await kit.admin.del(name);
        await waitUntil(() => signal.aborted, { what: 'the signal aborts' });
        seen = signal.error;
      }),
    );
    expect(seen).toBeInstanceOf(ours.ExecutionError);
    expect(seen).toMatchObject({ cause: { code: 'LOCK_LOST' } });
    expect(error).toBeInstanceOf(ours.ExecutionError);
  });

  it.each<[string, (signal: ours.RedlockAbortSignal) => unknown]>([
    ['aborted', (signal) => signal.aborted],
    ['error', (signal) => signal.error instanceof ours.ExecutionError],
    ['reason', (signal) => signal.reason instanceof ours.ExecutionError],
    ['throwIfAborted', (signal) => thrownBy(() => signal.throwIfAborted()) instanceof ours.ExecutionError],
  ])('tells the routine the truth on its first line after a stalled event loop: signal.%s', async (_, read) => {
    const redlock = new ours.default([connect()], impatient);
    let truth: unknown;
    await failureOf(
      redlock.using([freshName()], 800, { automaticExtensionThreshold: 100 }, async (signal) => {
        expect(read(signal)).toBeFalsy();
        stall(850);
        truth = read(signal);
      }),
    );
    expect(truth).toBe(true);
  });

  it('tells of a loss once by its event `error`, and in full when a listener throws', async () => {
    const name = freshName();
    const redlock = new ours.default([connect()]);
    const told: unknown[] = [];
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    kit.cleanup(() => warn.mockRestore());
    redlock.on('error', (error) => {
      told.push(error);
      throw new Error('by the listener');
    });
    const error = await failureOf(
      redlock.using([name], 1_000, { automaticExtensionThreshold: 800 }, async (signal) => {
        await kit.admin.del(name);
        await waitUntil(() => signal.aborted, { what: 'the signal aborts' });
        expect(signal.error).toBeInstanceOf(ours.ExecutionError);
      }),
    );
    expect(error).toBeInstanceOf(ours.ExecutionError);
    expect(told).toHaveLength(1);
    expect(warn.mock.calls.map(([warning]) => warning)).toEqual([
      'A listener of the "error" event of Redlock threw: by the listener',
    ]);
  });

  it('extends no more often than every 50 ms, however near the threshold is to the duration', async () => {
    const name = freshName();
    const redlock = new ours.default([connect()]);
    let extensions = 0;
    let lasted = 0;
    await redlock.using([name], DURATION_MS, { automaticExtensionThreshold: DURATION_MS - 100 }, async () => {
      const startedAt = performance.now();
      let before = await pttl(name);
      await waitUntil(
        async () => {
          const now = await pttl(name);
          if (now > before) extensions++;
          before = now;
          return extensions === 3;
        },
        { what: 'three extensions', everyMs: 1 },
      );
      lasted = performance.now() - startedAt;
    });
    // A timer never comes too early.
    expect(lasted).toBeGreaterThanOrEqual(2 * 49);
  });

  it('goes on extending when an extension was refused', async () => {
    const name = freshName();
    const redis = connect();
    const redlock = new ours.default([redis]);
    await redlock.using([name], 10_000, { automaticExtensionThreshold: 9_900 }, async (signal) => {
      await kit.admin.acl('SETUSER', 'default', '-pexpire');
      kit.cleanup(() => kit.admin.acl('SETUSER', 'default', '+@all'));
      await waitUntil(async () => (await pttl(name)) < 9_700, { what: 'nothing is extended' });
      await kit.admin.acl('SETUSER', 'default', '+@all');
      await waitUntil(async () => (await pttl(name)) > 9_850, { what: 'the lock is extended' });
      expect(signal.aborted).toBe(false);
    });
  });

  it('ends at once when the lock is lost, though an extension has no answer', async () => {
    const name = freshName();
    const proxy = await openProxy(kit);
    const redis = new Redis(proxy.url, { disconnectTimeout: 50 });
    kit.cleanup(() => redis.disconnect());
    const redlock = new ours.default([redis], { retryCount: 0 });
    const boom = new Error('boom');
    let lostAt = Number.POSITIVE_INFINITY;
    const error = await failureOf(
      redlock.using([name], 1_000, { automaticExtensionThreshold: 800 }, async (signal) => {
        proxy.blackHole();
        await waitUntil(() => signal.aborted, { what: 'the signal aborts' });
        lostAt = performance.now();
        expect(signal.error?.message).toContain('expired');
        expect(signal.error?.message).toMatch('; Redis has not answered the last extension');
        throw boom;
      }),
    );
    expect(error).toBe(boom);
    // The extension has responseTimeoutMs, 10 s, for its answer.
    expect(performance.now() - lostAt).toBeLessThan(9_000);
    await proxy.heal();
  });

  it.each<[string, string, (name: string) => unknown]>([
    ['was deleted, which Redis has answered', 'deleted', (name) => kit.admin.del(name)],
    ['has expired while the event loop stood still, so that nothing was asked', 'expired', () => stall(2_500)],
  ])('blames no extension for a lock that %s', async (_, reason, lose) => {
    const name = freshName();
    const redlock = new ours.default([connect()]);
    const error = await failureOf(
      redlock.using([name], 2_000, { automaticExtensionThreshold: 1_900 }, async (signal) => {
        // Not looked at, which would find it to be lost before any timer.
        const lost = once(signal, 'abort');
        await lose(name);
        await lost;
      }),
    );
    expect((error as Error).message).toContain(`was lost: ${reason}`);
    expect((error as Error).message).not.toContain('extension');
  });

  it('`quit` ends a call that pauses between two questions', async () => {
    const name = freshName();
    const theirs = await new original.default([connect()]).acquire([name], DURATION_MS);
    const redlock = new ours.default([connect()], { retryCount: 10, retryDelay: 60_000, retryJitter: 0 });
    const busy = new Promise((resolve) => redlock.once('error', resolve));
    const call = failureOf(redlock.acquire([name], DURATION_MS));
    await busy;
    await redlock.quit();
    expect(await call).toMatchObject({ cause: { code: 'LOCK_CLIENT_CLOSED' } });
    await theirs.release();
  });

  it('sends nothing after `quit`, until its client is connected anew', async () => {
    const name = freshName();
    const redis = connect();
    const redlock = new ours.default([redis]);
    await (await redlock.acquire([name], DURATION_MS)).release();
    const quitting = redlock.quit();
    const refused = { name: 'ExecutionError', cause: { code: 'LOCK_CLIENT_CLOSED' } };
    expect(await failureOf(redlock.acquire([name], DURATION_MS))).toMatchObject(refused);
    await quitting;
    expect(await failureOf(redlock.using([name], DURATION_MS, () => Promise.resolve()))).toMatchObject(refused);
    await waitUntil(() => redis.status === 'end', { what: 'the connection has ended' });
    expect(await failureOf(redlock.acquire([name], DURATION_MS))).toMatchObject(refused);
    const connected = redis.connect();
    // Not `ready`: the promise of a Cluster is resolved before that event.
    await once(redis, 'connecting');
    await (await redlock.acquire([name], DURATION_MS)).release();
    await connected;
    await redlock.quit();
  });

  it('leaves no listener at a client that has quit, however often that is connected anew', async () => {
    const redis = connect();
    const redlock = new ours.default([redis]);
    const listeners = () => ['end', 'reconnecting'].map((event) => redis.listenerCount(event));
    await once(redis, 'ready');
    const before = listeners();
    await (await redlock.acquire([freshName()], DURATION_MS)).release();
    expect(listeners()).not.toEqual(before);
    const ended = once(redis, 'end');
    await redlock.quit();
    await ended;
    expect(listeners()).toEqual(before);
  });

  it('what the routine throws comes first, also when the lock was lost', async () => {
    const name = freshName();
    const redlock = new ours.default([connect()]);
    const boom = new Error('boom');
    const error = await failureOf(
      redlock.using([name], DURATION_MS, async () => {
        await kit.admin.del(name);
        throw boom;
      }),
    );
    expect(error).toBe(boom);
  });

  it('leaves no connection behind when its client is closed by whoever made it', async () => {
    const connectionName = freshName();
    const connections = async () => String(await kit.admin.client('LIST')).split(connectionName).length - 1;
    const redis = new Redis(kit.server.url, { connectionName, disconnectTimeout: 50 });
    const redlock = new ours.default([redis]);
    await redlock.using([freshName()], DURATION_MS, () => Promise.resolve());
    await waitUntil(async () => (await connections()) === 2, { what: 'there is one more, for messages' });
    await redis.quit();
    await waitUntil(async () => (await connections()) === 0, { what: 'all its connections are closed' });
    expect(await failureOf(redlock.acquire([freshName()], DURATION_MS))).toBeInstanceOf(ours.ExecutionError);
    expect(await connections()).toBe(0);
  });

  it('those on one client share one connection for messages, which the first `quit` ends, and what each of them holds is given back', async () => {
    const connectionName = freshName();
    const connections = async () => String(await kit.admin.client('LIST')).split(connectionName).length - 1;
    const redis = new Redis(kit.server.url, { connectionName, disconnectTimeout: 50 });
    const names = Array.from({ length: 12 }, freshName);
    const all = names.map(() => new ours.default([redis]));
    await Promise.all(all.map((redlock, i) => redlock.acquire([names[i] as string], DURATION_MS)));
    await waitUntil(async () => (await connections()) >= 2, { what: 'there is one more, for messages' });
    expect(await connections()).toBe(2);
    expect(await kit.admin.exists(...names)).toBe(names.length);
    await all[0]?.quit();
    expect(await kit.admin.exists(...names)).toBe(0);
    for (const redlock of all)
      expect(await failureOf(redlock.acquire([freshName()], DURATION_MS))).toMatchObject({
        cause: { code: 'LOCK_CLIENT_CLOSED' },
      });
    await waitUntil(async () => (await connections()) === 0, { what: 'all its connections are closed' });
  });

  it('those on one client keep each other out, and each hears of trouble with the connection', async () => {
    const name = freshName();
    const redis = new Redis({ host: '127.0.0.1', port: 1, maxRetriesPerRequest: 0, retryStrategy: () => 10 });
    redis.on('error', () => undefined);
    kit.cleanup(() => redis.disconnect());
    const told = [new Set<string>(), new Set<string>()];
    const [one, other] = told.map((heard) => {
      const redlock = new ours.default([redis], { retryCount: 0 });
      redlock.on('error', (error: Error) => void heard.add(error.message));
      return redlock;
    });
    const hears = (heard?: Set<string>) => [...(heard ?? [])].some((text) => text.startsWith('The connection for'));
    const failing = failureOf(one?.acquire([name], DURATION_MS) as Promise<unknown>);
    await waitUntil(() => told.every(hears), { what: 'both have heard' });
    redis.disconnect();
    await failing;

    const shared = connect();
    const lock = await new ours.default([shared]).acquire([name], DURATION_MS);
    expect(other).toBeDefined();
    expect(await failureOf(new ours.default([shared], impatient).acquire([name], DURATION_MS))).toBeInstanceOf(
      ours.ExecutionError,
    );
    await lock.release();
  });

  it('one that a listener makes in place of another does not hear of the same trouble', async () => {
    const redis = new Redis({ host: '127.0.0.1', port: 1, maxRetriesPerRequest: 0, retryStrategy: () => 10 });
    redis.on('error', () => undefined);
    kit.cleanup(() => redis.disconnect());
    const all: ours.default[] = [];
    const makeAnother = () => {
      if (all.length === 10) return;
      const redlock = new ours.default([redis], { retryCount: 0 });
      redlock.once('error', makeAnother);
      all.push(redlock);
    };
    makeAnother();
    await failureOf(all[0]?.acquire([freshName()], DURATION_MS) as Promise<unknown>);
    expect(all.length).toBeGreaterThan(1);
    expect(all.length).toBeLessThan(10);
  });

  it('one that nobody keeps is freed, though its client lives on', async () => {
    const redis = connect();
    const kept = new ours.default([redis]);
    await kept.using([freshName()], DURATION_MS, () => Promise.resolve());
    const forgotten = await (async () => {
      const redlock = new ours.default([redis]);
      await redlock.using([freshName()], DURATION_MS, () => Promise.resolve());
      return new WeakRef(redlock);
    })();
    const isFreed = () => {
      gc?.();
      return forgotten.deref() === undefined;
    };
    await waitUntil(isFreed, { what: 'it is collected' });
    await kept.using([freshName()], DURATION_MS, () => Promise.resolve());
  });

  /** A lock that another process has handed over; `before` is done when the call stands in line. */
  const handedOver = async (name: string, redis: Redis, before: () => Promise<unknown> = () => Promise.resolve()) => {
    const redlock = new ours.default([redis], { retryCount: 600, retryDelay: 100 });
    const first = await new ours.default([connect()]).acquire([name], DURATION_MS);
    await redlock.using([freshName()], DURATION_MS, () => Promise.resolve());
    const inboxes = async () => ((await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')) as unknown[]).length;
    await waitUntil(async () => (await inboxes()) >= 2, { what: 'both hear messages' });
    const waiting = redlock.acquire([name], DURATION_MS);
    await waitUntil(async () => (await kit.admin.keys(`*${name}*`)).length > 1, { what: 'somebody stands in line' });
    await before();
    await first.release();
    return waiting;
  };

  it('answers with the whole duration in Redis, also where the lock was handed over', async () => {
    const name = freshName();
    const lock = await handedOver(name, connect());
    expect(await pttl(name)).toBeGreaterThan(DURATION_MS / 2);
    expect(lock.expiration).toBeGreaterThan(Date.now() + DURATION_MS / 2);
    await lock.release();
  });

  it.each([10_000, DURATION_MS, 2 ** 31])(
    'takes a free lock by one command, however long it is wanted for: %s ms',
    async (duration) => {
      const redis = connect();
      const redlock = new ours.default([redis]);
      await redlock.using([freshName()], DURATION_MS, () => Promise.resolve());
      const [name, sent] = [freshName(), [] as string[]];
      // What it asks about the server comes when it comes.
      noteSends(redis, sent, ({ args }) => args.includes(name));
      const lock = await redlock.acquire([name], duration);
      expect(sent).toHaveLength(1);
      await lock.release();
    },
  );

  it('keeps no lock that it could not raise to the whole duration', async () => {
    const name = freshName();
    await kit.admin.acl('SETUSER', 'weak', 'on', 'nopass', '~*', '&*', '+@all');
    kit.cleanup(() => kit.admin.acl('DELUSER', 'weak'));
    const redis = new Redis(kit.server.url, { username: 'weak', password: 'any', disconnectTimeout: 50 });
    kit.cleanup(() => redis.disconnect());
    const lost: unknown[] = [];
    const note = (message: unknown) => void lost.push((message as { name: string }).name);
    subscribe('holdfast:lost', note);
    kit.cleanup(() => void unsubscribe('holdfast:lost', note));
    let isWeak = false;
    const weaken = async () => {
      await kit.admin.acl('SETUSER', 'weak', '-pexpire');
      isWeak = true;
    };
    const outcome = failureOf(handedOver(name, redis, weaken));
    await waitUntil(async () => isWeak && !(await exists(name)), { what: 'it is given back' });
    await kit.admin.acl('SETUSER', 'weak', '+@all');
    // It goes on asking, and gets it when it may.
    expect(await outcome).toBeUndefined();
    expect(lost).not.toContain(name);
  });

  it('tells until when a lock is held whenever that is read', async () => {
    const redlock = new ours.default([connect()]);
    const lock = await redlock.acquire([freshName()], DURATION_MS);
    await lock.release();
    expect(lock.expiration).toBe(0);
    const lost = await redlock.acquire([freshName()], 100);
    await waitUntil(() => lost.expiration === 0, { what: 'its time is over' });
    lost.expiration = 7;
    expect(lost.expiration).toBe(7);
  });

  it('does not warn of calls that wait for each other without limit', async () => {
    const [name, control] = [freshName(), freshName()];
    const noticed: string[] = [];
    const note = (message: unknown) => void noticed.push((message as { name: string }).name);
    subscribe('holdfast:self-wait', note);
    kit.cleanup(() => void unsubscribe('holdfast:self-wait', note));
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    kit.cleanup(() => warn.mockRestore());
    const redlock = new ours.default([connect()], { retryCount: -1 });
    const lock = await redlock.acquire([name], DURATION_MS);
    const waiting = redlock.acquire([name], DURATION_MS);
    const client = openClient(kit);
    const hold = await client.getLock(control).acquire();
    const controlled = client.getLock(control).acquire();
    await waitUntil(() => noticed.includes(control), { what: 'one that began later is noticed' });
    expect(noticed).toEqual([control]);
    await hold.release();
    await (await controlled).release();
    await lock.release();
    await (await waiting).release();
  });

  it('says what stands in the way: who has one name or several, and where the words of Redis are', async () => {
    const [name, other] = [freshName(), freshName()];
    const messageOf = async (redlock: ours.default, names: string[]) =>
      String(await failureOf(redlock.acquire(names, DURATION_MS, { retryCount: 0 })));
    const redlock = new ours.default([connect()]);
    const lock = await redlock.acquire([name], DURATION_MS);
    expect(await messageOf(redlock, [name])).toMatch(/somebody else has "[^"]+"$/);
    expect(await messageOf(redlock, [name, other])).toMatch(/somebody else has "[^"]+", "[^"]+", or a part of that$/);
    await lock.release();

    await kit.admin.acl('SETUSER', 'without-keys', 'on', '>secret', 'allchannels', '+@all');
    const redis = connect({ username: 'without-keys', password: 'secret' });
    const error = await failureOf(new ours.default([redis]).acquire([name], DURATION_MS, { retryCount: 0 }));
    expect(String(error)).toContain('NOPERM (error.cause.cause has the whole of it)');
    expect(error).toMatchObject({ cause: { cause: { message: expect.stringContaining('NOPERM ') as unknown } } });
  });

  it('leaves a client as it was that it was made with and has taken no lock on', async () => {
    const redis = new Redis(kit.server.url, { lazyConnect: true });
    const listeners = () => redis.eventNames().map((event) => redis.listenerCount(event));
    const before = listeners();
    expect(new ours.default([redis]).settings.retryCount).toBe(10);
    await waitUntil(() => listeners().join() === before.join(), { what: 'nothing listens to it any more' });
    expect(redis.status).toBe('wait');
  });

  it('refuses what it cannot do, before any I/O', async () => {
    const redis = connect();
    expect(() => new ours.default([])).toThrow('at least one client');
    expect(() => new ours.default(redis as never)).toThrow('new Redlock([redis])');
    expect(() => new ours.default(undefined as never)).toThrow('new Redlock([redis])');
    expect(() => new ours.default([redis, connect()])).toThrow('createRedLockClient');
    for (const clients of [[kit.server.url], [redis.options], [undefined], kit.server.url])
      expect(() => new ours.default(clients as never)).toThrow('must be a Redis or a Cluster of ioredis');
    const mock = Object.assign(new Redis({ lazyConnect: true }), { shaScripts: {} });
    for (const [client, library] of [
      [createClient(), 'node-redis'],
      [mock, 'ioredis-mock'],
    ] as const)
      expect(() => new ours.default([client as never])).toThrow(
        new RegExp(`this client cannot be used: .* not one of ${library}`),
      );
    expect(() => new ours.default([redis], { retries: 1 } as object)).toThrow('unknown setting "retries"');
    expect(() => new ours.default([redis], { retryDelay: -1 })).toThrow('between 0 and');
    expect(() => new ours.default([redis], { retryDelay: Number.POSITIVE_INFINITY })).toThrow('between 0 and');
    expect(() => new ours.default([redis], { retryCount: -2 })).toThrow('-1 or Infinity for no limit, got -2');
    expect(() => new ours.default([redis], { retryDelay: Number.NaN })).toThrow('must be a number');
    expect(() => new ours.default([redis], {}, { acquireScript: '' } as never)).toThrow('cannot be exchanged');
    const redlock = new ours.default([redis], { retryCount: undefined } as object);
    expect(redlock.settings.retryCount).toBe(10);
    expect(await failureOf(redlock.acquire([], DURATION_MS))).toBeInstanceOf(RangeError);
    expect(String(await failureOf(redlock.acquire('x' as never, DURATION_MS)))).toContain('must be a list of names');
    for (const resources of [[], [7], ['a', null]])
      expect(String(await failureOf(redlock.acquire(resources as never, DURATION_MS)))).toMatch(
        /Redlock: resources must/,
      );
    const lock = await redlock.acquire([freshName()], DURATION_MS);
    for (const duration of [null, '1000', Number.NaN, 50, 1_000.5, 2 ** 40])
      for (const call of [redlock.acquire([freshName()], duration as never), redlock.extend(lock, duration as never)])
        expect(String(await failureOf(call))).toMatch(/Redlock: duration must be whole milliseconds/);
    await lock.release();
    for (const settings of [null, 'x']) {
      expect(() => new ours.default([redis], settings as never)).toThrow('settings must be an object');
      expect(await failureOf(redlock.acquire([freshName()], DURATION_MS, settings as never))).toBeInstanceOf(TypeError);
    }
    expect(await failureOf(redlock.using([freshName()], 500, () => Promise.resolve()))).toBeInstanceOf(RangeError);
    expect(await failureOf(redlock.using([freshName()], DURATION_MS, {}))).toBeInstanceOf(TypeError);
    const foreign = new ours.Lock(redlock, ['x'], 'x', [], Date.now() + DURATION_MS);
    expect(await failureOf(foreign.release())).toBeInstanceOf(ours.ExecutionError);
  });
});
