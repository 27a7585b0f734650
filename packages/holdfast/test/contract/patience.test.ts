import { countCommands, driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient, warmUp } from '../support/clients.js';

const kit = useRedis();
/** Nobody asks again by itself while the test runs. */
const patient = { reaskMs: 20_000, claimLeaseMs: 30_000 };

const setUp = async () => {
  const time = driveTime(kit);
  const client = openClient(kit, patient);
  const strangers = openClient(kit, patient);
  for (const each of [client, strangers]) await warmUp(kit, each);
  const name = freshName();
  const first = await strangers.getLock(name).acquire();
  return { client, name, lock: client.getLock(name), first, time };
};

const queued = (name: string) =>
  waitUntil(async () => (await kit.admin.exists(`holdfast_queue:{${name}}`)) === 1, { what: 'it is queued' });

describe('a call that inherits a place in the queue', () => {
  it('is granted the lock at once after the impatient call before it has timed out', async () => {
    const { client, name, lock, first, time } = await setUp();
    const impatient = lock.tryAcquire({ waitMs: 60 });
    const waiting = lock.acquire({ waitMs: 5_000 });
    await queued(name);
    await time.advance(60);
    expect(await impatient).toBeNull();
    await client.inspect(name);
    await first.release();
    // Time stands still: no ask that is due by then would bring it.
    await (await waiting).release();
  });

  it('is so too when it joined later and the impatient call aborted', async () => {
    const { client, name, lock, first, time } = await setUp();
    const abort = new AbortController();
    const impatient = lock.acquire({ waitMs: 60, signal: abort.signal });
    await queued(name);
    const waiting = lock.acquire({ waitMs: 5_000 });
    abort.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    await client.inspect(name);
    await time.advance(60);
    await first.release();
    // Time stands still: no ask that is due by then would bring it.
    await (await waiting).release();
  });

  it('costs no command as long as somebody has waited for as long', async () => {
    const { client, name, lock, first, time } = await setUp();
    const waiting = lock.acquire({ waitMs: 5_000 });
    await queued(name);
    await client.inspect(name);
    const counter = await countCommands(kit.admin);
    const others = Array.from({ length: 20 }, (_, i) => lock.tryAcquire({ waitMs: 50 + i }));
    await time.advance(100);
    expect(await Promise.all(others)).toEqual(others.map(() => null));
    await kit.admin.ping();
    expect(await counter.delta()).not.toHaveProperty('evalsha');
    await first.release();
    await (await waiting).release();
  });
});

describe('calls that join one that waits in Redisson mode', () => {
  it('cost no command: nobody has a place in a queue to keep', async () => {
    const client = openClient(kit, { ...patient, wakeup: 'redisson' });
    const name = freshName();
    const holder = await openClient(kit, { ...patient, wakeup: 'redisson' })
      .getLock(name)
      .acquire();
    const lock = client.getLock(name);
    const first = lock.withLock(() => undefined);
    await waitUntil(
      async () => Number((await kit.admin.pubsub('NUMSUB', `redisson_lock__channel:{${name}}`))[1]) === 1,
      {
        what: 'it listens',
      },
    );
    await client.inspect(name);
    const counter = await countCommands(kit.admin);
    const others = Array.from({ length: 20 }, () => lock.withLock(() => undefined));
    await client.inspect(name);
    // One is the question above; the first call may still ask once more, because it listens now.
    expect((await counter.delta())['evalsha']).toBeLessThanOrEqual(2);
    await holder.release();
    await Promise.all([first, ...others]);
  });
});
