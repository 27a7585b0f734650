/** What a run that ends does with what it has left open. Time is driven. */
import { describe, expect, it } from '@jest/globals';
import type { TestSite } from '../../src/testing/test-server.js';
import { failureOf } from '../support/outcomes.js';
import { useTestClients } from '../support/test-clients.js';

const process = useTestClients();

describe('a run that gives back what it has left open (releaseOnScopeEnd)', () => {
  it.each(['resolves', 'rejects'])('and %s is over when that is given back, and not before', async (how) => {
    const client = process({ releaseOnScopeEnd: true });
    const error = new Error('no');
    const ends: unknown[] = [];
    void failureOf(
      client.run(async () => {
        await client.getLock('a').lock();
        await client.outage(1_000);
        if (how === 'rejects') throw error;
      }),
    ).then((end) => ends.push(end));
    await client.advance(500);
    expect(ends).toEqual([]);
    await client.advance(1_000);
    expect(ends).toEqual([how === 'rejects' ? error : undefined]);
  });

  it('is not failed by a lock that turns out to be lost then', async () => {
    const client = process({ releaseOnScopeEnd: true });
    const losses: string[] = [];
    client.on('lost', ({ name }) => losses.push(name));
    const { memory } = client.server as TestSite;
    const done = await client.run(async () => {
      await client.getLock('a').lock();
      memory.flushAll();
      return 'done';
    });
    expect([done, losses]).toEqual(['done', ['a']]);
  });

  it('tells by an event where Redis did not answer in time, so that nobody knows whether the lock was lost', async () => {
    const client = process({ releaseOnScopeEnd: true, watchdogTimeoutMs: 1_000 });
    const told: unknown[] = [];
    client.on('error', (error) => told.push(error));
    client.on('lost', (loss) => told.push(loss));
    const done = client.run(async () => {
      await client.getLock('a').lock();
      void client.outage(1_500);
    });
    await client.advance(2_000);
    expect(await done).toBeUndefined();
    expect(told).toContainEqual(expect.objectContaining({ code: 'LOCK_UNAVAILABLE', lockName: 'a' }));
  });
});

describe('a run that leaves open what it gives back to nobody', () => {
  it('does not tell of a leak where the lock was lost before', async () => {
    const client = process();
    const told: string[] = [];
    client.on('leak', ({ name }) => told.push(name));
    await client.run(async () => {
      await client.getLock('a').lock();
      await client.lose('a', 'deleted');
      await client.getLock('b').lock();
    });
    expect(told).toEqual(['b']);
  });

  it('leaves it to its own client: code that goes on behind it unlocks no lock of that name with another one', async () => {
    const [client, other] = [process(), process()];
    let goOn: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (goOn = resolve));
    let late: Promise<unknown>[] = [];
    await client.run(async () => {
      await client.getLock('a').lock();
      late = [other, client].map((each) => ended.then(() => failureOf(each.getLock('a').unlock())));
    });
    goOn();
    expect(await Promise.all(late)).toMatchObject([{ code: 'LOCK_NOT_HELD' }, { code: 'LOCK_LOST' }]);
  });
});
