/** What a client hears from sentinels that break off, fall silent and lag behind, and which of its connections it gives up for that. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { guardLeaks, ManualClock, waitUntil } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import type { ConnectionTools } from '../src/connection/connection-tools.js';
import { SentinelWatch } from '../src/connection/sentinel-watch.js';
import { ServerCheck } from '../src/connection/server-check.js';
import { drivenTools } from './support/driven-tools.js';
import { failingToConnect, type Way, ways } from './support/failing-wrapper.js';
import { FakeSentinel, type Master } from './support/fake-sentinel.js';
import { HostileServer } from './support/hostile-server.js';

const leaks = guardLeaks();
/** It has to answer so often. */
const BEAT_MS = 3_000;
/** Sentinels take so long to agree. */
const AGREEMENT_MS = 4_000;
/** So long a name is looked up. */
const LOOKUP_MS = 500;
/** Before silence is believed, so much more is waited. */
const ONCE_MORE_MS = 50;

type LookUp = ConstructorParameters<typeof SentinelWatch>[2];

/** Two servers, of which `before` is the master, and sentinels that a watch listens to. Only the first of those that are `behind` name it. */
async function setUp({
  sentinels: count = 1,
  behind = Number.POSITIVE_INFINITY,
  host = '127.0.0.1',
  lookUp = undefined as LookUp | undefined,
  firstNamed = 'once' as 'once' | 'twice' | 'in two cases',
  options = {} as RedisOptions,
} = {}) {
  const servers = [new HostileServer(), new HostileServer()];
  const [before, after] = await Promise.all(
    servers.map(async (server) => [host, (await server.listen()).port] as const),
  );
  const sentinels = Array.from(
    { length: count },
    (_, index) => new FakeSentinel((index < behind ? before : after) as Master),
  );
  await Promise.all(sentinels.map((sentinel) => sentinel.listen()));
  leaks.cleanup(() => Promise.all([...servers, ...sentinels].map((server) => server.close())));
  const places = sentinels.map(({ address }) => address);
  const [first] = places as [(typeof places)[number]];
  const inTwoCases = ['localhost', 'LOCALHOST'].map((name) => ({ host: name, port: first.port }));
  const again = firstNamed === 'twice' ? [first, first] : inTwoCases;
  const clock = new ManualClock();
  const schedule = new Schedule(clock, 'background', () => undefined);
  const template = new Redis({
    ...{ sentinels: firstNamed === 'once' ? places : [...again, ...places.slice(1)] },
    ...{ name: 'main', lazyConnect: true },
    ...options,
  });
  const tools: ConnectionTools = {
    at: (time, action) => schedule.at(time, action),
    after: (ms, action) => schedule.at(clock.now() + ms, action),
    now: () => clock.now(),
    random: Math.random,
    nextTurn: (run) => void setImmediate(run),
    silenceMs: 9_000,
    serverCheck: new ServerCheck('node', () => undefined),
    onError: () => undefined,
  };
  const watch = new SentinelWatch(template, tools, lookUp);
  leaks.cleanup(() => watch.close());
  watch.start();
  const minded = ([, port]: Master) => {
    const redis = new Redis({ host: '127.0.0.1', port, disconnectTimeout: 100, retryStrategy: () => 20 });
    leaks.cleanup(() => redis.disconnect());
    const seen = { drops: 0, isReady: () => redis.status === 'ready' };
    redis.on('close', () => seen.drops++);
    watch.mind(redis);
    return { redis, seen };
  };
  const heard = async () => {
    await waitUntil(() => sentinels.every(({ listeners }) => listeners === 1), { what: 'each sentinel is heard' });
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  await heard();
  return {
    ...{ before: before as Master, after: after as Master, sentinel: sentinels[0] as FakeSentinel, sentinels },
    ...{ clock, schedule, watch, heard },
    /** A connection that the watch minds, and that is there. */
    connectTo: async (master: Master) => {
      const { redis, seen } = minded(master);
      await once(redis, 'ready');
      return seen;
    },
    /** The same, wherever it gets. */
    setOutTo: (master: Master) => minded(master).seen,
    dropped: (seen: { drops: number }, times = 1) =>
      waitUntil(() => seen.drops >= times, { what: 'the connection to the old master is given up', timeoutMs: 4_000 }),
  };
}

it.each(Object.keys(ways) as Way[])('a sentinel is heard a moment later where a wrapper of connect %s', async (way) => {
  const sentinel = new FakeSentinel(['127.0.0.1', 6_379]);
  await sentinel.listen();
  const template = new Redis({ sentinels: [sentinel.address], name: 'main', lazyConnect: true });
  const failing = failingToConnect(Redis.prototype, way);
  leaks.cleanup(() => failing.end());
  failing.once();
  const { tools, passAll } = drivenTools();
  const watch = new SentinelWatch(template, tools);
  leaks.cleanup(() => Promise.all([watch.close(), sentinel.close()]));
  watch.start();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  passAll();
  await waitUntil(() => sentinel.listeners === 1, { what: 'the sentinel is heard' });
  expect(failing.over).toBe(true);
});

describe('a connection to the old master is given up', () => {
  it('when a sentinel says that there is another one, and as often as it comes back', async () => {
    const { before, after, sentinel, connectTo, dropped } = await setUp();
    const old = await connectTo(before);
    sentinel.switchTo(after);
    await dropped(old, 3);
  });

  it('when the sentinel could not be heard as it said so, and can be again', async () => {
    const { before, after, sentinel, connectTo, dropped } = await setUp();
    const old = await connectTo(before);
    sentinel.cut();
    sentinel.switchTo(after);
    await dropped(old);
  });

  it('when the connection to the sentinel was forgotten on the way, without a word', async () => {
    const { before, after, sentinel, clock, connectTo, dropped, heard } = await setUp();
    const old = await connectTo(before);
    sentinel.forget();
    sentinel.switchTo(after);
    for (const ms of [BEAT_MS, BEAT_MS, ONCE_MORE_MS, ONCE_MORE_MS]) {
      await clock.advance(ms);
      await heard();
    }
    await dropped(old);
  });

  it('also where sentinels give names of hosts, and who is at the new one stays there', async () => {
    const { before, after, sentinel, connectTo, dropped } = await setUp({ host: 'localhost' });
    const [old, current] = await Promise.all([connectTo(before), connectTo(after)]);
    sentinel.switchTo(after);
    await dropped(old, 3);
    expect(current.drops).toBe(0);
  });

  it('also behind a NAT that the options know, and who is at the new one stays there', async () => {
    const natMap = (address: string) => ({ host: '127.0.0.1', port: Number(address.split(':')[1]) });
    const { before, after, sentinel, connectTo, dropped } = await setUp({
      host: 'inside.invalid',
      options: { natMap },
    });
    const [old, current] = await Promise.all([connectTo(before), connectTo(after)]);
    sentinel.switchTo(after);
    await dropped(old, 3);
    expect(current.drops).toBe(0);
  });

  it('once, where one address leads to whichever is the master', async () => {
    const places: Record<string, { host: string; port: number }> = {};
    const { before, after, sentinel, connectTo, dropped } = await setUp({ options: { natMap: places } });
    for (const [host, port] of [before, after]) places[`${host}:${port}`] = { host, port: before[1] };
    const only = await connectTo(before);
    sentinel.switchTo(after);
    await dropped(only);
    await waitUntil(only.isReady, { what: 'it to be back' });
    expect(only.drops).toBe(1);
  });

  it('when your natMap throws', async () => {
    const natMap = () => {
      throw new Error('a mistake in it');
    };
    const { before, after, sentinel, connectTo, dropped } = await setUp({ options: { natMap } });
    const old = await connectTo(before);
    sentinel.switchTo(after);
    await dropped(old);
  });

  it('when the names that sentinels give are not resolved in half a second', async () => {
    const { before, after, sentinel, clock, schedule, connectTo, dropped } = await setUp({
      host: 'localhost',
      lookUp: () => new Promise(() => undefined),
    });
    const old = await connectTo(before);
    const appointments = schedule.size;
    sentinel.switchTo(after);
    await waitUntil(() => schedule.size > appointments, { what: 'the names are looked up' });
    await clock.advance(LOOKUP_MS);
    await dropped(old);
  });
});

describe('a master that sentinels have got without a word', () => {
  const unsaid = (sentinels: readonly FakeSentinel[], master: Master) => {
    for (const sentinel of sentinels) sentinel.master = master;
  };

  it('is gone to when they are asked again', async () => {
    const { before, after, sentinels, clock, connectTo, dropped } = await setUp({ sentinels: 3 });
    const old = await connectTo(before);
    unsaid(sentinels, after);
    await clock.advance(BEAT_MS);
    await dropped(old, 3);
  });

  it('is not kept from a client that has heard one of them since, and of the others what they said before', async () => {
    const { after, sentinels, clock, connectTo, heard } = await setUp({ sentinels: 3 });
    unsaid(sentinels, after);
    sentinels[0]?.cut();
    await waitUntil(() => sentinels[0]?.asked === 2, { what: 'it is asked again', timeoutMs: 4_000 });
    await heard();
    await clock.advance(BEAT_MS);
    await waitUntil(() => sentinels.every(({ asked }) => asked >= 2), { what: 'all are asked again' });
    await heard();
    const current = await connectTo(after);
    await heard();
    expect(current.drops).toBe(0);
  });
});

describe('where more than half of the sentinels have another master', () => {
  /** Known at once, so that nothing is yet to come. */
  const lookUp = async (host: string) => [{ address: host }];
  const split = { sentinels: 3, behind: 1, lookUp };

  it('a server that the others name is left, as often as it is come back to; theirs is kept', async () => {
    const { before, after, setOutTo, connectTo, dropped } = await setUp(split);
    const old = setOutTo(before);
    const current = await connectTo(after);
    await dropped(old, 3);
    expect(current.drops).toBe(0);
  });

  it('a connection that was there before they were heard is given up', async () => {
    const { before, sentinels, connectTo, dropped } = await setUp(split);
    const most = sentinels.slice(1);
    await Promise.all(most.map((sentinel) => sentinel.close()));
    const old = await connectTo(before);
    const dropsBefore = old.drops;
    await Promise.all(most.map((sentinel) => sentinel.listen()));
    await dropped(old, dropsBefore + 1);
  });

  it('a server that none of them names is kept: it may be behind a NAT', async () => {
    const { connectTo, heard } = await setUp(split);
    const other = new HostileServer();
    leaks.cleanup(() => other.close());
    const elsewhere = await connectTo(['127.0.0.1', (await other.listen()).port]);
    await heard();
    expect(elsewhere.drops).toBe(0);
  });

  it('they count no more when they are not heard', async () => {
    const { before, sentinels, connectTo } = await setUp(split);
    await Promise.all(sentinels.slice(1).map((sentinel) => sentinel.close()));
    const old = await connectTo(before);
    expect(old.isReady()).toBe(true);
  });

  it('and the first of all has just gone on from that one, it leads', async () => {
    const { before, after, sentinels, connectTo, dropped } = await setUp({ sentinels: 3, lookUp });
    const [old, current] = [await connectTo(before), await connectTo(after)];
    const dropsBefore = current.drops;
    sentinels[0]?.switchTo(after);
    await dropped(old, 3);
    expect(current.drops).toBe(dropsBefore);
  });
});

it('half of the sentinels are not more than half', async () => {
  const { before, after, connectTo, heard } = await setUp({ sentinels: 2, behind: 1 });
  const both = [await connectTo(before), await connectTo(after)];
  await heard();
  expect(both.map(({ drops }) => drops)).toEqual([0, 0]);
});

describe('one that the options name twice counts once, so that half of the sentinels are not more than half by it:', () => {
  it.each(['twice', 'in two cases'] as const)('%s', async (firstNamed) => {
    const { before, after, connectTo, heard } = await setUp({ sentinels: 2, behind: 1, firstNamed });
    const both = [await connectTo(before), await connectTo(after)];
    await heard();
    expect(both.map(({ drops }) => drops)).toEqual([0, 0]);
  });
});

describe('sentinels that give one name agree, whatever is known of its addresses:', () => {
  it('nobody leaves the master while it is still looked up for some of them', async () => {
    let asked = 0;
    const lookUp = () =>
      asked++ === 0 ? Promise.resolve([{ address: '127.0.0.1' }]) : new Promise<never>(() => undefined);
    const { before, connectTo, heard } = await setUp({ sentinels: 3, host: 'localhost', lookUp });
    const current = await connectTo(before);
    await heard();
    expect(current.drops).toBe(0);
  });

  it('nobody is kept from the master that has another address since, of which one of them has told', async () => {
    let address = '127.0.0.2';
    const { before, sentinels, connectTo, heard } = await setUp({
      ...{ sentinels: 3, host: 'localhost' },
      lookUp: async () => [{ address }],
    });
    address = '127.0.0.1';
    const [restarted] = sentinels as [FakeSentinel];
    restarted.cut();
    await waitUntil(() => restarted.asked === 2, { what: 'it is asked again', timeoutMs: 4_000 });
    await heard();
    const current = await connectTo(before);
    await heard();
    expect(current.drops).toBe(0);
  });
});

describe('a sentinel', () => {
  it('that lags behind leads nobody back to the old master when it can be heard again', async () => {
    const { after, sentinels, connectTo, heard } = await setUp({ sentinels: 2 });
    const [leader, late] = sentinels as [FakeSentinel, FakeSentinel];
    const current = await connectTo(after);
    leader.switchTo(after);
    late.cut();
    await waitUntil(() => late.asked === 2, { what: 'it is asked again', timeoutMs: 4_000 });
    await heard();
    expect(current.drops).toBe(0);
  });

  it('that names the master of its first day when it comes back drives nobody from the one that most of them have', async () => {
    const { before, after, sentinels, connectTo, heard } = await setUp({ sentinels: 3, behind: 0 });
    const [restarted] = sentinels as [FakeSentinel];
    const current = await connectTo(after);
    restarted.master = before;
    restarted.cut();
    await waitUntil(() => restarted.asked === 2, { what: 'it is asked again', timeoutMs: 4_000 });
    await heard();
    expect(current.drops).toBe(0);
  });

  it('that tells of the new master just behind its answer, when both are read at once, keeps nobody from the new one', async () => {
    const { after, sentinel, clock, setOutTo, heard } = await setUp();
    sentinel.next = after;
    await clock.advance(BEAT_MS);
    await waitUntil(() => sentinel.master === after, { what: 'it has told' });
    await heard();
    const current = setOutTo(after);
    await waitUntil(() => current.isReady() || current.drops > 0, { what: 'how the way there ends' });
    await heard();
    expect(current.drops).toBe(0);
  });

  it('that tells late of a failover which was undone since keeps nobody from the master for longer than sentinels take to agree', async () => {
    const { before, after, sentinels, clock, connectTo, dropped } = await setUp({ sentinels: 2 });
    const [leader, late] = sentinels as [FakeSentinel, FakeSentinel];
    const old = await connectTo(after);
    leader.switchTo(after);
    leader.switchTo(before);
    await dropped(old, 3);
    const current = await connectTo(before);
    late.switchTo(after);
    await dropped(current);
    await clock.advance(AGREEMENT_MS);
    await waitUntil(current.isReady, { what: 'the way to the master', timeoutMs: 4_000 });
  });

  it('that answers is kept, however little it has to say', async () => {
    const { sentinel, clock, heard } = await setUp();
    for (let beat = 0; beat < 5; beat++) {
      await clock.advance(BEAT_MS);
      await waitUntil(() => sentinel.subscribed === 2 + beat, { what: 'it has to answer' });
      await heard();
    }
    expect(sentinel.asked).toBe(sentinel.subscribed);
  });

  it('that is to be listened to for ever, because its user may not stop it, is heard as long', async () => {
    const { before, after, sentinel, clock, connectTo, dropped, heard } = await setUp();
    sentinel.unsubscribing = 'refused';
    const old = await connectTo(before);
    for (let beat = 0; beat < 3; beat++) {
      await clock.advance(BEAT_MS);
      await waitUntil(() => sentinel.subscribed === 2 + beat, { what: 'it has to answer' });
      await heard();
    }
    expect(sentinel.asked).toBe(1);
    sentinel.switchTo(after);
    await dropped(old, 3);
  });

  it('and that refuses it is not left for it, whatever your client does at an error', async () => {
    const { sentinel, clock, heard } = await setUp({ options: { reconnectOnError: () => true } });
    sentinel.unsubscribing = 'refused';
    for (let beat = 0; beat < 2; beat++) {
      await clock.advance(BEAT_MS);
      await waitUntil(() => sentinel.subscribed === 2 + beat, { what: 'it has to answer', timeoutMs: 4_000 });
      await heard();
    }
    expect(sentinel.asked).toBe(1);
  });

  it('that is not listened to any more has no timer', async () => {
    const { clock, schedule, watch } = await setUp();
    await watch.close();
    await clock.advance(10 * BEAT_MS);
    expect(schedule.size).toBe(0);
  });
});
