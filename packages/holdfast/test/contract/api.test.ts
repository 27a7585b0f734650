import { inspect } from 'node:util';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as holdfast from 'holdfast';
import type {
  AcquireOptions,
  AnyLockError,
  CampaignOptions,
  CloseOptions,
  ConnectOptions,
  Hold,
  LimitOptions,
  LockClient,
  LockClientEvents,
  LockClientOptions,
  LockErrorCode,
  LockInspection,
  LockLostReason,
  OncePerOptions,
  RedLockClientOptions,
  RLock,
  TryResult,
} from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

/** Called with true, compiles only when each type fits the other; the file is checked by tsc. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
const same = <A, B>(verdict: Same<A, B>): boolean => verdict;

const membersOf = (prototype: object): (string | symbol)[] =>
  prototype === Object.prototype
    ? []
    : [
        ...Reflect.ownKeys(prototype).filter((key) => key !== 'constructor'),
        ...membersOf(Object.getPrototypeOf(prototype) as object),
      ];

describe('the public surface is', () => {
  it('these exports', () => {
    expect(Object.keys(holdfast).sort()).toEqual([
      'LockClient',
      'LockClientClosedError',
      'LockDeadlockError',
      'LockError',
      'LockLimitError',
      'LockLostError',
      'LockNodesError',
      'LockNotHeldError',
      'LockNotReplicatedError',
      'LockRefusedError',
      'LockScopeError',
      'LockTimeoutError',
      'LockUnavailableError',
      'LockUpgradeError',
      'SharedFailureError',
      'StaleTokenError',
      'createLockClient',
      'createRedLockClient',
    ]);
  });

  it('a class of clients, to tell one by and to inject one by', () => {
    const client = openClient(kit);
    expect(client).toBeInstanceOf(holdfast.LockClient);
    expect(client.constructor).toBe(holdfast.LockClient);
    expect(holdfast.LockClient.name).toBe('LockClient');
    // @ts-expect-error clients are made by createLockClient
    const withOptions = () => new holdfast.LockClient({ redis: '' });
    // @ts-expect-error clients are made by createLockClient
    const withNothing = () => new holdfast.LockClient();
    for (const make of [withOptions, withNothing])
      expect(make).toThrow(new TypeError('clients are made by createLockClient(), not by new'));
  });

  it('a class of clients that containers take for a token: of Nest, Inversify, tsyringe and typedi', () => {
    // oxlint-disable-next-line no-explicit-any -- the containers declare the parameters of a class as any
    type Any = any;
    const asNewable: new (...args: Any[]) => LockClient = holdfast.LockClient;
    const asAbstract: abstract new (...args: Any[]) => LockClient = holdfast.LockClient;
    expect(asNewable).toBe(asAbstract);
  });

  it('these members of a client', () => {
    const client = openClient(kit);
    expect(Object.keys(client)).toEqual(['clientId']);
    expect(new Set(membersOf(Object.getPrototypeOf(client) as object))).toEqual(
      new Set([
        'getLock',
        'getFencedLock',
        'share',
        'getFairLock',
        'getSpinLock',
        'troubleWith',
        'getReadWriteLock',
        'getSemaphore',
        'getPermitExpirableSemaphore',
        'getMultiLock',
        'getCountDownLatch',
        'election',
        'oncePer',
        'run',
        'exit',
        'inspect',
        'listLocks',
        'stats',
        'on',
        'once',
        'off',
        'connect',
        'ready',
        'close',
        Symbol.asyncDispose,
        Symbol.for('holdfast.client'),
      ]),
    );
  });

  it('these members of a lock', () => {
    const lock = openClient(kit).getLock('lock');
    expect(Object.keys(lock)).toEqual(['name']);
    expect(new Set(membersOf(Object.getPrototypeOf(lock) as object))).toEqual(
      new Set([
        ...['lock', 'tryLock', 'unlock', 'acquire', 'tryAcquire', 'withLock', 'tryWithLock'],
        ...['isLocked', 'isHeldByCurrentScope', 'getHoldCount', 'remainTimeToLive', 'forceUnlock'],
      ]),
    );
  });

  it('these members of a hold', async () => {
    await using hold = await openClient(kit).getLock(freshName()).acquire();
    expect(Object.keys(hold)).toEqual([]);
    expect(new Set(membersOf(Object.getPrototypeOf(hold) as object))).toEqual(
      new Set<string | symbol>([
        ...['name', 'signal', 'inherited', 'state', 'remainingMs', 'assertHeld', 'run', 'extend', 'release'],
        Symbol.asyncDispose,
        inspect.custom,
      ]),
    );
  });

  it('two clients that never have the same id', () => {
    const ids = Array.from({ length: 100 }, () => openClient(kit).clientId);
    expect(new Set(ids).size).toBe(100);
  });
});

describe('an option that is undefined is one that is left out', () => {
  const all = <T extends object>(options: { readonly [K in keyof Required<T>]: undefined }) => options;
  const call = { waitMs: undefined, leaseMs: undefined, signal: undefined, maxHoldMs: undefined };

  it('of a client', async () => {
    const ofBoth = {
      ...{ prefix: undefined, watchdogTimeoutMs: undefined, maxHoldMs: undefined, heldWarnMs: undefined },
      ...{ attemptTimeoutMs: undefined, responseTimeoutMs: undefined, claimLeaseMs: undefined, reaskMs: undefined },
      ...{ limits: undefined, deadlocks: undefined, strictScopes: undefined, releaseOnScopeEnd: undefined },
    };
    const more = { clientName: undefined, meta: undefined, wakeup: undefined, tokens: undefined, replicas: undefined };
    const client = openClient(kit, all<Omit<LockClientOptions, 'redis'>>({ ...ofBoth, ...more }));
    expect(await client.getLock(freshName()).withLock(() => 'ran')).toBe('ran');
    await client.connect(all<ConnectOptions>({ timeoutMs: undefined, signal: undefined }));
    await client.close(all<CloseOptions>({ drainMs: undefined }));
    const ofNodes = {
      nodeTimeoutMs: undefined,
      minValidityMs: undefined,
      longestLeaseMs: undefined,
      durable: undefined,
    };
    const nodes = [1, 2, 3].map((port) => `redis://127.0.0.1:${port}`);
    const options = all<Omit<RedLockClientOptions, 'nodes'>>({ ...ofBoth, ...ofNodes });
    await holdfast.createRedLockClient({ ...options, nodes }).close();
    const limits = all<LimitOptions>({ waiters: undefined, locks: undefined, depth: undefined, leaseMs: undefined });
    openClient(kit, { limits, replicas: { min: 1, timeoutMs: undefined } });
  });

  it('of a lock, of a call, and of what is no lock', async () => {
    const client = openClient(kit);
    const name = freshName();
    const options = all<AcquireOptions>({ ...call, minHoldMs: undefined });
    const exponential = { kind: 'exponential', initialMs: undefined, maxMs: undefined } as const;
    const readWrite = client.getReadWriteLock(name, { owner: undefined, writersFirst: undefined });
    const spins = [exponential, { kind: 'constant', delayMs: undefined } as const, undefined].map((backOff) =>
      client.getSpinLock(name, { owner: undefined, backOff, maxAttempts: undefined }),
    );
    const multi = client.getMultiLock([name]);
    for (const lock of [client.getLock(name, { owner: undefined }), multi, readWrite.readLock(), ...spins]) {
      expect(await lock.withLock(options, () => 'ran')).toBe('ran');
      expect(await lock.tryLock(undefined, undefined, { signal: undefined })).toBe(true);
      await lock.unlock();
    }
    const once = await client.oncePer(freshName(), 100, () => 'ran', all<OncePerOptions>({ afterError: undefined }));
    expect(once).toEqual({ ran: true, value: 'ran' });
    const ofShare = { codec: undefined, maxBytes: undefined, errorTtlMs: undefined, waitMs: undefined };
    const shared = client.share(freshName(), { ...ofShare, signal: undefined, ttlMs: 1, fn: () => 'made' });
    expect(await shared).toBe('made');
    const campaign = all<CampaignOptions>({ id: undefined, waitMs: undefined, signal: undefined });
    await (await client.election(freshName()).campaign(campaign)).resign();
    const latch = client.getCountDownLatch(freshName());
    expect(await latch.await(0, { signal: undefined })).toBe(true);
    expect(await latch.countDown({ by: undefined })).toBe(0);
    const pool = client.getSemaphore(freshName(), { permits: undefined });
    await pool.trySetPermits(1, 60_000);
    expect(await pool.withPermits({ ...call, permits: undefined }, (hold) => hold.permits)).toBe(1);
    for await (const _ of client.listLocks({ match: undefined, limit: undefined })) break;
  });
});

describe('errors', () => {
  const { LockError, ...classes } = {
    LockError: holdfast.LockError,
    LockTimeoutError: holdfast.LockTimeoutError,
    LockLostError: holdfast.LockLostError,
    LockNotHeldError: holdfast.LockNotHeldError,
    LockScopeError: holdfast.LockScopeError,
    LockUnavailableError: holdfast.LockUnavailableError,
    LockRefusedError: holdfast.LockRefusedError,
    LockNotReplicatedError: holdfast.LockNotReplicatedError,
    LockLimitError: holdfast.LockLimitError,
    LockNodesError: holdfast.LockNodesError,
    LockClientClosedError: holdfast.LockClientClosedError,
    StaleTokenError: holdfast.StaleTokenError,
    SharedFailureError: holdfast.SharedFailureError,
  };
  const samples = [
    [
      new holdfast.LockTimeoutError('lock', 20),
      'LOCK_TIMEOUT',
      classes.LockTimeoutError,
      { waitedMs: 20, found: 'busy' },
    ],
    [new holdfast.LockLostError('lock', 'expired'), 'LOCK_LOST', classes.LockLostError, { reason: 'expired' }],
    [new holdfast.LockNotHeldError('lock', 'this handle'), 'LOCK_NOT_HELD', classes.LockNotHeldError, {}],
    [new holdfast.LockScopeError('no', 'lock'), 'LOCK_SCOPE', classes.LockScopeError, {}],
    [new holdfast.LockUnavailableError('no', 'lock'), 'LOCK_UNAVAILABLE', classes.LockUnavailableError, {}],
    [new holdfast.LockRefusedError('lock', 'OOM'), 'LOCK_REFUSED', classes.LockRefusedError, { redisCode: 'OOM' }],
    [
      new holdfast.LockNotReplicatedError('lock', 2, 1),
      'LOCK_NOT_REPLICATED',
      classes.LockNotReplicatedError,
      { required: 2, confirmed: 1 },
    ],
    [
      new holdfast.LockLimitError('lock', 'depth', 1_000),
      'LOCK_LIMIT',
      classes.LockLimitError,
      { limit: 'depth', value: 1_000 },
    ],
    [new holdfast.LockNodesError('two are one', 'lock'), 'LOCK_NODES', classes.LockNodesError, {}],
    [new holdfast.LockClientClosedError('lock'), 'LOCK_CLIENT_CLOSED', classes.LockClientClosedError, {}],
    [
      new holdfast.SharedFailureError('lock', 'TypeError', 'no'),
      'LOCK_SHARED_FAILURE',
      classes.SharedFailureError,
      { failureName: 'TypeError', failureMessage: 'no' },
    ],
    [
      new holdfast.StaleTokenError('lock', 'data', 7, 9),
      'LOCK_STALE_TOKEN',
      classes.StaleTokenError,
      { key: 'data', token: 7, laterToken: 9 },
    ],
  ] as const;

  it.each(samples)('%p has code %s, is a LockError and an Error, and of no other family', (error, code, own, rest) => {
    expect(error).toMatchObject({ code, lockName: 'lock', name: own.name, ...rest });
    expect(error).toBeInstanceOf(Error);
    expect(error instanceof LockError).toBe(true);
    expect(Object.values(classes).filter((each) => error instanceof each)).toEqual([own]);
    expect(Object.keys(classes)).toHaveLength(samples.length);
  });

  it.each(Object.entries({ LockError, ...classes }))(
    '%s is called so, whatever a bundler made of the class',
    (name, type) => {
      expect(type.name).toBe(name);
      expect(type.prototype.name).toBe(name);
    },
  );

  it.each(samples)('%p begins with its name: as a text, in its stack, when inspected', (error, _code, type, _rest) => {
    const [name] = Object.entries(classes).find(([, each]) => each === type) ?? [];
    for (const text of [String(error), error.stack, inspect(error)]) expect(text).toMatch(new RegExp(`^${name}: `));
    expect(Object.keys(error)).not.toContain('name');
  });

  it('of another copy of the library are recognised; other errors with their codes are not', () => {
    const foreign = Object.assign(new Error('lost'), { code: 'LOCK_LOST', [Symbol.for('holdfast.error')]: true });
    expect(foreign instanceof LockError).toBe(true);
    expect(foreign instanceof classes.LockLostError).toBe(true);
    expect(foreign instanceof classes.LockTimeoutError).toBe(false);
    for (const other of [
      Object.assign(new Error('lost'), { code: 'LOCK_LOST' }),
      new Error(''),
      null,
      undefined,
      'lost',
    ]) {
      expect((other as unknown) instanceof LockError).toBe(false);
      expect((other as unknown) instanceof classes.LockLostError).toBe(false);
    }
  });

  it('narrow by code, as one of all there are, behind instanceof', () => {
    const told = (error: unknown) => {
      if (!(error instanceof LockError)) return undefined;
      switch (error.code) {
        case 'LOCK_LOST':
          return error.reason;
        case 'LOCK_TIMEOUT':
          return error.waitedMs;
        case 'LOCK_REFUSED':
          return error.redisCode;
        default:
          return error.code;
      }
    };
    expect(samples.slice(0, 3).map(([error]) => told(error))).toEqual([20, 'expired', 'LOCK_NOT_HELD']);
    expect(same<AnyLockError['code'], LockErrorCode>(true)).toBe(true);
  });

  it('of a class that an application derives are of that class to the compiler as well', () => {
    class Mine extends LockError {
      readonly code = 'LOCK_SCOPE';
      readonly order = 7;
    }
    const told = (error: unknown) => (error instanceof Mine ? error.order : undefined);
    expect([told(new Mine('mine')), told(new holdfast.LockScopeError('no', 'lock'))]).toEqual([7, undefined]);
    const lost = (error: unknown) => (error instanceof holdfast.LockLostError ? error.reason : undefined);
    expect(lost(new holdfast.LockLostError('lock', 'expired'))).toBe('expired');
  });

  it('of a class that an application derives are of ours too, and ours are none of that class', () => {
    class OrderLost extends holdfast.LockLostError {
      readonly order = 7;
    }
    class OtherLost extends OrderLost {}
    const ours = new holdfast.LockLostError('lock', 'taken');
    const derived = new OrderLost('lock', 'taken');
    const families = [LockError, classes.LockLostError, classes.LockTimeoutError, OrderLost, OtherLost];
    const familiesOf = (error: unknown) => families.filter((each) => error instanceof each);
    expect(familiesOf(ours)).toEqual([LockError, classes.LockLostError]);
    expect(familiesOf(derived)).toEqual([LockError, classes.LockLostError, OrderLost]);
  });

  it('name the lock and what happened, and the code is not shown twice', () => {
    expect(samples.map(([error]) => error.message).slice(0, 3)).toEqual([
      'Lock "lock" stayed busy for 20 ms: client.inspect() tells who has it',
      'Lock "lock" was lost: expired (its lease ran out before it was released)',
      'Lock "lock" is not held by this handle',
    ]);
  });

  it('keep the cause', () => {
    const cause = new Error('ECONNREFUSED');
    expect(new holdfast.LockUnavailableError('no', 'lock', { cause }).cause).toBe(cause);
  });

  it('of Redis itself arrive with its code, and a cause without the arguments of the command', async () => {
    const name = freshName();
    await kit.admin.set(name, 'a string', 'PX', 10_000);
    const error = await failureOf(openClient(kit).getLock(name).lock());
    expect(error).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOTALOCK', lockName: name });
    expect(Object.keys((error as Error).cause as object)).not.toContain('command');
    await kit.admin.del(name);
  });
});

describe('a hold', () => {
  it('is an AsyncDisposable: the end of its block releases it, also by an error', async () => {
    const lock = openClient(kit).getLock(freshName());
    const block = async () => {
      await using hold = await lock.acquire();
      expect(hold.state).toBe('held');
      throw new Error('work failed');
    };
    await expect(block()).rejects.toThrow('work failed');
    expect(await lock.isLocked()).toBe(false);
  });

  it('that was lost makes the end of its block throw', async () => {
    const lock = openClient(kit).getLock(freshName());
    const block = async () => {
      await using _hold = await lock.acquire();
      await lock.forceUnlock();
    };
    await expect(block()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
  });

  it('that was lost never hides the error of its block', async () => {
    const lock = openClient(kit).getLock(freshName());
    const block = async () => {
      await using _hold = await lock.acquire();
      await lock.forceUnlock();
      throw new Error('work failed');
    };
    const error = await failureOf(block());
    expect(error).toMatchObject({ name: 'SuppressedError', suppressed: { message: 'work failed' } });
  });
});

it('types: overloads and results are what the documents say', async () => {
  const compiles = async (client: LockClient, lock: RLock, hold: Hold, options: AcquireOptions) => {
    same<Awaited<ReturnType<RLock['acquire']>>, Hold>(true);
    same<Awaited<ReturnType<RLock['tryAcquire']>>, Hold | null>(true);
    const number = await lock.withLock(() => 1);
    same<typeof number, number>(true);
    const text = await lock.withLock({ waitMs: 5 }, async ({ signal }) => String(signal.aborted));
    same<typeof text, string>(true);
    const tried = await lock.tryWithLock(options, () => 1);
    same<typeof tried, TryResult<number>>(true);
    const attempt = await lock.tryWithLock(() => 1);
    same<typeof attempt, TryResult<number>>(true);
    if (tried.ran) same<typeof tried.value, number>(true);
    const outcome = client.run(() => 1);
    same<typeof outcome, number>(true);
    const later = client.run(async () => 'x');
    same<typeof later, Promise<string>>(true);
    const query: PromiseLike<number> = Promise.resolve(1);
    const queried = client.run(() => query);
    same<typeof queried, Promise<number>>(true);
    const inside = hold.run(() => 1n);
    same<typeof inside, bigint>(true);
    same<holdfast.LockError['code'], LockErrorCode>(true);
    same<holdfast.LockLostError['reason'], LockLostReason>(true);
    type Event =
      | 'lost'
      | 'suspect'
      | 'leak'
      | 'held-long'
      | 'self-wait'
      | 'deadlock'
      | 'foreign-owner'
      | 'unsafe-setting'
      | 'error';
    same<keyof LockClientEvents, Event>(true);
    same<LockInspection['queue'][number]['thisClient'], boolean>(true);
    client.on('lost', ({ name, error }) => {
      same<typeof name, string>(true);
      same<typeof error, holdfast.LockLostError>(true);
    });
    await lock.lock(1_000);
    await lock.lock({ leaseMs: 1_000, signal: AbortSignal.timeout(5) });
    // @ts-expect-error lock() waits without limit
    await lock.lock({ waitMs: 5 });
    // @ts-expect-error times are numbers
    await lock.tryLock('5');
    // @ts-expect-error no boolean parameters
    await lock.acquire(true);
    // @ts-expect-error read-only
    lock.name = 'another';
    // @ts-expect-error no such event
    client.on('losst', () => undefined);
    // @ts-expect-error the state is not the user's to set
    hold.state = 'held';
    // @ts-expect-error no option of that name
    holdfast.createLockClient({ redis: '', watchdogTimeout: 5 });
  };
  expect(compiles).toBeInstanceOf(Function);
});
