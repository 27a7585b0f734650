/** A server that takes no writes because it cannot save them: who asks is told at once, and a release is tried until its time. */
import { direct, memoryRedis, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RPermitExpirableSemaphore } from 'holdfast';
import { redisCodeOf } from '../../src/connection/reply-errors.js';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;

function setUp(code: 'MISCONF' | 'BUSY' = 'MISCONF', answersAfterMs = 0) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const inner = direct(() => server);
  const sent = { scripts: 0 };
  const network: Network = {
    dial: (address, listener) => {
      const late = (frame: Parameters<typeof listener.onFrame>[0]) =>
        void clock.setTimer(() => listener.onFrame(frame), answersAfterMs);
      const socket = inner.dial(address, answersAfterMs > 0 ? { ...listener, onFrame: late } : listener);
      const send = (request: Parameters<typeof socket.send>[0]) => {
        if (/^eval/i.test(String(request[0]))) sent.scripts++;
        socket.send(request);
      };
      return { ...socket, send };
    },
  };
  const open = (): LockClient => {
    const redis = memoryRedis({ network, timers: clock }, { lazyConnect: true });
    const openRedis = () => ({ kind: 'node', redis, ownership: 'ours' }) as const;
    const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
    leaks.cleanup(() => client.close());
    return client;
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      await turns();
    }
  };
  return { client: open(), stranger: open(), pass, sent, refuse: () => server.refuse({ code }) };
}

it('a release that it has refused is done when it takes writes again', async () => {
  const { client, stranger, pass, refuse } = setUp();
  const hold = await client.getLock('order').acquire();
  await stranger.getLock('order').isLocked();
  const admit = refuse();
  const released = hold.release();
  await pass(1_000);
  admit();
  await pass(1_000);
  await released;
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});

it('a nested release is refused at once, and what it left is given back with the outermost hold', async () => {
  const { client, stranger, pass, refuse } = setUp();
  const lock = client.getLock('order');
  const outer = await lock.acquire();
  const inner = await outer.run(() => lock.acquire());
  const admit = refuse();
  expect(await failureOf(inner.release())).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'MISCONF' });
  const released = outer.release();
  await pass(1_000);
  admit();
  await pass(1_000);
  await released;
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});

describe('the permits of a semaphore that have ids', () => {
  const freeAfter = async (semaphore: RPermitExpirableSemaphore, pass: (ms: number) => Promise<void>) => {
    const free = semaphore.availablePermits();
    await pass(1_000);
    return free;
  };

  it('are given back when it takes writes again', async () => {
    const { client, pass, refuse } = setUp();
    const semaphore = client.getPermitExpirableSemaphore('seats', { permits: 1 });
    const id = await semaphore.acquire();
    const admit = refuse();
    const released = semaphore.release(id);
    await pass(1_000);
    admit();
    await pass(1_000);
    await released;
    expect(await freeAfter(semaphore, pass)).toBe(1);
  });

  it('are given back as well where they were issued to a call that had been aborted', async () => {
    const { client, pass, sent, refuse } = setUp('MISCONF', 200);
    const semaphore = client.getPermitExpirableSemaphore('seats', { permits: 1 });
    const before = semaphore.acquire().then((id) => semaphore.release(id));
    await pass(3_000);
    await before;
    const { scripts } = sent;
    const aborting = new AbortController();
    const aborted = failureOf(semaphore.acquire('never', { signal: aborting.signal }));
    // The one that issues is the second, and is not answered yet.
    while (sent.scripts < scripts + 2) await pass(10);
    aborting.abort();
    const admit = refuse();
    await pass(1_000);
    admit();
    await pass(1_000);
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    expect(await freeAfter(semaphore, pass)).toBe(1);
  });
});

it('a call whose every question was refused for now has left nothing, and nothing is sent once it has its answer', async () => {
  const { client, pass, sent, refuse } = setUp('BUSY');
  await client.getLock('order').withLock(() => undefined);
  refuse();
  const failed = ['one', 'two'].map((name) => failureOf(client.getLock(name).acquire({ waitMs: 500 })));
  await pass(600);
  expect(await Promise.all(failed)).toMatchObject([{ code: 'LOCK_UNAVAILABLE' }, { code: 'LOCK_UNAVAILABLE' }]);
  const { scripts } = sent;
  await pass(2_000);
  expect(sent.scripts - scripts).toBe(0);
});

it('so has one that asked for several locks in one command', async () => {
  const { client, pass, sent, refuse } = setUp('BUSY');
  await client.getLock('order').withLock(() => undefined);
  refuse();
  const failed = failureOf(client.getMultiLock(['one', 'two', 'three']).acquire({ waitMs: 500 }));
  await pass(600);
  expect(await failed).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  const { scripts } = sent;
  await pass(2_000);
  expect(sent.scripts - scripts).toBe(0);
});

it('so has one whose last refusal comes when it has its answer', async () => {
  const { client, pass, sent, refuse } = setUp('BUSY', 200);
  const first = client.getLock('order').withLock(() => undefined);
  await pass(3_000);
  await first;
  refuse();
  const failed = failureOf(client.getLock('one').acquire({ waitMs: 100 }));
  await pass(200);
  expect(await failed).toMatchObject({ code: expect.stringMatching(/LOCK_(UNAVAILABLE|TIMEOUT)/) });
  await pass(1_000);
  const { scripts } = sent;
  await pass(2_000);
  expect(sent.scripts - scripts).toBe(0);
});

it('an acquisition is refused at once', async () => {
  const { client, refuse } = setUp();
  await client.getLock('order').withLock(() => undefined);
  refuse();
  expect(await failureOf(client.getLock('order').acquire())).toMatchObject({ redisCode: 'MISCONF' });
});

it.each([
  ['MISCONF', 'MISCONF Redis is configured to save RDB snapshots. script: 03f2, on @user_script:30.'],
  [
    'MISCONF',
    'ERR Error running script (call to f_03f2): @user_script:30: @user_script: 30: -MISCONF Redis is configured',
  ],
  [
    'READONLY',
    "ERR Error running script (call to f_03f2): @user_script:30: @user_script: 30: -READONLY You can't write",
  ],
  ['READONLY', "@user_script: 12: -READONLY You can't write against a read only replica."],
  ['NOREPLICAS', '@user_script: 12: -NOREPLICAS Not enough good replicas to write.'],
  ['WRONGTYPE', 'ERR Error running script (call to f_03f2): @user_script:30: WRONGTYPE Operation against a key'],
  [
    'NOPERM',
    "ERR The user executing the script can't run this command or subcommand script: 03f2, on @user_script:30.",
  ],
  ['NOPERM', "ERR ACL failure in script: User app has no permissions to run the 'hset' command"],
])('%s is read off what a script says: %s', (code, message) => {
  expect(redisCodeOf(message)).toBe(code);
});
