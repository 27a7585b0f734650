/** What ends one member of a multi-lock, or would be longer than it lasts, and what becomes of the others. Time is driven. */
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { failureOf } from '../support/outcomes.js';
import { useTestClients } from '../support/test-clients.js';

const process = useTestClients();

describe('inside a multi-lock of which one member is lost, no other one is acquired afresh:', () => {
  const isLoss = { code: 'LOCK_LOST', lockName: 'a', reason: 'deleted' };

  it.each<[string, (client: LockClient) => Promise<unknown>]>([
    ['that member', (client) => client.getLock('a').acquire()],
    ['another member', (client) => client.getLock('b').acquire()],
    ['another member, in one attempt', (client) => client.getLock('b').tryLock()],
    ['another member, as a member', (client) => client.getMultiLock(['b', 'c']).acquire()],
  ])('%s', async (_, call) => {
    const client = process();
    const section = client.getMultiLock(['a', 'b']).withLock(async () => {
      await client.lose('a', 'deleted');
      expect(await failureOf(call(client))).toMatchObject(isLoss);
    });
    expect(await failureOf(section)).toMatchObject(isLoss);
    expect(await client.getMultiLock(['a', 'b', 'c']).tryLock()).toBe(true);
  });

  it('not when a call waits for another branch to give it back', async () => {
    const client = process();
    const lock = client.getLock('b');
    const section = client.getMultiLock(['a', 'b']).withLock(async () => {
      const branch = await lock.acquire();
      const waits = failureOf(lock.acquire());
      await client.lose('a', 'deleted');
      await branch.release();
      expect(await waits).toMatchObject(isLoss);
    });
    expect(await failureOf(section)).toMatchObject(isLoss);
    expect(await lock.tryLock()).toBe(true);
  });
});

it('what is wrong with several members at once is told as the loss, which nobody else tells of the others', async () => {
  const client = process();
  const both = client.getMultiLock(['a', 'b']);
  // Given back first is what was taken last.
  const [lost, undone] = both.names as [string, string];
  await client.run(async () => {
    await both.lock();
    await client.getLock(undone).unlock();
    await client.lose(lost, 'deleted');
    expect(await failureOf(both.unlock())).toMatchObject({ code: 'LOCK_LOST', lockName: lost });
  });
});

it('a lease begins when the last member is there: the maxHoldMs of the client ends none of those that are had until then', async () => {
  const client = process({ maxHoldMs: 5_000 });
  const other = process({ server: client.server });
  const both = client.getMultiLock(['a', 'b', 'c']);
  const last = await other.getLock(both.names[2] as string).acquire();
  let had: Hold | undefined;
  void both.acquire({ leaseMs: 60_000 }).then((hold) => (had = hold));
  await client.advance(20_000);
  await last.release();
  await client.advance(100);
  expect(had?.remainingMs()).toBeGreaterThan(58_000);
});

it('an extension beyond the maxHoldMs of one member is refused before anything is sent for another', async () => {
  const client = process();
  const other = process({ server: client.server });
  const both = client.getMultiLock(['a', 'b']);
  const [first, last] = both.names as [string, string];
  const theirs = await other.getLock(last).acquire();
  let had: Hold | undefined;
  void both.acquire({ maxHoldMs: 60_000 }).then((hold) => (had = hold));
  await client.advance(5_000);
  await theirs.release();
  await client.advance(0);
  // Enough is left for the one that was taken last, and not for the other.
  expect(await failureOf(had?.extend(57_000) as Promise<void>)).toBeInstanceOf(RangeError);
  for (const name of [first, last]) expect(await other.getLock(name).remainTimeToLive()).toBeLessThanOrEqual(30_000);
});
