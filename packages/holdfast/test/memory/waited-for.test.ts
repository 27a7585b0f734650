/** What a call waits for beside a lock is told when its client closes, and forgotten when the call waits no more: a client lives for long. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { Registry, type Waiting } from '../../src/exclusive/registry.js';
import { failureOf } from '../support/outcomes.js';
import { useTestClients } from '../support/test-clients.js';
import { redlockMemoryWorld } from '../family/redlock-memory-world.js';

const open = useTestClients();
const world = redlockMemoryWorld(3);

/** What has waited, and how often it was refused. */
let waiting: Map<Waiting, number>;
beforeEach(() => {
  waiting = new Map();
  const enlist = Reflect.get(Registry.prototype, 'enlist') as (this: Registry, one: Waiting) => void;
  jest.spyOn(Registry.prototype, 'enlist').mockImplementation(function (this: Registry, one: Waiting) {
    waiting.set(one, 0);
    const refuse = one.refuseWaiting.bind(one);
    one.refuseWaiting = () => {
      waiting.set(one, (waiting.get(one) ?? 0) + 1);
      refuse();
    };
    enlist.call(this, one);
  });
});
afterEach(() => void jest.restoreAllMocks());

const kinds: readonly (readonly [string, (client: LockClient) => Promise<unknown>])[] = [
  [
    'a latch that is counted down',
    async (client) => {
      const latch = client.getCountDownLatch('start');
      await latch.trySetCount(1);
      const waits = latch.await();
      await latch.countDown();
      await waits;
    },
  ],
  ['a look at a latch', (client) => client.getCountDownLatch('start').await(0)],
  ['a value that is shared', (client) => client.share('rate', { ttlMs: 1_000, fn: () => 'shared' })],
  [
    'an election that is observed no more',
    async (client) => {
      for await (const leader of client.election('chief').observe()) if (leader === undefined) break;
    },
  ],
  [
    'a list of locks',
    async (client) => {
      await client.getLock('order').acquire();
      for await (const lock of client.listLocks()) expect(lock.name).toBe('order');
    },
  ],
];

describe('when its client closes, is not refused any more', () => {
  it.each(kinds)('%s', async (_, call) => {
    const client = open();
    await call(client);
    await client.close();
    expect(waiting.size).toBeGreaterThan(0);
    expect([...waiting.values()].filter((times) => times > 0)).toEqual([]);
  });

  it('a majority that was connected to', async () => {
    const client = world.open();
    await world.outcome(client.connect());
    await world.outcome(client.close());
    expect([...waiting.values()]).toEqual([0]);
  });
});

it('a call that waits when its client closes is refused', async () => {
  const client = open();
  const latch = client.getCountDownLatch('start');
  await latch.trySetCount(1);
  const waits = failureOf(latch.await());
  await client.close();
  expect(await waits).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
});
