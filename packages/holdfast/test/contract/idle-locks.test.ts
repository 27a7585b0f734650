import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();

describe('a lock that nobody uses any more', () => {
  it('is forgotten, also when its last hold is released while a command of another lock is being sent', async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const client = openClient(kit, { redis, limits: { locks: 2 } });
    const hold = await client.getLock(freshName()).acquire();
    // As a tool does that wraps the connection: it runs in the middle of what the client does about the other lock.
    const send = redis.sendCommand.bind(redis);
    let released: Promise<void> | undefined;
    redis.sendCommand = (...args) => {
      released ??= hold.release();
      return send(...args);
    };
    const other = await client.getLock(freshName()).acquire();
    await released;
    await other.release();
    // Both names are free for others.
    const [one, two] = [client.getLock(freshName()), client.getLock(freshName())];
    await one.withLock(() => two.withLock(() => expect(client.stats().limited).toEqual({})));
  });
});
