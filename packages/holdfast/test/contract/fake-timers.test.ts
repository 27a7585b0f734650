import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

/** As many at once as make the wire gather commands, and the lock change hands in memory. */
const CROWD = 64;

describe('a client that was connected before the timers of the process were replaced', () => {
  const setUp = async () => {
    const client = openClient(kit);
    await client.connect();
    kit.cleanup(() => void jest.useRealTimers());
    jest.useFakeTimers();
    return client;
  };

  it('closes', async () => {
    const client = await setUp();
    await client.close();
    expect(client.ready).toBe(false);
  });

  it('closes, also when it listens for messages and has locks', async () => {
    const client = openClient(kit);
    const other = openClient(kit);
    const lock = client.getLock(freshName());
    await lock.lock();
    const waiting = other.getLock(lock.name).tryLock(60_000);
    await waitUntil(async () => (await client.inspect(lock.name)).queue.length === 1, { what: 'the queue' });
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length > 0, {
      what: 'a listener',
    });
    kit.cleanup(() => void jest.useRealTimers());
    jest.useFakeTimers();
    await lock.unlock();
    expect(await waiting).toBe(true);
    await Promise.all([client.close(), other.close()]);
  });

  it('closes, when the timers are the real ones again too', async () => {
    const client = await setUp();
    const closing = client.close();
    jest.useRealTimers();
    await closing;
  });

  it('serves a crowd, on many locks and on one', async () => {
    const client = await setUp();
    const name = freshName();
    let served = 0;
    const serve = (each: string) => client.getLock(each).withLock(() => void served++);
    await Promise.all(Array.from({ length: CROWD }, (_, nth) => serve(`${name}:${nth}`)));
    await Promise.all(Array.from({ length: CROWD }, () => serve(name)));
    expect(served).toBe(2 * CROWD);
    await client.close();
  });
});

it('a client that has begun to connect while the timers of the process were replaced closes', async () => {
  const client = openClient(kit);
  kit.cleanup(() => void jest.useRealTimers());
  jest.useFakeTimers();
  const refused = failureOf(client.getLock(freshName()).acquire());
  await client.close();
  expect(await refused).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
});
