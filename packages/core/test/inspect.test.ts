import { describe, expect, it } from '@jest/globals';
import { FRESH, LEASE, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;

describe('inspect', () => {
  it('reports a free lock', async () => {
    expect(await lock.inspect()).toEqual({
      owner: undefined,
      remainingMs: undefined,
      seq: undefined,
      queue: [],
      nowMs: expect.any(Number),
    });
  });

  it('reports owner, holds, lease, step, and the queue in its order', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    const b = await lock.ask('z:1');
    await lock.ask('c:1');
    await server.redis.hdel(keys.fresh, 'c:1');
    if (b.kind !== 'wait') throw new Error(b.kind);
    expect(await lock.inspect()).toEqual({
      owner: { id: 'a:1', holdCount: 2, foreign: false, resting: false },
      remainingMs: almost(LEASE),
      seq: 2,
      queue: [
        { tenure: 'z:1', ticket: b.ticket, freshUntilMs: b.nowMs + FRESH, leaseMs: LEASE },
        { tenure: 'c:1', ticket: expect.any(Number), freshUntilMs: undefined, leaseMs: undefined },
      ],
      nowMs: expect.any(Number),
    });
  });

  it("reports the owner of a Redisson lock and of a Redisson read-write lock's hash", async () => {
    server.expectLasting(keys.lock);
    await server.redis.hset(keys.lock, 'mode', 'write', '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17:write', '3');
    expect(await lock.inspect()).toMatchObject({
      owner: { id: '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17:write', holdCount: 3, foreign: true, resting: false },
      remainingMs: undefined,
      seq: undefined,
    });
  });

  it('refuses to take any other hash for a lock', async () => {
    server.expectLasting(keys.lock);
    await server.redis.hset(keys.lock, 'name', 'Ada');
    await expect(lock.inspect()).rejects.toThrow(/^NOTALOCK /);
    await expect(lock.peek('a:1')).rejects.toThrow(/^NOTALOCK /);
  });

  it('writes nothing', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    const readOnly = server.connect({ username: 'reader', password: 'x', lazyConnect: true });
    await server.redis.acl('SETUSER', 'reader', 'on', '>x', '~*', '&*', '+@all', '-@write');
    const reader = lockOn(server, { client: readOnly });
    expect(await reader.inspect()).toMatchObject({ owner: { id: 'a:1' } });
    expect(await reader.peek('a:1')).toMatchObject({ holdCount: 1 });
    await server.redis.acl('DELUSER', 'reader');
  });
});

describe('peek', () => {
  it('tells a free lock, my lock and the lock of another apart', async () => {
    expect(await lock.peek('a:1')).toEqual({ locked: false, holdCount: 0, remainingMs: undefined });
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    expect(await lock.peek('a:1')).toEqual({ locked: true, holdCount: 2, remainingMs: almost(LEASE) });
    expect(await lock.peek('b:1')).toEqual({ locked: true, holdCount: 0, remainingMs: almost(LEASE) });
  });

  it('reports no remaining lease where there is no TTL', async () => {
    server.expectLasting(keys.lock);
    await server.redis.hset(keys.lock, '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17', 1);
    expect(await lock.peek('b:1')).toEqual({ locked: true, holdCount: 0, remainingMs: undefined });
  });
});
