/** A Redis of yours that forgets what was under way when its connection broke, without a word: nothing may wait for that. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { Breakable } from '../support/breakable.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;

async function setUp(clientName?: string) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const network = new Breakable(direct(() => server));
  const open = (through: Breakable) => {
    const redis = memoryRedis(
      { network: through, timers: clock },
      { lazyConnect: true, autoResendUnfulfilledCommands: false, retryStrategy: () => 20 },
    );
    redis.on('error', () => undefined);
    const openRedis = () => ({ kind: 'node', redis, ownership: 'yours' }) as const;
    const client = createLockClientIn(
      { ...systemSurroundings(), clock, openRedis },
      { redis: 'redis://memory', watchdogTimeoutMs: 60_000, ...(clientName && { clientName }) },
    );
    leaks.cleanup(async () => {
      await client.close();
      redis.disconnect();
    });
    return client;
  };
  const [client, stranger] = [open(network), open(new Breakable(direct(() => server)))];
  await stranger.getLock('order').isLocked();
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      await turns();
    }
  };
  const lose = () => {
    network.silent = false;
    network.breakCommands();
  };
  return {
    ...{ client, pass, stranger, lose },
    /** What is under way is lost with its connection, and on the next one the server refuses everything for a moment. */
    loseAndRefuse: async () => {
      const admit = server.refuse({ code: 'READONLY' });
      lose();
      await pass(100);
      admit();
      await pass(1_000);
    },
    silence: () => {
      network.silent = true;
    },
  };
}

it('a release whose first copy was forgotten, and whose second was refused for now, is sent again', async () => {
  const { client, stranger, silence, loseAndRefuse } = await setUp();
  const hold = await client.getLock('order').acquire();
  silence();
  const released = hold.release();
  await loseAndRefuse();
  expect(await stranger.getLock('order').tryLock()).toBe(true);
  await released;
});

it('so is the withdrawal of a call that was given up: the lock that no call has becomes free', async () => {
  const { client, stranger, silence, loseAndRefuse } = await setUp();
  await client.getLock('order').withLock(() => undefined);
  const stop = new AbortController();
  const call = client.getLock('order').acquire({ signal: stop.signal });
  silence();
  stop.abort();
  await expect(call).rejects.toThrow();
  expect(await stranger.getLock('order').tryLock()).toBe(false);
  await loseAndRefuse();
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});

it('the name of a client is written again when the question before it was forgotten', async () => {
  const { client, stranger, silence, lose, pass } = await setUp('worker');
  const hold = await client.getLock('order').acquire();
  silence();
  await pass(10);
  lose();
  await pass(5_000);
  expect((await stranger.inspect('order')).owner?.client).toMatchObject({ name: 'worker' });
  await hold.release();
});
