import { fileURLToPath } from 'node:url';
import { bundleProgram, spawnWorker, startPrivateRedis, type TestWorker, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { freshName, holdsInRedis, openClient } from './support/clients.js';
import type { methods } from './support/fault.worker.js';

const kit = useRedis(startPrivateRedis);
const thread = fileURLToPath(new URL('./support/lock.thread.ts', import.meta.url));

/** Leases that end while a test waits, and are long enough for a machine that is busy. */
const claimLeaseMs = 1_500;
const quick = { watchdogTimeoutMs: 1_500, claimLeaseMs, reaskMs: 300 };
/** As quick to ask, but what it holds does not run out while this process, a busy one, waits for its turn. */
const steady = { ...quick, watchdogTimeoutMs: 30_000 };
/** Re-asks far away, and a claim that outlasts the test: whoever is quick was told. */
const patient = { claimLeaseMs: 30_000, reaskMs: 20_000 };

async function spawn(options: Omit<Partial<LockClientOptions>, 'redis'> = quick): Promise<TestWorker<typeof methods>> {
  const worker = await spawnWorker<typeof methods>(new URL('./support/fault.worker.ts', import.meta.url));
  kit.cleanup(() => worker.stop());
  await worker.call('open', { redis: kit.server.url, ...options });
  return worker;
}

const queued = (client: LockClient, name: string, size: number) =>
  waitUntil(async () => (await client.inspect(name)).queue.length === size, { what: `${size} in the queue` });

const owner = async (name: string) => (await kit.admin.hkeys(name)).find((field) => field.includes(':'));

/** Listeners of inboxes, so that a test knows when the server has noticed that a process has gone. */
const inboxes = async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length;

const hasEntered = ({ events }: TestWorker<typeof methods>) => events.some(({ event }) => event === 'entered');

describe('a process that is killed', () => {
  it('while it holds the lock leaves it to a waiter when its lease ends, not before', async () => {
    const client = openClient(kit, steady);
    const name = freshName();
    const worker = await spawn();
    await worker.call('acquire', name);
    const waiting = client.getLock(name).acquire();
    await queued(client, name, 1);
    worker.kill('SIGKILL');
    await worker.exited;
    const askedAt = performance.now();
    const leftMs = await kit.admin.pttl(name);
    const hold = await waiting;
    // Redis counts in whole milliseconds.
    expect(performance.now() - askedAt).toBeGreaterThan(leftMs - 2);
    await hold.release();
  });

  it('while it is the head of the queue is passed over at once', async () => {
    const [client, second] = [openClient(kit, patient), openClient(kit, patient)];
    // Both are subscribed from here on: the subscriptions are counted below.
    await Promise.all([client.connect(), second.connect()]);
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const worker = await spawn(patient);
    await worker.call('enter', name);
    await queued(client, name, 1);
    // Long before anybody would ask again.
    const waiting = second.getLock(name).acquire({ waitMs: 15_000 });
    await queued(client, name, 2);
    worker.kill('SIGKILL');
    await worker.exited;
    await waitUntil(async () => (await inboxes()) === 2, { what: 'the server to notice' });
    await hold.release();
    await (await waiting).release();
  });

  it('between its grant and the first use keeps the others out for its claim lease only', async () => {
    const client = openClient(kit, steady);
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const worker = await spawn();
    await worker.call('enter', name);
    await queued(client, name, 1);
    worker.kill('SIGSTOP');
    await hold.release();
    expect(await kit.admin.pttl(name)).toBeGreaterThan(0);
    worker.kill('SIGKILL');
    await worker.exited;
    const next = await openClient(kit, steady).getLock(name).acquire();
    expect(hasEntered(worker)).toBe(false);
    await next.release();
  });
});

describe('a process that stands still', () => {
  it('over its grant never runs user code on it, and gets the lock later', async () => {
    const client = openClient(kit, steady);
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const worker = await spawn();
    await worker.call('enter', name);
    await queued(client, name, 1);
    worker.kill('SIGSTOP');
    await hold.release();
    const granted = await owner(name);
    expect(granted).toBeDefined();
    const next = await openClient(kit, steady).getLock(name).acquire();
    expect(await owner(name)).not.toBe(granted);
    worker.kill('SIGCONT');
    await queued(client, name, 1);
    expect(hasEntered(worker)).toBe(false);
    next.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.release();
    await waitUntil(() => hasEntered(worker), { what: 'its turn' });
    expect(worker.events).toMatchObject([
      { event: 'entered', data: { state: 'held', aborted: false, refused: false } },
    ]);
    await waitUntil(async () => (await owner(name)) === undefined, { what: 'it releases' });
    await worker.call('close');
  });

  it('over its grant, with nobody else there, asks again and gets the lock', async () => {
    const client = openClient(kit, steady);
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const worker = await spawn();
    await worker.call('enter', name);
    await queued(client, name, 1);
    worker.kill('SIGSTOP');
    await hold.release();
    await waitUntil(async () => (await owner(name)) === undefined, { what: 'the claim to end' });
    worker.kill('SIGCONT');
    await waitUntil(() => hasEntered(worker), { what: 'its turn' });
    expect(worker.events).toMatchObject([{ data: { state: 'held' } }]);
    await worker.call('close');
  });

  it('while it holds the lock, beyond its lease, knows on its first line', async () => {
    const client = openClient(kit, steady);
    const name = freshName();
    const worker = await spawn();
    await worker.call('acquire', name, 1_500);
    const gapMs = 500;
    const firstLine = worker.call('firstLineAfterStandstill', gapMs);
    await waitUntil(() => worker.events.some(({ event }) => event === 'computing'), { what: 'it computes' });
    worker.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const next = await client.getLock(name).acquire();
    // On a busy machine most of the lease may have passed before it was stopped.
    await waitUntil(() => performance.now() - stoppedAt > 2 * gapMs, { what: 'a gap that it notices' });
    worker.kill('SIGCONT');
    expect(await firstLine).toEqual({ state: 'lost', aborted: true, remainingMs: 0, refused: true });
    next.assertHeld();
    await next.release();
    await worker.call('close');
  });
});

describe('a process ends by itself', () => {
  it('after close(), with a lock held and one waited for', async () => {
    const client = openClient(kit, steady);
    const busy = freshName();
    const hold = await client.getLock(busy).acquire();
    const worker = await spawn();
    const name = freshName();
    await worker.call('acquire', name);
    await worker.call('enter', busy);
    await queued(client, busy, 1);
    await worker.call('close');
    await waitUntil(() => worker.events.length === 1, { what: 'the wait to be refused' });
    expect(worker.events).toMatchObject([{ event: 'failed', data: 'LOCK_CLIENT_CLOSED' }]);
    const closedAt = performance.now();
    expect(await worker.finish()).toEqual({ code: 0, signal: null });
    expect(performance.now() - closedAt).toBeLessThan(10_000);
    await waitUntil(async () => (await owner(name)) === undefined, { what: 'its lock is free' });
    await queued(client, busy, 0);
    await hold.release();
  });

  it("after close() and the end of the user's own connection, not before", async () => {
    const worker = await spawn();
    await worker.call('close');
    await worker.call('openOwn', kit.server.url);
    await worker.call('acquire', freshName());
    await worker.call('close');
    await worker.call('quitOwn');
    expect(await worker.finish()).toEqual({ code: 0, signal: null });
  });

  it('not without close(): its locks are renewed on and on', async () => {
    const name = freshName();
    const worker = await spawn();
    await worker.call('acquire', name);
    let ended = false;
    void worker.finish().then(() => {
      ended = true;
    });
    for (let renewals = 0; renewals < 3; renewals++) {
      let before = await kit.admin.pttl(name);
      await waitUntil(
        async () => {
          const now = await kit.admin.pttl(name);
          const isRaised = now > before;
          before = now;
          return isRaised;
        },
        { what: 'a renewal' },
      );
    }
    expect(ended).toBe(false);
  });
});

it('a process that exits without close() leaves its lock to the lease', async () => {
  const client = openClient(kit, steady);
  const name = freshName();
  const worker = await spawn();
  await worker.call('acquire', name, 1_000);
  const waiting = client.getLock(name).acquire();
  await queued(client, name, 1);
  await worker.call('exit');
  expect(await worker.exited).toEqual({ code: 0, signal: null });
  expect(await holdsInRedis(kit, name)).toBe(1);
  expect(await kit.admin.pttl(name)).toBeGreaterThan(0);
  await (await waiting).release();
});

it('a worker thread has a client of its own, outside the scopes of the thread that started it', async () => {
  const worker = await spawn();
  const name = freshName();
  expect(await worker.call('threads', kit.server.url, name, await bundleProgram(thread))).toEqual({
    distinct: true,
    during: false,
    after: true,
  });
  await worker.call('close');
  await waitUntil(async () => (await owner(name)) === undefined, { what: 'the thread to have closed its client' });
});
