import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { LockDeadlockError } from 'holdfast';
import { freshName, openClient, warmUp } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { crossing } from './crossing.js';
import { waitersOf } from './world.js';

const kit = useRedis();

/** How often Redis has refused a write because replicas are missing. */
async function refusals(): Promise<number> {
  const stats = await kit.admin.info('errorstats');
  return Number(/errorstat_NOREPLICAS:count=(\d+)/.exec(stats)?.[1] ?? 0);
}

describe('a reader whose first ask Redis has refused for now', () => {
  it('is refused when a writer of its process takes the place before it, and that closes a circle', async () => {
    const time = driveTime(kit);
    const client = openClient(kit, { deadlocks: 'refuse' });
    const name = freshName();
    const [book, account] = [client.getReadWriteLock(name), client.getLock(`${name}-account`)];
    await warmUp(kit, client);
    const first = await book.writeLock().acquire();
    // The reader goes on when the write hold around it ends.
    const { reader, owner, areIn, mayWant, mayRead } = crossing(book, account, (read) => first.run(read));
    await areIn;
    const writer = book.writeLock().withLock(() => 'writer');
    const before = await refusals();
    await kit.admin.config('SET', 'min-replicas-to-write', 1);
    mayRead.open();
    await waitUntil(async () => (await refusals()) > before, { what: 'Redis to refuse the reader for now' });
    await kit.admin.config('SET', 'min-replicas-to-write', 0);
    // The writer asks now, the reader when its pause is over.
    await first.release();
    await waitUntil(async () => (await waitersOf(kit.admin, name, 'queue')) === 1, {
      what: 'the writer to stand in line',
    });
    mayWant.open();
    const refused = failureOf(owner);
    await time.advance(1_000);
    expect(await refused).toBeInstanceOf(LockDeadlockError);
    expect(await Promise.all([reader, writer])).toEqual(['reader', 'writer']);
  });
});
