/** A writer whose ask Redis cannot serve for a moment stands in no line: who asks meanwhile comes in past it. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../src/internal.js';
import { Gate, turns } from './support/room.js';

describe('a reader that comes while the ask of a writer is refused for now', () => {
  let client: LockClient;
  afterEach(() => client.close());

  it('is not taken for one behind it', async () => {
    const server = new MemoryServer({ now: () => Date.now() });
    const surroundings = systemSurroundings();
    const place = { network: direct(() => server), timers: surroundings.clock };
    let refuses = false;
    let refused = 0;
    const openRedis = () => {
      const redis = memoryRedis(place, { lazyConnect: true, enableOfflineQueue: false });
      const send = redis.sendCommand.bind(redis);
      redis.sendCommand = ((command: { name: string }, ...rest: []) => {
        if (!refuses || command.name !== 'evalsha') return send(command as never, ...rest);
        refused++;
        const busy = Object.assign(new Error('BUSY Redis is busy running a script.'), { name: 'ReplyError' });
        return Promise.reject(busy);
      }) as typeof redis.sendCommand;
      return { kind: 'node' as const, redis, ownership: 'ours' as const };
    };
    client = createLockClientIn({ ...surroundings, openRedis }, { redis: 'redis://memory', deadlocks: 'refuse' });
    const book = client.getReadWriteLock('book');
    const account = client.getLock('account');
    const [reads, hasAccount, mayRead] = [new Gate(), new Gate(), new Gate()];
    const owner = account.withLock(async () => {
      hasAccount.open();
      await mayRead.opened;
      return book.readLock().withLock(() => 'owner');
    });
    await hasAccount.opened;
    const reader = book.readLock().withLock(() => {
      reads.open();
      return account.withLock(() => 'reader');
    });
    await reads.opened;
    await turns(5);
    refuses = true;
    const writer = book.writeLock().withLock(() => 'writer');
    await turns(3);
    expect(refused).toBeGreaterThan(0);
    // The reader asks before any timer can have the writer ask again.
    refuses = false;
    mayRead.open();
    const outcomes = await Promise.allSettled([reader, owner, writer]);
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([
      'reader',
      'owner',
      'writer',
    ]);
  });
});
