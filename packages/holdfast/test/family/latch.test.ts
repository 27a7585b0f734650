/** The countdown latch: on a memory server whose time the test moves, and on a real one. */
import { getEventListeners } from 'node:events';
import { latch as core, latchScripts, run, type Command } from '@holdfast/core';
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { faultProxy, ManualClock, proofRuns, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  type LockClient,
  type LockClientOptions,
  LockClientClosedError,
  LockLimitError,
  LockRefusedError,
  LockScopeError,
  LockUnavailableError,
} from 'holdfast';
import { createTestClient, createTestServer, type TestServer } from 'holdfast/testing';
import type { TestSite } from '../../src/testing/test-server.js';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

function processes(options: Partial<LockClientOptions> = {}) {
  const server = createTestServer();
  const clients = [createTestClient({ server, ...options }), createTestClient({ server, ...options })] as const;
  open.push(...clients);
  const [first, second] = clients;
  return { server, first, second, memory: (server as TestSite).memory };
}

/** What a call has come to so far, as time goes on by `ms`. */
async function after<T>(server: TestServer, ms: number, call: Promise<T>): Promise<unknown> {
  let outcome: unknown = 'waiting';
  call.then(
    (value) => {
      outcome = value;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  await server.advance(ms);
  return outcome;
}

describe('a countdown latch', () => {
  it('lets all go on who wait, of all processes and tasks, as soon as the last has counted', async () => {
    const { server, first, second } = processes({ reaskMs: 30_000, claimLeaseMs: 60_000 });
    const [ours, theirs] = [first.getCountDownLatch('start'), second.getCountDownLatch('start')];
    expect(await ours.trySetCount(3)).toBe(true);
    const waiting = Promise.all([ours.await(), ours.await(), theirs.await(20_000), theirs.await(), theirs.await()]);
    expect(await after(server, 100, waiting)).toBe('waiting');
    expect([await ours.countDown(), await theirs.countDown()]).toEqual([2, 1]);
    expect(await after(server, 100, waiting)).toBe('waiting');
    expect(await theirs.getCount()).toBe(1);
    expect(await ours.countDown()).toBe(0);
    expect(await after(server, 0, waiting)).toEqual([true, true, true, true, true]);
    expect(await after(server, 0, Promise.all([ours.await(), theirs.await(0)]))).toEqual([true, true]);
  });

  it('has one round at a time, and begins another when that is over', async () => {
    const { first, second } = processes();
    const [ours, theirs] = [first.getCountDownLatch('start'), second.getCountDownLatch('start')];
    expect([await ours.getCount(), await ours.countDown()]).toEqual([0, 0]);
    expect([await ours.trySetCount(1), await theirs.trySetCount(5), await theirs.getCount()]).toEqual([true, false, 1]);
    expect([await theirs.countDown(), await theirs.countDown()]).toEqual([0, 0]);
    expect([await theirs.trySetCount(5), await ours.getCount()]).toEqual([true, 5]);
  });

  it('is not missed where the next round begins at once', async () => {
    const { server, first, second } = processes({ reaskMs: 30_000, claimLeaseMs: 60_000 });
    const [ours, theirs] = [first.getCountDownLatch('lap'), second.getCountDownLatch('lap')];
    // The server knows both scripts from now on.
    await theirs.countDown();
    await ours.trySetCount(1);
    const waiting = ours.await();
    expect(await after(server, 100, waiting)).toBe('waiting');
    // They reach the server one behind the other, before anybody has heard of the first.
    expect(await Promise.all([theirs.countDown(), theirs.trySetCount(2)])).toEqual([0, true]);
    expect(await after(server, 0, waiting)).toBe(true);
    const next = ours.await();
    expect(await after(server, 60_000, next)).toBe('waiting');
    await Promise.all([theirs.countDown(), theirs.countDown()]);
    expect(await after(server, 0, next)).toBe(true);
  });

  it.each(['before any round of ours', 'after one of ours'])(
    'that Redisson has begun, %s, is not missed where the next round of ours begins at once',
    async (when) => {
      const { server, first, second, memory } = processes({ reaskMs: 30_000, claimLeaseMs: 60_000 });
      const [ours, theirs] = [first.getCountDownLatch('lap'), second.getCountDownLatch('lap')];
      // The server knows both scripts from now on.
      await theirs.countDown();
      await second.getCountDownLatch('another').trySetCount(1);
      if (when === 'after one of ours') {
        await theirs.trySetCount(1);
        await theirs.countDown();
      }
      memory.commands.set('lap', '1');
      const waiting = ours.await();
      expect(await after(server, 100, waiting)).toBe('waiting');
      // They reach the server one behind the other, before anybody has heard of the first.
      expect(await Promise.all([theirs.countDown(), theirs.trySetCount(2)])).toEqual([0, true]);
      expect(await after(server, 0, waiting)).toBe(true);
    },
  );

  it('that Redisson has begun is not taken for finished where a failover brings back the round before', async () => {
    const { server, first, second, memory } = processes({ reaskMs: 1_000 });
    const latch = first.getCountDownLatch('lap');
    const keys = core.latchKeys('lap');
    await latch.trySetCount(1);
    const named = memory.commands.hget(keys.round, 'round') ?? '';
    await latch.countDown();
    memory.commands.set('lap', '2');
    const waiting = second.getCountDownLatch('lap').await();
    expect(await after(server, 100, waiting)).toBe('waiting');
    memory.commands.hset(keys.round, 'round', named);
    memory.commands.set('lap', '1');
    expect(await after(server, 5_000, waiting)).toBe('waiting');
    await latch.countDown();
    expect(await after(server, 1_100, waiting)).toBe(true);
  });

  it('that Redisson has begun is not taken for finished where a failover brings back a round before the last, with its mark', async () => {
    const { server, first, second, memory } = processes({ reaskMs: 1_000 });
    const latch = first.getCountDownLatch('lap');
    const keys = core.latchKeys('lap');
    await latch.trySetCount(1);
    const named = memory.commands.hget(keys.round, 'round') ?? '';
    const mark = memory.commands.get(keys.mark) ?? '';
    await latch.countDown();
    await latch.trySetCount(1);
    await latch.countDown();
    memory.commands.set('lap', '2');
    const waiting = second.getCountDownLatch('lap').await();
    expect(await after(server, 100, waiting)).toBe('waiting');
    memory.commands.hset(keys.round, 'round', named);
    memory.commands.set(keys.mark, mark);
    memory.commands.set('lap', '1');
    expect(await after(server, 5_000, waiting)).toBe('waiting');
    await latch.countDown();
    expect(await after(server, 1_100, waiting)).toBe(true);
  });

  it('counts who says so once in a round, whichever process it comes from', async () => {
    const { first, second } = processes();
    const [ours, theirs] = [first.getCountDownLatch('parts'), second.getCountDownLatch('parts')];
    await ours.trySetCount(3);
    expect(await ours.countDown({ by: 'part-1' })).toBe(2);
    expect(await theirs.countDown({ by: 'part-1' })).toBe(2);
    expect(await theirs.countDown({ by: 'part-2' })).toBe(1);
    expect(await theirs.countDown()).toBe(0);
    await ours.trySetCount(2);
    expect(await theirs.countDown({ by: 'part-1' })).toBe(1);
  });

  it('says nothing of a round that Redisson has ended, though something of it is left', async () => {
    const { first, memory } = processes();
    const latch = first.getCountDownLatch('parts');
    await latch.trySetCount(3);
    await latch.countDown({ by: 'part-1' });
    memory.commands.del('parts');
    expect(memory.commands.hget(core.latchKeys('parts').round, 'round')).toBeDefined();
    expect(await latch.inspect()).toEqual({ name: 'parts', count: 0, round: undefined, counted: 0 });
  });

  it('that is deleted lets all go on, and leaves nothing', async () => {
    const { server, first, second, memory } = processes();
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(3);
    await latch.countDown({ by: 'part-1' });
    const waiting = second.getCountDownLatch('start').await();
    expect(await after(server, 100, waiting)).toBe('waiting');
    expect([await latch.delete(), await latch.delete(), await latch.getCount()]).toEqual([true, false, 0]);
    expect(await after(server, 0, waiting)).toBe(true);
    await server.advance(71_000);
    expect(memory.keysOf().keys()).toEqual(['holdfast_dead:{start}:round']);
    await server.advance(3_600_000);
    expect(memory.keysOf().keys()).toEqual([]);
  });
});

describe('a round that Redis loses', () => {
  /** Two processes, one of which waits for a round in which it has seen something left. */
  async function waiting() {
    const site = processes({ reaskMs: 1_000 });
    const latch = site.first.getCountDownLatch('start');
    await latch.trySetCount(3);
    const call = site.second.getCountDownLatch('start').await();
    const outcome = call.catch((error: unknown) => error);
    expect(await after(site.server, 100, outcome)).toBe('waiting');
    const keys = site.memory.keysOf();
    const remove = (...names: readonly string[]) => names.forEach((name) => keys.remove(name));
    return { ...site, latch, outcome, remove, loseAll: () => remove(...keys.keys()) };
  }
  const lost = { code: 'LOCK_LOST', reason: 'deleted', message: expect.stringMatching(/^Latch "start" was lost/) };
  const own = core.latchKeys('start');

  it('is told to who waits for it, and is not taken for finished', async () => {
    const { server, outcome, loseAll } = await waiting();
    loseAll();
    expect(await after(server, 1_100, outcome)).toMatchObject(lost);
  });

  it('is told also where other rounds have begun, and ended, in its place', async () => {
    const { server, latch, outcome, loseAll } = await waiting();
    loseAll();
    // One behind the other, before anybody has heard of the first.
    await Promise.all([latch.trySetCount(1), latch.countDown(), latch.trySetCount(1)]);
    expect(await after(server, 1_100, outcome)).toMatchObject(lost);
  });

  it('is told where a server takes over that has never heard of it, but of the round before', async () => {
    const { server, first, second, memory } = processes({ reaskMs: 1_000 });
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    await latch.countDown();
    const before = memory.commands.get(own.mark) ?? '';
    await latch.trySetCount(2);
    const outcome = second
      .getCountDownLatch('start')
      .await()
      .catch((error: unknown) => error);
    expect(await after(server, 100, outcome)).toBe('waiting');
    memory.keysOf().remove(own.latch);
    memory.keysOf().remove(own.round);
    memory.commands.set(own.mark, before);
    expect(await after(server, 1_100, outcome)).toMatchObject(lost);
  });

  it.each([
    ['Redisson ends, which takes only the count away,', [own.latch]],
    ['an older version ends, which knows of no mark,', [own.latch, own.round]],
  ])('is not what %s: who waits goes on', async (_, gone) => {
    const { server, outcome, remove } = await waiting();
    remove(...gone);
    expect(await after(server, 1_100, outcome)).toBe(true);
  });

  it('is not told of one that an older version or Redisson has begun: nothing is known of it', async () => {
    const { server, first, memory, second } = processes({ reaskMs: 1_000 });
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    await latch.countDown();
    memory.commands.set('start', '2');
    const outcome = second
      .getCountDownLatch('start')
      .await()
      .catch((error: unknown) => error);
    expect(await after(server, 100, outcome)).toBe('waiting');
    for (const key of memory.keysOf().keys()) memory.keysOf().remove(key);
    expect(await after(server, 1_100, outcome)).toBe(true);
  });

  it('is not what has ended where the next rounds began at once, however many', async () => {
    const { server, latch, outcome } = await waiting();
    await latch.countDown();
    const rounds = [
      latch.countDown(),
      latch.countDown(),
      latch.trySetCount(1),
      latch.countDown(),
      latch.trySetCount(1),
    ];
    await Promise.all([...rounds, latch.countDown(), latch.trySetCount(1)]);
    expect(await after(server, 1_100, outcome)).toBe(true);
  });
});

describe('waiting for a latch', () => {
  it('ends at its deadline and not before, and with waitMs 0 after one look', async () => {
    const { server, first } = processes();
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const call = latch.await(700);
    expect(await after(server, 699, call)).toBe('waiting');
    expect(await after(server, 1, call)).toBe(false);
    expect(await latch.await(0)).toBe(false);
  });

  it('costs a look in each re-ask period, however many wait, and a lost message no more than one period', async () => {
    const { server, first, memory } = processes({ reaskMs: 1_000 });
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    let looks = 0;
    memory.commands.hindrance = (command) => {
      if (command === 'hget') looks++;
    };
    const waiting = Promise.all(Array.from({ length: 50 }, () => latch.await()));
    await server.advance(500);
    // For the first call, for those behind it, when the connection is there, and when the channel is heard.
    expect(looks).toBeLessThanOrEqual(5);
    looks = 0;
    expect(await after(server, 20_000, waiting)).toBe('waiting');
    expect(looks).toBeLessThanOrEqual(21);
    // As something that publishes nothing would.
    memory.keysOf().remove('start');
    expect(await after(server, 1_000, waiting)).not.toBe('waiting');
  });

  it('misses nothing that happens before the channel is heard', async () => {
    const { server, first, memory } = processes({ reaskMs: 30_000, claimLeaseMs: 60_000 });
    // With the connection for messages there, only the channel is still to be heard.
    await first.getCountDownLatch('another').trySetCount(1);
    expect(await after(server, 100, first.getCountDownLatch('another').await(50))).toBe(false);
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    let looks = 0;
    memory.commands.hindrance = (command) => {
      if (command !== 'hget' || ++looks > 1) return;
      // Behind the answer to the first look, and before the next command of the client can be there.
      queueMicrotask(() => {
        memory.keysOf().remove('start');
        memory.commands.publish('redisson_countdownlatch__channel__{start}', '0');
      });
    };
    expect(await after(server, 100, latch.await())).toBe(true);
    expect(looks).toBeGreaterThan(1);
  });

  it('is made no poller by a flood of messages, and hears the one that counts all the same', async () => {
    const { server, first, memory } = processes({ reaskMs: 10_000, claimLeaseMs: 20_000 });
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const waiting = latch.await();
    await server.advance(100);
    let looks = 0;
    memory.commands.hindrance = (command) => {
      if (command === 'hget') looks++;
    };
    for (let n = 0; n < 1_000; n++) {
      memory.commands.publish('redisson_countdownlatch__channel__{start}', '0');
      await server.advance(1);
    }
    expect(looks).toBeLessThanOrEqual(8 + 1_000 / 50 + 1);
    void latch.countDown();
    expect(await after(server, 100, waiting)).toBe(true);
  });

  it('looks soon again behind a look during which a flood of messages came, and does not wait for reaskMs', async () => {
    const { server, first, memory } = processes({ reaskMs: 10_000, claimLeaseMs: 20_000 });
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const waiting = latch.await();
    await server.advance(100);
    const tell = () => memory.commands.publish('redisson_countdownlatch__channel__{start}', '0');
    memory.commands.hindrance = (command) => {
      if (command !== 'hget') return;
      memory.commands.hindrance = undefined;
      for (let n = 0; n < 20; n++) tell();
    };
    tell();
    await server.advance(1);
    // What the last of them said came behind what the look has read.
    memory.commands.del('start');
    expect(await after(server, 100, waiting)).toBe(true);
  });

  it('ends with an abort, the end of its scope, and the end of its client', async () => {
    const { server, first } = processes();
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const impatience = new AbortController();
    const aborted = failureOf(latch.await(undefined, { signal: impatience.signal }));
    let inside: Promise<unknown> | undefined;
    await first.run(async () => {
      inside = failureOf(latch.await());
      await latch.getCount();
    });
    expect(await inside).toBeInstanceOf(LockScopeError);
    const last = failureOf(latch.await());
    await server.advance(100);
    impatience.abort(new Error('enough'));
    expect(await aborted).toBe(impatience.signal.reason);
    expect(await failureOf(latch.await(0, { signal: impatience.signal }))).toBe(impatience.signal.reason);
    await first.close();
    expect(await last).toBeInstanceOf(LockClientClosedError);
    for (const call of [latch.await(), latch.getCount(), latch.countDown(), latch.trySetCount(1), latch.delete()])
      expect(await failureOf(call)).toBeInstanceOf(LockClientClosedError);
  });

  it('leaves nothing in a signal that lives longer', async () => {
    const { server, first } = processes();
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const { signal } = new AbortController();
    const waiting = Promise.all([latch.await(undefined, { signal }), latch.await(10, { signal })]);
    expect(await after(server, 100, waiting)).toBe('waiting');
    await latch.countDown();
    expect(await after(server, 0, waiting)).toEqual([true, false]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('has room for limits.waiters calls', async () => {
    const { server, first } = processes({ limits: { waiters: 2 } });
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const two = Promise.all([latch.await(), latch.await()]);
    expect(await failureOf(latch.await())).toBeInstanceOf(LockLimitError);
    await latch.countDown();
    expect(await after(server, 0, two)).toEqual([true, true]);
    await latch.trySetCount(1);
    const impatience = new AbortController();
    const three = [latch.await(), failureOf(latch.await(undefined, { signal: impatience.signal }))];
    impatience.abort();
    three.push(latch.await());
    await latch.countDown();
    expect(await after(server, 0, Promise.all(three))).toEqual([true, impatience.signal.reason, true]);
    expect(await latch.await()).toBe(true);
  });

  it('goes on over an outage that is shorter than responseTimeoutMs, and tells a longer one', async () => {
    const { server, first } = processes();
    const latch = first.getCountDownLatch('start');
    await latch.trySetCount(1);
    const waiting = latch.await();
    await server.advance(1_000);
    await server.outage(5_000);
    expect(await after(server, 8_000, waiting)).toBe('waiting');
    await server.outage(60_000);
    // Until then it is known that the count had not reached 0.
    await server.advance(4_000);
    const short = failureOf(latch.await(2_000));
    expect(await after(server, 2_000, short)).toBeInstanceOf(LockUnavailableError);
    expect(await after(server, 20_000, failureOf(waiting))).toBeInstanceOf(LockUnavailableError);
  });
});

it('what cannot be meant is refused before anything is sent', async () => {
  const { first, memory } = processes();
  const latch = first.getCountDownLatch('start');
  const wrong = [
    ...[0, -1, 1.5, Number.NaN, 2 ** 53].map((count) => latch.trySetCount(count)),
    ...['', 'a b', 'x'.repeat(257), 7, null].map((by) => latch.countDown({ by: by as string })),
    ...[-1, 1.5, 2 ** 32, '7'].map((waitMs) => latch.await(waitMs as number)),
    latch.await(0, { signal: {} as AbortSignal }),
    latch.countDown({ who: 'x' } as object),
    latch.await(0, { leaseMs: 1 } as object),
  ];
  for (const call of wrong) expect((await failureOf(call)) instanceof LockRefusedError).toBe(false);
  for (const call of wrong) expect(String(await failureOf(call))).toMatch(/^(TypeError|RangeError): /);
  for (const name of ['', 'holdfast_x', 'a{b', 7]) expect(() => first.getCountDownLatch(name as string)).toThrow();
  expect(memory.connections).toBe(0);
});

/** Each request arrives once or more often, and copies of it at any later time: a round, two, or none on. */
it('a copy of a command changes nothing, whenever it arrives, and is answered as the first', async () => {
  const keys = core.latchKeys('start');
  const request = fc.oneof(
    fc.integer({ min: 1, max: 3 }).map((count) => ({ kind: 'set' as const, count })),
    fc.constantFrom('', '', 'a', 'b').map((by) => ({ kind: 'count' as const, by })),
    fc.constant({ kind: 'remove' as const }),
  );
  /** Behind which request a copy of which of those before it arrives. */
  const copies = fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 24 });
  const deliveries = fc.tuple(fc.array(request, { minLength: 1, maxLength: 12 }), copies);
  const property = fc.asyncProperty(deliveries, async ([requests, late]) => {
    const server = new MemoryServer({ now: () => 1 });
    const place = { network: direct(() => server), timers: new ManualClock() };
    const redis = memoryRedis(place, { lazyConnect: true });
    await redis.connect();
    const port = {
      evalsha: (sha: string, names: readonly string[], args: readonly (string | number)[]) =>
        redis.evalsha(sha, names.length, ...names, ...args),
      eval: (source: string, names: readonly string[], args: readonly (string | number)[]) =>
        redis.eval(source, names.length, ...names, ...args),
    };
    const answers = new Map<number, unknown>();
    let left = 0;
    let by = new Set<string>();
    /** What the latch does, told by whom it has not heard yet. */
    const expected = (one: (typeof requests)[number]) => {
      const before = left;
      if (one.kind === 'set' && left === 0) [left, by] = [one.count, new Set()];
      else if (one.kind === 'remove') left = 0;
      else if (one.kind === 'count' && left > 0 && !by.has(one.by)) {
        left--;
        if (one.by !== '') by.add(one.by);
      }
      return one.kind === 'set' ? before === 0 : one.kind === 'remove' ? before > 0 : left;
    };
    const order = [...requests.keys()].flatMap((index) => [
      index,
      ...late.filter(([behind]) => behind === index).map(([, which]) => which % (index + 1)),
    ]);
    for (const at of order) {
      const one = requests[at] as (typeof requests)[number];
      const options = { request: `c:${at}`, tombstoneMs: 60_000, trust: true };
      const command = (
        one.kind === 'set'
          ? core.trySet(keys, { ...options, count: one.count })
          : one.kind === 'count'
            ? core.count(keys, { ...options, by: one.by })
            : core.remove(keys, options)
      ) as Command<unknown>;
      if (!answers.has(at)) answers.set(at, expected(one));
      expect(await run(port, command)).toEqual(answers.get(at));
      expect((await run(port, core.look(keys))).count).toBe(left);
    }
    redis.disconnect();
  });
  await fc.assert(property, proofRuns({ quick: 100, long: 5_000 }).parameters);
});

describe('on a real server', () => {
  const kit = useRedis();

  it('counts an id once in a round, and again in the next', async () => {
    const latch = openClient(kit).getCountDownLatch(fresh());
    const counts = async (...ids: string[]) => {
      const left: number[] = [];
      for (const by of ids) left.push(await latch.countDown({ by }));
      return left;
    };
    await latch.trySetCount(3);
    expect(await counts('part-1', 'part-1', 'part-2', 'part-1', 'part-3')).toEqual([2, 2, 1, 1, 0]);
    await latch.trySetCount(2);
    expect(await counts('part-1', 'part-1')).toEqual([1, 1]);
    await latch.delete();
  });

  const fresh = () => {
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name, core.latchKeys(name).round)));
    return name;
  };
  /** Without the message it would take longer than the test may. */
  const unhurried = { reaskMs: 60_000, claimLeaseMs: 90_000 };

  it('all who wait hear that the count has reached 0', async () => {
    const name = fresh();
    const clients = [openClient(kit, unhurried), openClient(kit, unhurried), openClient(kit, unhurried)];
    const [latch, ...others] = clients.map((client) => client.getCountDownLatch(name));
    await latch?.trySetCount(2);
    const waiting = Promise.all(others.flatMap((other) => [other.await(), other.await()]));
    const listeners = async () => Number((await kit.admin.pubsub('NUMSUB', core.latchKeys(name).channel))[1]);
    await waitUntil(async () => (await listeners()) === 2, { what: 'both processes listen' });
    await Promise.all([latch?.countDown(), latch?.countDown()]);
    expect(await waiting).toEqual([true, true, true, true]);
    await waitUntil(async () => (await listeners()) === 0, { what: 'nobody listens any more' });
    expect(await kit.admin.exists(name, core.latchKeys(name).round)).toBe(0);
  });

  it('is counted once where the answer to it was lost', async () => {
    const name = fresh();
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const latch = openClient(kit, { redis: proxy.url }).getCountDownLatch(name);
    proxy.loseNextReply({ after: (request) => request.includes(latchScripts.set.sha) });
    // EVALSHA is not known there yet, or is: whichever answer is lost, the round is begun once.
    expect(await latch.trySetCount(3)).toBe(true);
    expect(await latch.countDown()).toBe(2);
    proxy.loseNextReply({ after: (request) => request.includes(latchScripts.count.sha) });
    expect(await latch.countDown()).toBe(1);
    expect(proxy.repliesLost).toBe(2);
    expect(await kit.admin.get(name)).toBe('1');
  });

  it("works on Redisson's key and channel, and with what Redisson does there", async () => {
    const name = fresh();
    const { channel } = core.latchKeys(name);
    const java = kit.admin.duplicate();
    kit.cleanup(() => java.disconnect());
    const heard: string[] = [];
    java.on('message', (_, message: string) => heard.push(message));
    await java.subscribe(channel);
    const latch = openClient(kit, unhurried).getCountDownLatch(name);
    await latch.trySetCount(2);
    expect(await kit.admin.get(name)).toBe('2');
    await latch.countDown();
    await latch.countDown();
    await waitUntil(() => heard.length === 2, { what: 'two messages' });
    expect(heard).toEqual(['1', '0']);
    // As RCountDownLatch.trySetCount and countDown do it.
    await kit.admin.set(name, '2');
    expect(await latch.trySetCount(7)).toBe(false);
    expect(await latch.countDown({ by: 'node' })).toBe(1);
    const waiting = latch.await();
    await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', channel))[1]) === 2, { what: 'it listens' });
    await kit.admin.decr(name);
    await kit.admin.del(name);
    await kit.admin.publish(channel, '0');
    expect(await waiting).toBe(true);
    expect(channel).toBe(`redisson_countdownlatch__channel__{${name}}`);
  });

  it('tells what is left, of which round, and how many ids have counted', async () => {
    const name = fresh();
    const latch = openClient(kit).getCountDownLatch(name);
    expect(await latch.inspect()).toEqual({ name, count: 0, round: undefined, counted: 0 });
    await latch.trySetCount(5);
    await latch.countDown();
    for (const by of ['a', 'b', 'a']) await latch.countDown({ by });
    const seen = await latch.inspect();
    expect(seen).toEqual({ name, count: 2, round: expect.any(String), counted: 2 });
    await latch.delete();
    await latch.trySetCount(1);
    expect(await latch.inspect()).toMatchObject({ count: 1, counted: 0 });
    expect((await latch.inspect()).round).not.toBe(seen.round);
    await latch.delete();
    await kit.admin.set(name, 7);
    expect(await latch.inspect()).toEqual({ name, count: 7, round: undefined, counted: 0 });
    await kit.admin.del(name);
  });

  it('and locks of the same name refuse each other, and what is no count is left as it is', async () => {
    const name = fresh();
    const client = openClient(kit);
    const [latch, lock] = [client.getCountDownLatch(name), client.getLock(name)];
    await latch.trySetCount(1);
    expect(await failureOf(lock.lock())).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOTALOCK' });
    await latch.countDown();
    await lock.lock();
    const refuses = async () => {
      const calls = [latch.trySetCount(1), latch.countDown(), latch.getCount(), latch.await(), latch.delete()];
      for (const call of [...calls, latch.inspect()])
        expect(await failureOf(call)).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOTALATCH' });
    };
    await refuses();
    await lock.unlock();
    await kit.admin.lpush(name, 'an element');
    await refuses();
    await kit.admin.set(name, 'something else');
    await refuses();
    expect(await kit.admin.get(name)).toBe('something else');
  });
});
