import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, LockClient, type LockClientOptions, type RLock } from 'holdfast';
import { createTestClient, createTestServer } from 'holdfast/testing';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { eventually } from '../support/outcomes.js';

const kit = useRedis();

type ErrorName = 'TypeError' | 'RangeError';
type BadCall<T> = readonly [title: string, error: ErrorName, call: (subject: T) => unknown];

/** What TypeScript would refuse, as a caller in JavaScript passes it. */
const wrong = (value: unknown): never => value as never;

const badTimes: readonly (readonly [unknown, ErrorName])[] = [
  [Number.NaN, 'RangeError'],
  [-1, 'RangeError'],
  [1_000.5, 'RangeError'],
  [Number.POSITIVE_INFINITY, 'RangeError'],
  [2 ** 31 + 1, 'RangeError'],
  ['1000', 'TypeError'],
  [null, 'TypeError'],
  [1_000n, 'TypeError'],
  [true, 'TypeError'],
  [{}, 'TypeError'],
];
const badLeases: typeof badTimes = [...badTimes, [0, 'RangeError'], [99, 'RangeError']];

const times = (title: string, values: typeof badTimes, call: (lock: RLock, value: never) => unknown) =>
  values.map(([value, error]): BadCall<RLock> => {
    return [`${title} ${inspect(value)}`, error, (lock) => call(lock, wrong(value))];
  });

const nothing = () => undefined;

/** A call with more arguments than the method takes. */
const beside = (subject: object, method: string, ...args: readonly unknown[]): unknown =>
  Reflect.apply(Reflect.get(subject, method) as (...all: readonly unknown[]) => unknown, subject, args);

/** Calls that take `waitMs`, in an object or by position. */
const onLock: readonly BadCall<RLock>[] = [
  ...times(
    'lock(leaseMs)',
    badLeases.filter(([value]) => typeof value !== 'object'),
    (lock, value) => lock.lock(value),
  ),
  ...times('lock({ leaseMs })', badLeases, (lock, leaseMs) => lock.lock({ leaseMs })),
  ...times('lock({ maxHoldMs })', badLeases, (lock, maxHoldMs) => lock.lock({ maxHoldMs })),
  ...times('tryLock(waitMs)', badTimes, (lock, waitMs) => lock.tryLock(waitMs)),
  ...times('tryLock(0, leaseMs)', badLeases, (lock, leaseMs) => lock.tryLock(0, leaseMs)),
  ...times('acquire({ waitMs })', badTimes, (lock, waitMs) => lock.acquire({ waitMs })),
  ...times('tryAcquire({ leaseMs })', badLeases, (lock, leaseMs) => lock.tryAcquire({ leaseMs })),
  ...times('withLock({ waitMs })', badTimes, (lock, waitMs) => lock.withLock({ waitMs }, nothing)),
  ...times('tryWithLock({ leaseMs })', badLeases, (lock, leaseMs) => lock.tryWithLock({ leaseMs }, nothing)),
  ...([null, 'now', true, [], nothing] as const).flatMap((value): BadCall<RLock>[] => {
    const shown = typeof value === 'function' ? 'a function' : JSON.stringify(value);
    return [
      [`lock(${shown})`, 'TypeError', (lock) => lock.lock(wrong(value))],
      [`tryLock(0, 1000, ${shown})`, 'TypeError', (lock) => lock.tryLock(0, 1_000, wrong(value))],
      [`acquire(${shown})`, 'TypeError', (lock) => lock.acquire(wrong(value))],
      [`tryAcquire(${shown})`, 'TypeError', (lock) => lock.tryAcquire(wrong(value))],
      [`withLock(${shown}, fn)`, 'TypeError', (lock) => lock.withLock(wrong(value), nothing)],
      [`tryWithLock(${shown}, fn)`, 'TypeError', (lock) => lock.tryWithLock(wrong(value), nothing)],
    ];
  }),
  ...([null, 'stop', {}, { aborted: false }, new AbortController()] as const).flatMap((signal): BadCall<RLock>[] => {
    const shown = signal instanceof AbortController ? 'a controller' : JSON.stringify(signal);
    return [
      [`lock({ signal: ${shown} })`, 'TypeError', (lock) => lock.lock({ signal: wrong(signal) })],
      [`tryLock(0, 100, { signal: ${shown} })`, 'TypeError', (lock) => lock.tryLock(0, 100, { signal: wrong(signal) })],
      [`tryAcquire({ signal: ${shown} })`, 'TypeError', (lock) => lock.tryAcquire({ signal: wrong(signal) })],
    ];
  }),
  ['lock(leaseMs, options)', 'TypeError', (lock) => beside(lock, 'lock', 5_000, { signal: AbortSignal.abort() })],
  ['lock(undefined, options)', 'TypeError', (lock) => beside(lock, 'lock', undefined, { waitMs: 5 })],
  ['acquire(options, options)', 'TypeError', (lock) => beside(lock, 'acquire', { leaseMs: 500 }, { waitMs: 5 })],
  ['tryAcquire(options, options)', 'TypeError', (lock) => beside(lock, 'tryAcquire', {}, { waitMs: 5 })],
  ['lock with a misspelt option', 'TypeError', (lock) => lock.lock(wrong({ lease: 1_000 }))],
  ['lock with a wait, which it does not have', 'TypeError', (lock) => lock.lock(wrong({ waitMs: 1_000 }))],
  ['tryLock with its wait in two places', 'TypeError', (lock) => lock.tryLock(5, 1_000, wrong({ waitMs: 10 }))],
  ['acquire with a misspelt option', 'TypeError', (lock) => lock.acquire(wrong({ timeout: 1_000 }))],
  ['acquire with maxHoldMs beside leaseMs', 'TypeError', (lock) => lock.acquire({ leaseMs: 500, maxHoldMs: 500 })],
  ['lock with maxHoldMs beside leaseMs', 'TypeError', (lock) => lock.lock({ leaseMs: 500, maxHoldMs: 500 })],
  ['withLock without a function', 'TypeError', (lock) => lock.withLock(wrong(undefined))],
  ['withLock with options only', 'TypeError', (lock) => lock.withLock(wrong({ waitMs: 5 }))],
  ['withLock with a promise', 'TypeError', (lock) => lock.withLock(wrong(Promise.resolve()))],
  ['withLock with its arguments exchanged', 'TypeError', (lock) => lock.withLock(wrong(nothing), wrong({}))],
  ['tryWithLock without a function', 'TypeError', (lock) => lock.tryWithLock({}, wrong(undefined))],
  [
    'tryWithLock with a function in the place of its options',
    'TypeError',
    (lock) => lock.tryWithLock(wrong(nothing), wrong(undefined)),
  ],
];

const badNames: readonly BadCall<LockClient>[] = (
  [
    ['an empty name', 'RangeError', ''],
    ['a name of 1,025 bytes', 'RangeError', 'x'.repeat(1_025)],
    ['a name of 513 letters of two bytes', 'RangeError', 'é'.repeat(513)],
    ['a name with half a surrogate pair at its end', 'RangeError', 'lock\ud83d'],
    ['a name with half a surrogate pair inside', 'RangeError', 'lo\udd12ck'],
    ['a name with a brace that never closes', 'RangeError', 'a{b'],
    ['a name with empty braces', 'RangeError', 'a{}b'],
    ['a name with a brace that never opened', 'RangeError', 'a}b'],
    ['no name', 'TypeError', undefined],
    ['null as name', 'TypeError', null],
    ['a number as name', 'TypeError', 7],
    ['an object as name', 'TypeError', { toString: () => 'lock' }],
    ['bytes as name', 'TypeError', new Uint8Array([1])],
  ] as const
).flatMap(([title, error, name]): BadCall<LockClient>[] => [
  [`getLock with ${title}`, error, (client) => client.getLock(wrong(name))],
  [`inspect with ${title}`, error, (client) => client.inspect(wrong(name))],
]);

const badOwners: readonly BadCall<LockClient>[] = (
  [
    ['', 'RangeError'],
    ['two words', 'RangeError'],
    ['line\nbreak', 'RangeError'],
    ['\u0000', 'RangeError'],
    ['\ud83d', 'RangeError'],
    ['x'.repeat(257), 'RangeError'],
    [7, 'TypeError'],
    [null, 'TypeError'],
    [{}, 'TypeError'],
  ] as const
).map(([owner, error]) => [
  `getLock with owner ${JSON.stringify(owner).slice(0, 12)}`,
  error,
  (client) => client.getLock('lock', { owner: wrong(owner) }),
]);

const onClient: readonly BadCall<LockClient>[] = [
  ...badNames,
  ...badOwners,
  ['getLock with a misspelt option', 'TypeError', (client) => client.getLock('lock', wrong({ onwer: 'me' }))],
  ['getLock with an owner in place of options', 'TypeError', (client) => client.getLock('lock', wrong('me'))],
  ['getLock with null as options', 'TypeError', (client) => client.getLock('lock', wrong(null))],
  ['a multi-lock.lock(leaseMs, options)', 'TypeError', (client) => beside(client.getMultiLock(['a']), 'lock', 500, {})],
  [
    'a multi-lock.acquire(options, options)',
    'TypeError',
    (client) => beside(client.getMultiLock(['a']), 'acquire', {}, {}),
  ],
  [
    'lockAndGetToken(leaseMs, options)',
    'TypeError',
    (client) => beside(client.getFencedLock('a'), 'lockAndGetToken', 500, {}),
  ],
  ['getCountDownLatch with a count', 'TypeError', (client) => beside(client, 'getCountDownLatch', 'a', 3)],
  ['getMultiLock of names beside each other', 'TypeError', (client) => beside(client, 'getMultiLock', ['a'], 'b')],
  [
    'ids beside each other given back',
    'TypeError',
    (client) => beside(client.getPermitExpirableSemaphore('a'), 'release', 'one', 'other'),
  ],
  [
    'ids beside each other tried to be given back',
    'TypeError',
    (client) => beside(client.getPermitExpirableSemaphore('a'), 'tryRelease', 'one', 'other'),
  ],
  ['election with options', 'TypeError', (client) => beside(client, 'election', 'a', { id: 'me' })],
  ['campaign(fn, options)', 'TypeError', (client) => beside(client.election('a'), 'campaign', nothing, { waitMs: 5 })],
  ['run without a function', 'TypeError', (client) => client.run(wrong(undefined))],
  ['exit without a function', 'TypeError', (client) => client.exit(wrong('fn'))],
  ['on without a listener', 'TypeError', (client) => client.on('lost', wrong(undefined))],
  ['close with a misspelt option', 'TypeError', (client) => client.close(wrong({ drain: 5 }))],
  ['close with a number', 'TypeError', (client) => client.close(wrong(5))],
  ...badTimes.map(
    ([drainMs, error]): BadCall<LockClient> => [
      `close with drainMs ${inspect(drainMs)}`,
      error,
      (client) => client.close({ drainMs: wrong(drainMs) }),
    ],
  ),
];

const badOptions: readonly BadCall<string>[] = [
  ['nothing', 'TypeError', () => createLockClient(wrong(undefined))],
  ['null', 'TypeError', () => createLockClient(wrong(null))],
  ['a URL in place of options', 'TypeError', (redis) => createLockClient(wrong(redis))],
  ...(
    [
      ['TypeError', { watchdogTimeout: 1_000 }],
      ['TypeError', { constructor: 1 }],
      ['TypeError', { toString: nothing }],
      ['RangeError', { wakeup: 'polling' }],
      ['RangeError', { wakeup: null }],
      ['TypeError', { strictScopes: 'yes' }],
      ['TypeError', { releaseOnScopeEnd: 1 }],
      ['RangeError', { watchdogTimeoutMs: 99 }],
      ['RangeError', { maxHoldMs: 99 }],
      ['RangeError', { attemptTimeoutMs: 0 }],
      ['RangeError', { responseTimeoutMs: 0 }],
      ['RangeError', { claimLeaseMs: 99 }],
      ['RangeError', { reaskMs: 0 }],
      ['RangeError', { reaskMs: 3_000, claimLeaseMs: 3_000 }],
      ['RangeError', { reaskMs: 2_800, claimLeaseMs: 3_000 }],
      ['TypeError', { limits: null }],
      ['TypeError', { limits: 5 }],
      ['TypeError', { limits: [5] }],
      ['TypeError', { limits: { waiter: 5 } }],
      ['TypeError', { limits: { waiters: '5' } }],
      ['TypeError', { limits: { locks: null } }],
      ['TypeError', { limits: { depth: 5n } }],
      ['TypeError', { limits: { leaseMs: '1000' } }],
      ['RangeError', { limits: { waiters: 0 } }],
      ['RangeError', { limits: { waiters: Number.POSITIVE_INFINITY } }],
      ['RangeError', { limits: { locks: -1 } }],
      ['RangeError', { limits: { depth: 1.5 } }],
      ['RangeError', { limits: { depth: Number.NaN } }],
      ['RangeError', { limits: { leaseMs: 99 } }],
      ['RangeError', { limits: { leaseMs: 2 ** 31 + 1 } }],
      ['RangeError', { limits: { leaseMs: 29_999 } }],
      ['RangeError', { watchdogTimeoutMs: 60_000, limits: { leaseMs: 59_999 } }],
    ] as const
  ).map(([error, options]): BadCall<string> => {
    const shown = Object.entries(options).map(([key, value]) => `${key} ${inspect(value)}`);
    return [shown.join(', '), error, (redis) => createLockClient({ redis, ...options } as LockClientOptions)];
  }),
  ...(
    ['watchdogTimeoutMs', 'maxHoldMs', 'attemptTimeoutMs', 'responseTimeoutMs', 'claimLeaseMs', 'reaskMs'] as const
  ).flatMap((key) =>
    badTimes.map(
      ([value, error]): BadCall<string> => [
        `${key} ${inspect(value)}`,
        error,
        (redis) => createLockClient({ redis, [key]: value }),
      ],
    ),
  ),
];

/** A port that counts who comes. */
async function openPort(): Promise<{ url: string; visits: () => number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  kit.cleanup(() => new Promise((closed) => server.close(closed)));
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, visits: () => visits };
}

describe('is refused before any I/O:', () => {
  it.each(onLock)('%s (%s)', async (_, name, call) => {
    const { url, visits } = await openPort();
    const client = openClient(kit, { redis: url });
    await expect(call(client.getLock('lock'))).rejects.toMatchObject({ name });
    expect(client.stats().acquisitions).toMatchObject({ tried: 0, failed: 0 });
    await client.close();
    expect(visits()).toBe(0);
  });

  it.each(onClient)('%s (%s)', async (_, name, call) => {
    const { url, visits } = await openPort();
    const client = openClient(kit, { redis: url });
    await expect(eventually(() => call(client))).rejects.toMatchObject({ name });
    await client.close();
    expect(visits()).toBe(0);
  });

  it.each(badOptions)('createLockClient with %s (%s)', async (_, name, call) => {
    const { url, visits } = await openPort();
    await expect(eventually(() => call(url))).rejects.toMatchObject({ name });
    expect(visits()).toBe(0);
  });
});

it('a call that is refused leaves the client usable', async () => {
  const client = openClient(kit);
  const lock = client.getLock(freshName());
  await expect(lock.tryLock(-1)).rejects.toThrow(RangeError);
  await expect(client.close({ drainMs: -1 })).rejects.toThrow(RangeError);
  expect(await lock.withLock(() => 'inside')).toBe('inside');
});

it('the port would have been visited by a call that is right', async () => {
  const { url, visits } = await openPort();
  const client = openClient(kit, { redis: url, attemptTimeoutMs: 50 });
  await expect(client.getLock('lock').tryLock()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(visits()).toBeGreaterThan(0);
});

describe('works:', () => {
  it.each([
    ['a name of 1,024 bytes', 'é'.repeat(512)],
    ['a name of one letter', 'x'],
    ['a name of spaces', '   '],
    ['a name with line breaks and zero bytes', 'a\r\n\u0000b'],
    ['a name in other scripts', 'замок-锁-🔒'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['a name with a hash tag', 'order:{42}:pay'],
    ['a name that is a hash tag', '{42}'],
  ])('%s', async (_, name) => {
    const [client, other] = [openClient(kit), openClient(kit)];
    const lock = client.getLock(name);
    expect(lock.name).toBe(name);
    const served = await lock.withLock(async () => {
      expect(await lock.withLock(() => holdsInRedis(kit, name))).toBe(2);
      const waiting = other.getLock(name).withLock({ waitMs: 15_000 }, () => 'served');
      await expect(other.getLock(name).tryLock()).resolves.toBe(false);
      return { waiting };
    });
    expect(await served.waiting).toBe('served');
    expect(await client.inspect(name)).toMatchObject({ name, owner: undefined, queue: [] });
  });

  it.each([
    ['the longest lease', { leaseMs: 2 ** 31 }],
    ['the longest wait', { waitMs: 2 ** 31 }],
    ['the longest maxHoldMs', { maxHoldMs: 2 ** 31 }],
    ['options that are there but undefined', { waitMs: undefined, leaseMs: undefined, signal: undefined }],
  ])('%s, free, contended and given up', async (_, options) => {
    const [client, other] = [openClient(kit), openClient(kit)];
    const name = freshName();
    const hold = await client.getLock(name).acquire(options as object);
    expect(await holdsInRedis(kit, name)).toBe(1);
    const stop = new AbortController();
    const given = other.getLock(name).acquire({ ...(options as object), signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    const waiting = other.getLock(name).withLock(options as object, () => 'served');
    await hold.release();
    expect(await waiting).toBe('served');
    expect(await client.getLock(name).isLocked()).toBe(false);
  });

  it.each([
    ['the longest times', { watchdogTimeoutMs: 2 ** 31, maxHoldMs: 2 ** 31, responseTimeoutMs: 2 ** 31 }],
    ['the longest attempt', { attemptTimeoutMs: 2 ** 31 }],
    ['limits as small as can be', { limits: { waiters: 2, locks: 1, depth: 1, leaseMs: 30_000 } }],
    [
      'no limits that matter',
      { limits: { waiters: 2 ** 53 - 1, locks: 2 ** 53 - 1, depth: 2 ** 53 - 1, leaseMs: 2 ** 31 } },
    ],
    ['limits that are there but undefined', { limits: { waiters: undefined, locks: undefined } }],
    ['close re-asks', { claimLeaseMs: 351, reaskMs: 100 }],
    ['the longest queue times', { claimLeaseMs: 2 ** 31, reaskMs: 2 ** 30 }],
  ])('a client with %s', async (_, options) => {
    const [client, other] = [openClient(kit, options), openClient(kit, options)];
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const waiting = other.getLock(name).withLock(() => 'served');
    expect(await other.getLock(name).tryLock()).toBe(false);
    await hold.release();
    expect(await waiting).toBe('served');
  });

  // On a machine that stands still for 100 ms it is rightly lost.
  it('the shortest lease, of a client and of a call, while time does not run away', async () => {
    const server = createTestServer();
    const [client, other] = [0, 1].map(() => createTestClient({ server, watchdogTimeoutMs: 100 })) as unknown as [
      LockClient,
      LockClient,
    ];
    for (const options of [{}, { leaseMs: 100 }]) {
      const hold = await client.getLock('x').acquire(options);
      await server.advance(60);
      const waiting = other.getLock('x').withLock(options, () => 'served');
      expect(await other.getLock('x').tryLock()).toBe(false);
      await hold.release();
      expect(await waiting).toBe('served');
    }
    await Promise.all([client.close(), other.close()]);
  });

  it.each([
    ['the longest lease', { leaseMs: 2 ** 31 }],
    ['the longest watched lease', {}],
  ])('%s, given up while its ask is on its way', async (_, options) => {
    const [client, other] = [openClient(kit, { watchdogTimeoutMs: 2 ** 31 }), openClient(kit)];
    const lock = client.getLock(freshName());
    await lock.isLocked();
    const stop = new AbortController();
    const given = lock.acquire({ ...options, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    expect(await other.getLock(lock.name).withLock({ waitMs: 15_000 }, () => 'served')).toBe('served');
  });

  it('an owner of 256 characters, and one that has colons', async () => {
    const client = openClient(kit);
    for (const owner of ['é'.repeat(256), 'host:1:worker:7']) {
      const name = freshName();
      const mine = client.getLock(name, { owner });
      await mine.lock();
      expect(await mine.tryLock()).toBe(true);
      expect(await client.inspect(name)).toMatchObject({ owner: { kind: 'this-client', holdCount: 2 } });
      await mine.unlock();
      await mine.unlock();
    }
  });
});

describe('what is to be run and is no function is refused by its method, with what it got', () => {
  it.each([
    ['client.run', (client: LockClient, fn: never) => client.run(fn)],
    ['client.exit', (client: LockClient, fn: never) => client.exit(fn)],
    ['withLock', (client: LockClient, fn: never) => client.getLock(freshName()).withLock(fn)],
    ['tryWithLock', (client: LockClient, fn: never) => client.getLock(freshName()).tryWithLock({}, fn)],
    ['hold.run', async (client: LockClient, fn: never) => (await client.getLock(freshName()).acquire()).run(fn)],
    ['hold.run', async (client: LockClient, fn: never) => (await client.getMultiLock([freshName()]).acquire()).run(fn)],
  ])('%s', async (method, call) => {
    const client = openClient(kit);
    for (const [fn, got] of [
      [5, 'number'],
      [null, 'null'],
      [undefined, 'undefined'],
    ]) {
      const refused = async () => call(client, fn as never);
      await expect(refused()).rejects.toThrow(new TypeError(`${method} needs a function to run, got ${got}`));
    }
  });
});

it('the constructor of clients says by what they are made', () => {
  const Made = LockClient as unknown as new (options: LockClientOptions) => LockClient;
  expect(() => new Made({ redis: 'redis://localhost' })).toThrow(
    new TypeError('clients are made by createLockClient(), not by new'),
  );
});

it('a function in place of options is said to be misplaced only where one is run', () => {
  const refused = /^(replicas|limits): options must be a plain object, got function$/;
  for (const option of ['replicas', 'limits'])
    expect(() => createLockClient({ redis: kit.server.url, [option]: () => 1 })).toThrow(refused);
});

it('options behind the function are told where they belong', async () => {
  const lock = openClient(kit).getLock(freshName());
  const swapped = lock.withLock(wrong(nothing), wrong({ waitMs: 10 }));
  await expect(swapped).rejects.toThrow(
    'withLock: options must be a plain object, got function: the function to run comes last',
  );
});

it.each([
  ['an AbortSignal', AbortSignal.timeout(1), 'AbortSignal'],
  ['a Date', new Date(), 'Date'],
  ['a Map', new Map([['waitMs', 10]]), 'Map'],
])('%s in place of options is refused, and not passed over', async (_, given, tag) => {
  const client = openClient(kit);
  const lock = client.getLock(freshName());
  const calls = [lock.acquire(wrong(given)), lock.lock(wrong(given)), lock.withLock(wrong(given), nothing)];
  for (const call of [
    ...calls,
    client.connect(wrong(given)),
    client.getSemaphore('x', { permits: 1 }).acquire(1, wrong(given)),
  ])
    await expect(call).rejects.toThrow(`options must be a plain object, got [object ${tag}]`);
});

describe('what cannot be is said with its call and its option:', () => {
  it.each<readonly [string, (client: LockClient) => unknown]>([
    ['acquire: waitMs must', (client) => client.getLock('x').acquire({ waitMs: -1 })],
    ['lock: leaseMs must be a number of milliseconds, got string', (client) => client.getLock('x').lock(wrong('30s'))],
    ['lock: leaseMs must be a number of milliseconds, got bigint', (client) => client.getLock('x').lock(wrong(5_000n))],
    [
      'acquire: unknown option "wait"; known: leaseMs, signal, maxHoldMs, waitMs, minHoldMs',
      (client) => client.getLock('x').acquire(wrong({ wait: 5 })),
    ],
    ['tryLock: leaseMs must', (client) => client.getLock('x').tryLock(0, 5)],
    ['withLock: maxHoldMs must', (client) => client.getLock('x').withLock({ maxHoldMs: 5 }, nothing)],
    [
      'tryAcquire: minHoldMs must be at most leaseMs or maxHoldMs, 500, not 600',
      (client) => client.getLock('x').tryAcquire({ leaseMs: 500, minHoldMs: 600 }),
    ],
    ['campaign: waitMs must', (client) => client.election('x').campaign({ waitMs: -1 })],
    ['await: waitMs must', (client) => client.getCountDownLatch('x').await(-1)],
    ['tryAcquire: permits must', (client) => client.getSemaphore('x').tryAcquire(0)],
    ['getSemaphore: permits must', (client) => client.getSemaphore('x', { permits: 0 })],
    ['extend: ms must', async (client) => (await client.getLock('x').acquire()).extend(5)],
    ['trySetPermits: permits must', (client) => client.getSemaphore('x').trySetPermits(-1)],
    ['trySetPermits: ttlMs must', (client) => client.getSemaphore('x').trySetPermits(1, 0)],
    ['addPermits: permits must', (client) => client.getSemaphore('x').addPermits(0.5)],
    ['setPermits: permits must', (client) => client.getPermitExpirableSemaphore('x').setPermits(-1)],
    ['release: permits must', (client) => client.getSemaphore('x').release(0)],
    [
      'release: permits must',
      async (client) => {
        const pool = client.getSemaphore('x', { permits: 2 });
        await (await pool.acquire(2)).release(3);
      },
    ],
    ['acquire: leaseMs must', (client) => client.getPermitExpirableSemaphore('x').acquire(5)],
    ['acquire: permits must', (client) => client.getPermitExpirableSemaphore('x').acquireMany(0)],
    ['updateLeaseTime: leaseMs must', (client) => client.getPermitExpirableSemaphore('x').updateLeaseTime('a:1', 5)],
    ['trySetCount: count must', (client) => client.getCountDownLatch('x').trySetCount(0)],
    ['countDown: by must', (client) => client.getCountDownLatch('x').countDown({ by: '' })],
    ...(['getLock', 'getFairLock', 'getSpinLock', 'getReadWriteLock'] as const).map(
      (method) => [`${method}: owner must`, (client: LockClient) => client[method]('x', { owner: '' })] as const,
    ),
    ['campaign: id must', (client) => client.election('x').campaign({ id: '' })],
    ['connect: timeoutMs must', (client) => client.connect({ timeoutMs: 0 })],
    ['close: drainMs must', (client) => client.close({ drainMs: -1 })],
    [
      'guard.set: ttlMs must',
      async (client) => (await client.getFencedLock('x').acquire()).guard.set('y', 'z', { ttlMs: 0 }),
    ],
    ...['ttlMs', 'maxBytes', 'errorTtlMs', 'waitMs'].map(
      (option) =>
        [
          `share: ${option} must`,
          (client: LockClient) => client.share('x', { ttlMs: 5, fn: nothing, [option]: -1 }),
        ] as const,
    ),
    ['oncePer: periodMs must', (client) => client.oncePer('x', 5, nothing)],
    ['oncePer: afterError must', (client) => client.oncePer('x', 500, nothing, { afterError: wrong('never') })],
    [
      'oncePer(name, periodMs, fn, options) needs a function to run, got object',
      (client) => client.oncePer('x', 500, wrong({}), wrong(nothing)),
    ],
  ])('%s', async (words, call) => {
    const client = createTestClient();
    kit.cleanup(() => client.close());
    await expect(eventually(() => call(client))).rejects.toThrow(words);
  });
});
