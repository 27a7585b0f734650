/**
 * Redis stands still, a call rejects, and its client is closed. What it had written is in the socket: Redis reads it when it goes on, with nobody there to
 * hear an answer.
 */
import { lockKeys, renew } from '@holdfast/core';
import { direct, memoryRedis, MemoryServer, type Network, type Request, type SocketListener } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RLock } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';
import { driven, turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const renewal = renew([{ keys: lockKeys('any'), tenure: 'a:1', leaseMs: 1 }]).script.sha;

/** A network to a server that can stand still: what is sent meanwhile, and that a connection ends, reaches it when it goes on. */
class Standing implements Network {
  still = false;
  /** Answers stay on their way until this is over; messages do not. */
  answersLate = false;
  /** The client is not there any more: what it sends is never sent. */
  alone = false;
  /** Told of a request before it leaves. */
  onSend: (request: Request) => void = () => undefined;
  readonly #inner: Network;
  readonly #unread: (() => void)[] = [];
  readonly #late: (() => void)[] = [];

  constructor(inner: Network) {
    this.#inner = inner;
  }

  dial: Network['dial'] = (address, listener) => {
    let gone = false;
    const unlessGone =
      <A extends unknown[]>(tell: (...args: A) => void) =>
      (...args: A) => {
        if (!gone) tell(...args);
      };
    const socket = this.#inner.dial(address, {
      onOpen: unlessGone(() => listener.onOpen()),
      onFrame: unlessGone((frame) => {
        if (this.answersLate && !isMessage(frame)) this.#late.push(() => listener.onFrame(frame));
        else listener.onFrame(frame);
      }),
      onClose: unlessGone((error) => listener.onClose(error)),
    });
    return {
      send: (request) => {
        this.onSend(request);
        this.#reaches(() => socket.send(request));
      },
      end: () => this.#reaches(() => socket.end()),
      destroy: () => {
        gone = true;
        this.#reaches(() => socket.end());
      },
    };
  };

  goOn(): void {
    this.still = false;
    for (const step of this.#unread.splice(0)) step();
  }

  answer(): void {
    this.answersLate = false;
    for (const step of this.#late.splice(0)) step();
  }

  #reaches(step: () => void): void {
    if (this.alone) return;
    if (this.still) this.#unread.push(step);
    else step();
  }
}

const isMessage = ({ kind }: Parameters<SocketListener['onFrame']>[0]) => kind === 'message';

function setUp() {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const network = new Standing(direct(() => server));
  const settled = <T>(outcome: Promise<T>) => driven(clock, outcome);
  const open = (through: Network): LockClient => {
    const redis = () =>
      memoryRedis(
        { network: through, timers: clock },
        { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      );
    const openRedis = () => ({ kind: 'node', redis: redis(), ownership: 'ours' }) as const;
    const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
    leaks.cleanup(() => settled(client.close()));
    return client;
  };
  return { clock, server, client: open(network), stranger: open(direct(() => server)), network, settled };
}

/** A call for `name` by one kind of lock; answers whether it has had it. */
type Call = (client: LockClient, name: string) => Promise<boolean>;
const kinds: readonly (readonly [string, Call])[] = [
  ['oncePer', async (client, name) => (await client.oncePer(name, 23 * HOUR_MS, () => undefined)).ran],
  ['a lock', async (client, name) => (await client.getLock(name).tryWithLock({}, () => 1)).ran],
  [
    'a lock for long',
    async (client, name) => (await client.getLock(name).tryWithLock({ minHoldMs: HOUR_MS }, () => 1)).ran,
  ],
  ['a fair lock', async (client, name) => (await client.getFairLock(name).tryWithLock({}, () => 1)).ran],
  ['a spin lock', async (client, name) => (await client.getSpinLock(name).tryWithLock({}, () => 1)).ran],
  ['a fenced lock', async (client, name) => (await client.getFencedLock(name).tryWithLock({}, () => 1)).ran],
  [
    'a read lock',
    async (client, name) =>
      (
        await client
          .getReadWriteLock(name)
          .readLock()
          .tryWithLock({}, () => 1)
      ).ran,
  ],
  [
    'a write lock',
    async (client, name) =>
      (
        await client
          .getReadWriteLock(name)
          .writeLock()
          .tryWithLock({}, () => 1)
      ).ran,
  ],
  [
    'permits',
    async (client, name) => (await client.getSemaphore(name, { permits: 1 }).tryWithPermits({}, () => 1)).ran,
  ],
];

describe.each(kinds)('%s', (_kind, call) => {
  it('that rejected holds nothing after close(), also where Redis does not know the script that undoes it', async () => {
    const { client, stranger, network, settled } = setUp();
    await call(stranger, 'earlier'); // the script of the ask is known
    await settled(client.connect());
    network.still = true;
    expect(await settled(failureOf(call(client, 'late')))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await settled(client.close());
    network.goOn();
    await turns(20);
    expect(await call(stranger, 'late')).toBe(true);
  });
});

it('a hold that is open when its client is closed, while Redis stands still, is gone when Redis goes on', async () => {
  const { client, stranger, network, settled } = setUp();
  await settled(client.getLock('order').acquire({ leaseMs: HOUR_MS }));
  network.still = true;
  await settled(client.close());
  network.goOn();
  await turns(20);
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});

it('so is one that was granted by message while an ask of its call was under way, also where Redis does not know the script that undoes it', async () => {
  const { clock, client, stranger, network, settled, server } = setUp();
  await settled(client.connect());
  const first = await settled(stranger.getLock('order').acquire());
  const call = client.getLock('order').acquire();
  await clock.advance(1_000);
  await turns(20); // it has its place
  let asked = false;
  network.onSend = ([command]) => {
    asked ||= command === 'evalsha';
  };
  network.answersLate = true;
  while (!asked) {
    await clock.advance(50);
    await turns(5);
  }
  await settled(first.release());
  await settled(call);
  network.answer();
  await clock.advance(1_000);
  await turns(20); // its lease is a whole one
  server.flushScripts();
  network.still = true;
  await settled(client.close());
  network.goOn();
  await turns(20);
  expect(await settled(stranger.getLock('order').tryLock())).toBe(true);
});

it('so is the place of a call that waits then', async () => {
  const { clock, client, stranger, network, settled, server } = setUp();
  await settled(client.connect());
  const first = await settled(stranger.getLock('order').acquire());
  const waiting = failureOf(client.getLock('order').acquire());
  await clock.advance(100);
  await turns(20);
  expect((await stranger.inspect('order')).queue).toHaveLength(1);
  server.flushScripts();
  network.still = true;
  await settled(client.close());
  expect(await waiting).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
  network.goOn();
  await turns(20);
  expect((await stranger.inspect('order')).queue).toEqual([]);
  await settled(first.release());
});

describe('oncePer', () => {
  const PERIOD_MS = 23 * HOUR_MS;

  it('of a process that dies while it asks uses up no more than the lease of a lock', async () => {
    const { clock, client, stranger, network, settled } = setUp();
    await stranger.oncePer('earlier', PERIOD_MS, () => undefined); // the script of the ask is known
    await settled(client.connect());
    network.still = true;
    void client.oncePer('report', PERIOD_MS, () => undefined).catch(() => undefined);
    await turns(5);
    network.alone = true;
    network.goOn();
    await turns(5);
    expect(await stranger.getLock('report').tryLock()).toBe(false);
    await clock.advance(31_000);
    expect(await settled(stranger.oncePer('report', PERIOD_MS, () => 'tonight'))).toEqual({
      ran: true,
      value: 'tonight',
    });
  });

  it('runs its function only when the period is known to be kept, whatever becomes of the process then', async () => {
    const { clock, client, stranger, network, settled } = setUp();
    await settled(
      client
        .oncePer('report', PERIOD_MS, () => {
          network.alone = true;
        })
        .catch(() => undefined),
    );
    await clock.advance(PERIOD_MS - HOUR_MS);
    expect(await settled(stranger.oncePer('report', PERIOD_MS, () => 'again'))).toEqual({ ran: false });
  });

  it('does not run it when Redis stands still before that is known, and the next tick runs', async () => {
    const { client, stranger, network, settled } = setUp();
    let ran = false;
    await settled(client.connect());
    network.onSend = ([command, script]) => {
      // The ask is answered; nothing behind it is.
      if (command === 'evalsha' && script === renewal) network.still = true;
    };
    const outcome = await settled(failureOf(client.oncePer('report', PERIOD_MS, () => (ran = true))));
    expect(outcome).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await settled(client.close());
    network.goOn();
    await turns(20);
    expect(ran).toBe(false);
    expect(await settled(stranger.oncePer('report', PERIOD_MS, () => 'tonight'))).toEqual({
      ran: true,
      value: 'tonight',
    });
  });
});

describe('drainMs', () => {
  const DRAIN_MS = 8_000;

  /** How no call comes to have a hold of the lock that its client still has: Redis stands still from `stop` on. */
  const ways: readonly (readonly [string, (lock: RLock, stop: () => void, client: LockClient) => Promise<unknown>])[] =
    [
      [
        'a call inside a section',
        (lock, stop) =>
          lock.withLock(async () => {
            stop();
            await failureOf(lock.withLock({ waitMs: 200 }, () => 1));
          }),
      ],
      [
        'the second of two calls of a scope',
        (lock, stop, client) =>
          client.run(async () => {
            await lock.lock();
            stop();
            await failureOf(lock.tryLock(200));
            await lock.unlock();
          }),
      ],
      [
        'a call inside a hold that was given back before',
        async (lock, stop) => {
          const hold = await lock.acquire();
          stop();
          const inner = failureOf(hold.run(() => lock.withLock({ waitMs: 2_000 }, () => 1)));
          await failureOf(hold.release());
          await inner;
        },
      ],
      [
        'the next call of the process',
        async (lock, stop) => {
          const hold = await lock.acquire({ leaseMs: 20_000 });
          const next = failureOf(lock.acquire({ waitMs: 200, leaseMs: 10_000 }));
          stop();
          await failureOf(hold.release());
          await next;
        },
      ],
    ];

  describe.each(ways)('where %s gave up', (_, way) => {
    async function closing() {
      const { client, network, settled, ...others } = setUp();
      await settled(client.connect());
      await settled(failureOf(way(client.getLock('order'), () => (network.still = true), client)));
      expect(client.stats()).toMatchObject({ held: 0, waiting: 0 });
      return { network, settled, closed: client.close({ drainMs: DRAIN_MS }), ...others };
    }

    it('waits for nothing, since nobody holds anything', async () => {
      const { clock, closed, settled } = await closing();
      const begun = clock.now();
      await settled(closed);
      expect(clock.now() - begun).toBeLessThan(DRAIN_MS);
    });

    it('leaves nothing in a Redis that goes on meanwhile', async () => {
      const { closed, network, settled, stranger } = await closing();
      network.goOn();
      await settled(closed);
      expect(await stranger.getLock('order').tryLock()).toBe(true);
    });
  });

  /** A release whose answer waits for that to a call which hangs up. */
  const releases: readonly (readonly [
    string,
    (lock: RLock, network: Standing, signal: AbortSignal) => Promise<void>,
  ])[] = [
    [
      'the next call of the process',
      async (lock, network, signal) => {
        const hold = await lock.acquire({ leaseMs: 20_000 });
        void failureOf(lock.acquire({ leaseMs: 10_000, signal }));
        network.answersLate = true;
        return hold.release();
      },
    ],
    [
      'a call inside',
      async (lock, network, signal) => {
        const hold = await lock.acquire();
        network.answersLate = true;
        void hold.run(() => failureOf(lock.acquire({ signal })));
        return hold.release();
      },
    ],
  ];

  it.each(releases)('makes no loss of a release, where %s hung up meanwhile', async (_, releasing) => {
    const { client, stranger, network, settled } = setUp();
    const losses: unknown[] = [];
    client.on('lost', (loss) => losses.push(loss));
    await settled(client.connect());
    const hangUp = new AbortController();
    const released = failureOf(releasing(client.getLock('order'), network, hangUp.signal));
    await turns(10);
    hangUp.abort();
    const closed = client.close({ drainMs: DRAIN_MS });
    await turns(3);
    network.answer();
    await settled(closed);
    expect([await released, losses]).toEqual([undefined, []]);
    expect(await stranger.getLock('order').tryLock()).toBe(true);
  });

  it.each(releases)(
    'tells a release of the silence of Redis, and of no loss, where %s hung up meanwhile, and no answer comes',
    async (_, releasing) => {
      const { client, network, settled } = setUp();
      const losses: unknown[] = [];
      client.on('lost', (loss) => losses.push(loss));
      await settled(client.connect());
      const hangUp = new AbortController();
      const released = failureOf(releasing(client.getLock('order'), network, hangUp.signal));
      await turns(10);
      hangUp.abort();
      await settled(client.close({ drainMs: DRAIN_MS }));
      expect([await settled(released), losses]).toEqual([expect.objectContaining({ code: 'LOCK_UNAVAILABLE' }), []]);
    },
  );

  it('lets a section end in which a call gave up, also where Redis answers for that call later', async () => {
    const { client, stranger, network, settled } = setUp();
    const lock = client.getLock('order');
    let closed: Promise<void> | undefined;
    const section = lock.withLock(async () => {
      network.answersLate = true;
      await failureOf(lock.withLock({ waitMs: 200 }, () => 1));
      closed = client.close({ drainMs: DRAIN_MS });
      setImmediate(() => network.answer());
      return 'done';
    });
    expect(await settled(section)).toBe('done');
    await settled(closed as Promise<void>);
    expect(await stranger.getLock('order').tryLock()).toBe(true);
  });
});
