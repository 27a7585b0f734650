/* oxlint-disable unicorn/no-thenable -- that is what is tested */
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient, RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { Gate } from '../support/room.js';

const kit = useRedis();

/** Work that begins when somebody asks for its result: a query of a query builder. Its `then` returns nothing, as the standard allows. */
class Lazy<T> implements PromiseLike<T> {
  reads = 0;
  calls = 0;
  readonly #work: () => Promise<T>;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  get then(): PromiseLike<T>['then'] {
    this.reads++;
    const start = (resolve: (value: T) => void, reject: (reason: unknown) => void): void => {
      this.calls++;
      void this.#work().then(resolve, reject);
    };
    return start as unknown as PromiseLike<T>['then'];
  }
}

/** The lazy promises there are extend Promise: `await` calls their own `then`. */
class LazyPromise<T> extends Promise<T> {
  calls = 0;
  readonly #work: () => Promise<T>;

  constructor(work: () => Promise<T>) {
    super(() => undefined);
    this.#work = work;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  override then<A = T, B = never>(
    onValue?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.calls++;
    return this.#work().then(onValue, onError);
  }
}

interface Ground {
  readonly client: LockClient;
  readonly lock: RLock;
  readonly hold: Hold;
}

/** Every method that runs a function and tells what came of it. */
const sections = {
  withLock: ({ lock }, fn) => lock.withLock(fn),
  tryWithLock: async ({ lock }, fn) => {
    const result = await lock.tryWithLock({}, fn);
    return result.ran ? result.value : 'busy';
  },
} satisfies Record<string, (ground: Ground, fn: () => unknown) => Promise<unknown>>;
const runs = {
  'client.run': ({ client }, fn) => client.run(fn),
  'hold.run': ({ hold }, fn) => hold.run(fn),
  'client.exit': ({ client }, fn) => client.exit(fn),
} satisfies Record<string, (ground: Ground, fn: () => unknown) => unknown>;
const methods: [method: string, call: (ground: Ground, fn: () => unknown) => unknown][] = [
  ...Object.entries(sections),
  ...Object.entries(runs),
];

/** `hold` is of another lock. */
async function setUp(): Promise<Ground> {
  const client = openClient(kit);
  const hold = await client.getLock(freshName()).acquire();
  return { client, lock: client.getLock(freshName()), hold };
}

describe('what a function returns is treated as await treats it', () => {
  it.each(methods)('%s waits for a thenable whose `then` returns nothing', async (_, call) => {
    const ground = await setUp();
    const done = new Gate();
    let settled = false;
    const result = Promise.resolve(call(ground, () => new Lazy(() => done.opened.then(() => 'done')))).finally(() => {
      settled = true;
    });
    // A command of its own there and back: whoever does not wait has settled by now.
    await ground.client.getLock(freshName()).isLocked();
    expect(settled).toBe(false);
    done.open();
    expect(await result).toBe('done');
  });

  it.each(methods)('%s reads and calls the `then` of a thenable once', async (_, call) => {
    const lazy = new Lazy(async () => 'done');
    expect(await call(await setUp(), () => lazy)).toBe('done');
    expect([lazy.reads, lazy.calls]).toEqual([1, 1]);
  });

  it.each(methods)('%s calls the `then` of a class that extends Promise once', async (_, call) => {
    const lazy = new LazyPromise(async () => 'done');
    expect(await call(await setUp(), () => lazy)).toBe('done');
    expect(lazy.calls).toBe(1);
  });

  it.each(methods)(
    '%s rejects with what a thenable rejects with, throws, or throws when asked for `then`',
    async (_, call) => {
      const ground = await setUp();
      const failure = new Error('no');
      const fail = () => {
        throw failure;
      };
      const broken = [
        new Lazy(() => Promise.reject(failure)),
        { then: fail },
        Object.defineProperty({}, 'then', { get: fail }),
      ];
      for (const thenable of broken) {
        // An async function would turn a throw into a rejection.
        const result = call(ground, () => thenable);
        await expect(result).rejects.toBe(failure);
      }
    },
  );

  it.each(methods)('%s goes by what a thenable says first', async (_, call) => {
    const chatty = {
      then(resolve: (value: unknown) => void, reject: (reason: unknown) => void) {
        resolve('first');
        reject(new Error('second'));
        throw new Error('third');
      },
    };
    expect(await call(await setUp(), () => chatty)).toBe('first');
  });

  it.each(Object.entries(runs))('%s returns at once what is no thenable', async (_, call) => {
    const ground = await setUp();
    for (const value of [undefined, null, 0, 'text', {}, { then: 'later' }, () => 1]) {
      const result = call(ground, () => value);
      expect(result).toBe(value);
    }
  });
});

describe('the object of a generator function, whose body would run outside, is refused', () => {
  const refused: [method: string, call: (ground: Ground, fn: () => unknown) => unknown][] = [
    ...methods,
    ['withLock of a multi-lock', ({ client, lock }, fn) => client.getMultiLock([lock, freshName()]).withLock(fn)],
    [
      'hold.run of a multi-lock',
      async ({ client }, fn) => (await client.getMultiLock([freshName()]).acquire()).run(fn),
    ],
    [
      'withPermits',
      async ({ client }, fn) => {
        const pool = client.getSemaphore(freshName());
        await pool.trySetPermits(1, 60_000);
        return pool.withPermits(fn);
      },
    ],
    ['oncePer', ({ client }, fn) => client.oncePer(freshName(), 1_000, fn)],
    ['share', ({ client }, fn) => client.share(freshName(), { ttlMs: 1_000, fn })],
    ['campaign', ({ client }, fn) => client.election(freshName()).campaign(fn)],
  ];

  it.each(refused)('by %s', async (_, call) => {
    const ground = await setUp();
    let ran = false;
    function* work() {
      ran = true;
      yield 1;
    }
    const asyncWork = async function* () {
      yield* work();
    };
    for (const fn of [work, asyncWork])
      await expect((async () => call(ground, fn))()).rejects.toThrow(/^The function returned a generator/);
    expect(ran).toBe(false);
    expect(await ground.lock.isLocked()).toBe(false);
  });

  it.each(refused.filter(([method]) => method !== 'client.exit'))(
    'by %s, when a promise resolves with it',
    async (_, call) => {
      const ground = await setUp();
      const ran: string[] = [];
      function* work() {
        ran.push('work');
        yield 1;
      }
      async function* asyncWork() {
        yield* work();
      }
      for (const fn of [async () => work(), async () => asyncWork(), () => new Lazy(async () => work())])
        await expect((async () => call(ground, fn))()).rejects.toThrow(/^The function returned a generator/);
      expect(ran).toEqual([]);
      expect(await ground.lock.isLocked()).toBe(false);
    },
  );

  it.each(methods)('and %s hands on other iterables, which are meant', async (_, call) => {
    const ground = await setUp();
    for (const value of [[1].values(), { [Symbol.asyncIterator]: () => ground.client.listLocks() }])
      for (const fn of [() => value, async () => value]) expect(await call(ground, fn)).toBe(value);
  });
});

describe('a lazy thenable works where it was returned', () => {
  it.each(Object.entries(sections))('inside the section of %s', async (_, call) => {
    const ground = await setUp();
    const { lock } = ground;
    expect(await call(ground, () => new Lazy(() => lock.getHoldCount()))).toBe(1);
    expect(await call(ground, async () => new Lazy(() => lock.getHoldCount()))).toBe(1);
    expect(await call(ground, () => new LazyPromise(() => lock.getHoldCount()))).toBe(1);
    expect(await lock.isLocked()).toBe(false);
  });

  it('inside the section also when it is what another one resolves with', async () => {
    const { lock } = await setUp();
    const inner = new Lazy(() => lock.getHoldCount());
    const outer = new Lazy(async () => 'not used');
    Object.defineProperty(outer, 'then', { value: (resolve: (value: unknown) => void) => resolve(inner) });
    expect(await lock.withLock(() => outer)).toBe(1);
  });

  it('inside the thread of client.run', async () => {
    const { client, lock } = await setUp();
    const counted = client.run(() => {
      return new Lazy(async () => {
        await lock.lock();
        await lock.lock();
        const count = await lock.getHoldCount();
        await lock.unlock();
        await lock.unlock();
        return count;
      });
    });
    expect(await counted).toBe(2);
  });

  it('inside the hold of hold.run', async () => {
    const { client, hold } = await setUp();
    expect(await hold.run(() => new Lazy(() => client.getLock(hold.name).getHoldCount()))).toBe(1);
  });

  it('outside all scopes in client.exit', async () => {
    const { client, lock } = await setUp();
    const tried = await lock.withLock(() => client.exit(() => new Lazy(() => lock.tryLock())));
    expect(tried).toBe(false);
  });
});
