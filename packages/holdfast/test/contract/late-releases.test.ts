import { type DrivenTime, driveTime, type FaultProxy, faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient, LockLostReason } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import { exclusivePrimitives } from '../family/primitive.js';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const LEASE_MS = 1_000;

const kit = useRedis();

type Held = Pick<Hold, 'release'>;

interface Scene {
  readonly time: DrivenTime;
  readonly proxy: FaultProxy;
  readonly client: LockClient;
  readonly name: string;
  /** Of each loss that is told as an event. */
  readonly losses: LockLostReason[];
  /** The lease ends here and in Redis, whose clock is its own; then what was held back arrives. */
  readonly endOfLease: () => Promise<void>;
  /** As an operator would. */
  readonly deleteAll: () => Promise<void>;
}

async function setUp(): Promise<Scene> {
  const time = driveTime(kit);
  const proxy = await faultProxy({ target: kit.server });
  kit.cleanup(() => proxy.close());
  const client = openClient(kit, { redis: proxy.url, watchdogTimeoutMs: LEASE_MS });
  const losses: LockLostReason[] = [];
  client.on('lost', ({ error }) => losses.push(error.reason));
  await client.connect();
  const name = freshName();
  const deleteAll = async () => {
    const keys = await kit.admin.keys(`*${name}*`);
    if (keys.length > 0) await kit.admin.del(keys);
  };
  const endOfLease = async () => {
    await time.advance(LEASE_MS);
    await deleteAll();
    await proxy.heal();
    time.flow();
  };
  return { time, proxy, client, name, losses, endOfLease, deleteAll };
}

/** Each kind of lock, by how a hold of it is taken. */
const kinds: readonly (readonly [string, (client: LockClient, name: string, leaseMs?: number) => Promise<Held>])[] = [
  ...exclusivePrimitives.map(
    (primitive) =>
      [
        primitive.factory,
        (client: LockClient, name: string, leaseMs?: number) => primitive.get(client, name).acquire({ leaseMs }),
      ] as const,
  ),
  ['readLock', (client, name, leaseMs) => client.getReadWriteLock(name).readLock().acquire({ leaseMs })],
  ['getSemaphore', (client, name, leaseMs) => client.getSemaphore(name, { permits: 2 }).acquire(1, { leaseMs })],
];

describe.each(kinds)('a release of %s', (_, take) => {
  it.each([
    ['fixed', LEASE_MS],
    ['renewed until then', undefined],
  ])(
    'that Redis hears when the lease is over, which was %s, says that Redis did not answer in time, and is no loss',
    async (_lease, leaseMs) => {
      const { client, name, proxy, losses, endOfLease } = await setUp();
      const hold = await take(client, name, leaseMs);
      proxy.hold('up');
      const failure = failureOf(hold.release());
      await endOfLease();
      expect(await failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(losses).toEqual([]);
      expect(Object.values(client.stats().losses).filter((count) => count > 0)).toEqual([]);
    },
  );

  it('that Redis hears in time says that the lock was deleted before', async () => {
    const { client, name, losses, deleteAll } = await setUp();
    const hold = await take(client, name, 20 * LEASE_MS);
    await deleteAll();
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    expect(new Set(losses)).toEqual(new Set(['deleted']));
  });
});

describe.each(exclusivePrimitives)(
  'a release of $factory by which the next call of the process has it',
  (primitive) => {
    it('is no loss when Redis has not answered by the end of the lease, and the call waits on', async () => {
      const { client, name, proxy, losses, endOfLease } = await setUp();
      const lock = primitive.get(client, name);
      const hold = await lock.acquire({ leaseMs: LEASE_MS });
      const next = lock.acquire({ leaseMs: 20 * LEASE_MS });
      proxy.hold('up');
      const failure = failureOf(hold.release());
      await endOfLease();
      expect(await failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(losses).toEqual([]);
      await (await next).release();
    });
  },
);

describe('a section', () => {
  it('that has ended in time is told the same, behind its end', async () => {
    const { client, name, proxy, losses, endOfLease } = await setUp();
    let isDone = false;
    const failure = failureOf(
      client.getLock(name).withLock({ leaseMs: LEASE_MS }, () => {
        proxy.hold('up');
        isDone = true;
      }),
    );
    await waitUntil(() => isDone, { what: 'the section to end' });
    await endOfLease();
    expect(await failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(losses).toEqual([]);
  });

  it('further in is told of the loss of the one around it, which alone is an event', async () => {
    const { client, name, proxy, losses, endOfLease } = await setUp();
    const lock = client.getLock(name);
    let inner: Promise<unknown> | undefined;
    const outer = failureOf(
      lock.withLock({ leaseMs: LEASE_MS }, async () => {
        await (inner = failureOf(lock.withLock(() => proxy.hold('up'))));
      }),
    );
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the release of the inner one' });
    await endOfLease();
    expect(await inner).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    expect(await outer).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    expect(losses).toEqual(['expired']);
  });

  it('further in is no loss where the one around it has been given back in time, too', async () => {
    const { client, name, proxy, losses, endOfLease } = await setUp();
    const outer = await client.getLock(name).acquire({ leaseMs: LEASE_MS });
    const inner = await outer.run(() => client.getLock(name).acquire());
    proxy.hold('up');
    const failures = [inner, outer].map((hold) => failureOf(hold.release()));
    await endOfLease();
    const unavailable = expect.objectContaining({ code: 'LOCK_UNAVAILABLE' });
    expect(await Promise.all(failures)).toEqual([unavailable, unavailable]);
    expect(losses).toEqual([]);
  });
});

it.each<readonly [string, (scene: Scene) => Promise<readonly [outer: Hold, inner: Hold]>]>([
  [
    'a hold',
    async ({ client, name }) => {
      const outer = await client.getLock(name).acquire({ leaseMs: LEASE_MS });
      return [outer, await outer.run(() => client.getLock(name).acquire())];
    },
  ],
  [
    'a write hold',
    async ({ client, name }) => {
      const lock = client.getReadWriteLock(name);
      const outer = await lock.writeLock().acquire({ leaseMs: LEASE_MS });
      return [outer, await outer.run(() => lock.readLock().acquire())];
    },
  ],
])('%s that is given back before one inside it is no loss where that is lost meanwhile', async (_, take) => {
  const scene = await setUp();
  const [outer, inner] = await take(scene);
  scene.proxy.hold('up');
  const failure = failureOf(outer.release());
  await scene.endOfLease();
  expect(await failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(inner.state).toBe('lost');
  expect(scene.losses).toHaveLength(1);
});

describe('a hold inside one whose scope has ended', () => {
  const leftOpen = async ({ client, name }: Scene) => {
    const lock = client.getLock(name);
    client.on('leak', () => undefined);
    return client.run(async () => {
      await lock.lock();
      return lock.acquire({ leaseMs: 60 * LEASE_MS });
    });
  };

  it('says that Redis did not answer its release, and not that the scope has ended', async () => {
    const scene = await setUp();
    const hold = await leftOpen(scene);
    scene.proxy.hold('up');
    const failure = failureOf(hold.release());
    await scene.time.advance(10_000);
    expect(await failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await scene.proxy.heal();
    scene.time.flow();
  });

  it('says that it was deleted', async () => {
    const scene = await setUp();
    const hold = await leftOpen(scene);
    await scene.deleteAll();
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  });
});

it('holds inside each other that are all given back are no loss when Redis never answers', async () => {
  const { time, client, name, proxy, losses } = await setUp();
  const enter = (around: Hold) => around.run(() => client.getLock(name).acquire());
  const outer = await client.getLock(name).acquire({ leaseMs: 60 * LEASE_MS });
  const middle = await enter(outer);
  const inner = await enter(middle);
  proxy.hold('up');
  const failures = Promise.all([inner, middle, outer].map((hold) => failureOf(hold.release())));
  await time.advance(10_000);
  time.flow();
  const unavailable = expect.objectContaining({ code: 'LOCK_UNAVAILABLE' });
  expect(await failures).toEqual([unavailable, unavailable, unavailable]);
  expect(losses).toEqual([]);
  await proxy.heal();
});

describe('in memory, a release that Redis hears when the lease is over', () => {
  it.each([
    ['of a fixed lease', { leaseMs: LEASE_MS }],
    ['of a lease that would have been renewed', {}],
  ])('%s tells of no loss, nor that Redis knows nothing of it', async (_, options) => {
    const client = createTestClient({ watchdogTimeoutMs: LEASE_MS });
    const hold = await client.getLock('x').acquire(options);
    void client.outage(2 * LEASE_MS);
    const failure = failureOf(hold.release());
    await client.advance(3 * LEASE_MS);
    expect(await failure).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(/^Redis gave no answer in time about lock "x"/) as unknown,
    });
    await client.close();
  });

  it('says that the lock was deleted where the lease would not have been over', async () => {
    const client = createTestClient({ watchdogTimeoutMs: 20 * LEASE_MS });
    const hold = await client.getLock('x').acquire();
    await client.lose('x', 'deleted');
    const failure = failureOf(hold.release());
    await client.advance(LEASE_MS);
    expect(await failure).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    await client.close();
  });
});
