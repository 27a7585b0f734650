/** Each row of the tables in docs/moving: run as it was, with the package that it comes from, and as it is with holdfast, on one server. */
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { Redisson } from 'node-redisson';
import { MultiSemaphore, Mutex, Semaphore, TimeoutError } from 'redis-semaphore';
import Redlock4 from 'redlock4';
import Redlock5 from 'redlock5';
import { freshName, openClient } from '../support/clients.js';
import { type GuideRow, guideOf, runCode, unlock } from './guide.js';

const kit = useRedis();

/** What the code of a guide finds there. */
type Names = Readonly<Record<string, unknown>>;

/** The package that a guide comes from. */
interface Before {
  readonly open: (redis: Redis) => Names;
  /** Somebody else takes the lock of this name. Resolves with how it is given back. */
  readonly take: (names: Names, taken: string) => Promise<() => Promise<unknown>>;
  readonly options?: Partial<LockClientOptions>;
}

interface Locks {
  acquire(names: string[], ms: number): Promise<{ release(): Promise<unknown> }>;
  lock(name: string, ms: number): Promise<{ unlock(): Promise<unknown> }>;
}

const redlock5: Before = {
  open(redis) {
    const redlock = new Redlock5([redis], { retryCount: 10, retryDelay: 200, retryJitter: 200 });
    redlock.on('error', () => undefined);
    return { redlock };
  },
  take: async ({ redlock }, taken) => {
    const lock = await (redlock as Locks).acquire([taken], 60_000);
    return () => lock.release();
  },
};
const redlock4: Before = {
  open: (redis) => ({ redlock: new Redlock4([redis], { retryCount: 0 }) }),
  take: async ({ redlock }, taken) => {
    const lock = await (redlock as Locks).lock(taken, 60_000);
    return () => lock.unlock();
  },
};
const redisSemaphore: Before = {
  open: () => ({ MultiSemaphore, Mutex, Semaphore, TimeoutError }),
  take: async ({ redis }, taken) => {
    const mutex = new Mutex(redis as Redis, taken, { refreshInterval: 0, lockTimeout: 60_000 });
    await mutex.acquire();
    return () => mutex.release();
  },
  options: { prefix: 'lock:' },
};
const nodeRedisson: Before = {
  open({ options: { host = '', port = 0 } }) {
    const redisson = new Redisson({ redis: { options: { host, port, disconnectTimeout: 50 } } });
    kit.cleanup(() => redisson.quit());
    return { redisson };
  },
  take: async ({ redisson }, taken) => {
    const lock = (redisson as Redisson).getLock(taken);
    // Renewed by itself it would be renewed after forceUnlock too.
    await lock.lock(60_000n);
    return () => lock.unlock().catch(() => undefined);
  },
  options: { wakeup: 'redisson' },
};

const byHand: Before = {
  open: () => ({ unlock }),
  take: async ({ redis }, taken) => {
    await (redis as Redis).set(taken, 'theirs', 'PX', 60_000, 'NX');
    return () => (redis as Redis).eval(unlock, 1, taken, 'theirs');
  },
};

function common(): Names & { redis: Redis; taken: string } {
  const redis = new Redis(kit.server.url, { disconnectTimeout: 50 });
  kit.cleanup(() => redis.disconnect());
  const quiet = { ...console, error: () => undefined };
  const work = () => Promise.resolve('done');
  return { redis, name: freshName(), a: freshName(), b: freshName(), taken: freshName(), work, console: quiet };
}

async function runBefore({ before }: GuideRow, { open, take }: Before): Promise<unknown> {
  const names = common();
  const all = { ...names, ...open(names.redis) };
  const giveBack = await take(all, names.taken);
  const value = await runCode(before, all);
  await giveBack();
  return value;
}

async function runAfter({ after }: GuideRow, options: Partial<LockClientOptions> = {}): Promise<unknown> {
  const names = common();
  const { taken } = names;
  const { prefix = '' } = options;
  const client = openClient(kit, { redis: names.redis, ...options });
  const other = await openClient(kit, options).getLock(taken).acquire();
  const value = await runCode(after, { ...names, client });
  expect(await kit.admin.exists(prefix + taken)).toBe(after.includes('forceUnlock') ? 0 : 1);
  await other.release().catch(() => undefined);
  const left = await kit.admin.exists(...['name', 'a', 'b'].map((key) => prefix + String(names[key])));
  expect(left).toBe(/Semaphore/.test(after) ? 1 : 0);
  // The permits of a semaphore stay until somebody deletes it.
  await kit.admin.flushall();
  return value;
}

describe.each<[string, readonly Before[]]>([
  ['from-redlock', [redlock5, redlock4]],
  ['from-redis-semaphore', [redisSemaphore]],
  ['from-node-redisson', [nodeRedisson]],
  ['from-set-nx', [byHand]],
])('docs/moving/%s.md', (document, packages) => {
  const tables = guideOf(document);

  it('has a table for each package that it comes from', () => {
    expect(tables).toHaveLength(packages.length);
  });

  const rows = tables.flatMap((table, index) =>
    table.map((row): [string, GuideRow, Before | undefined] => [row.what, row, packages[index]]),
  );
  it.each(rows)('to %s: what you write does what you wrote did', async (_, row, before = redlock5) => {
    const was = await runBefore(row, before);
    expect(await runAfter(row, before.options)).toEqual(was);
  });
});

describe('docs/moving/from-redisson.md', () => {
  const expected: Readonly<Record<string, unknown>> = {
    'try once': false,
    'wait for 200 ms, hold for 5 s at most': false,
    'know whether it is taken': true,
    'know how long still': -2,
    'take it from whoever has it': true,
  };
  const rows = guideOf('from-redisson').flat();

  it.each(rows.map((row): [string, GuideRow] => [row.what, row]))('to %s: what you write runs', async (what, row) => {
    expect(await runAfter(row)).toEqual(expected[what]);
  });
});
