import { describe, expect, it } from '@jest/globals';
import { lockKeys, renew } from '../src/index.js';
import { CLAIM, LEASE, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;

describe('renew', () => {
  it('raises a shorter lease: the claim after a grant', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    await lock.release('a:1', 2);
    expect(await lock.pttl()).toEqual(almost(CLAIM));
    expect(await lock.renew('b:1')).toEqual({ kind: 'renewed', remainingMs: LEASE });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('never shortens a lease', async () => {
    await lock.ask('a:1');
    expect(await lock.renew('a:1', LEASE / 2)).toEqual({ kind: 'held', remainingMs: almost(LEASE) });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('verifies without touching the lease when leaseMs is 0', async () => {
    await lock.ask('a:1', { leaseMs: 5_000 });
    expect(await lock.renew('a:1', 0)).toEqual({ kind: 'held', remainingMs: almost(5_000) });
    expect(await lock.pttl()).toEqual(almost(5_000));
  });

  it('repairs an own lock that has lost its TTL, and reports it when it may not', async () => {
    await lock.ask('a:1');
    await server.redis.persist(keys.lock);
    expect(await lock.renew('a:1', 0)).toEqual({ kind: 'held', remainingMs: undefined });
    expect(await lock.renew('a:1')).toEqual({ kind: 'renewed', remainingMs: LEASE });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('never revives a lock that has gone', async () => {
    await lock.ask('a:1');
    await lock.vanish();
    expect(await lock.renew('a:1')).toEqual({ kind: 'lost', reason: 'deleted' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it("never touches another owner's lease", async () => {
    await lock.ask('b:1');
    expect(await lock.renew('a:1', LEASE * 2)).toEqual({ kind: 'lost', reason: 'taken' });
    expect(await lock.renew('b:2', LEASE * 2)).toEqual({ kind: 'lost', reason: 'taken' });
    expect(await lock.pttl()).toEqual(almost(LEASE));
  });

  it('calls a lock lost whose key has become something else', async () => {
    await server.redis.set(keys.lock, 'somebody else', 'PX', 10_000);
    expect(await lock.renew('a:1')).toEqual({ kind: 'lost', reason: 'taken' });
    expect(await server.redis.pttl(keys.lock)).toEqual(almost(10_000));
  });

  it('answers many holds in their order, none disturbed by the others, with server time', async () => {
    const names = ['good', 'gone', 'taken', 'odd', 'bad', 'last'];
    for (const name of names) await lockOn(server, { name }).ask('a:1');
    await server.redis.del('gone', 'taken', 'odd');
    await lockOn(server, { name: 'taken' }).ask('b:1');
    await server.redis.set('odd', 'x', 'PX', 10_000);
    const batch = renew(names.map((name) => ({ keys: lockKeys(name), tenure: 'a:1', leaseMs: LEASE * 2 })));
    const args = [...batch.args];
    args[names.indexOf('bad') * 2 + 1] = '1e99';

    const { nowMs, outcomes } = await lock.run({ ...batch, args });
    expect(outcomes).toEqual([
      { kind: 'renewed', remainingMs: LEASE * 2 },
      { kind: 'lost', reason: 'deleted' },
      { kind: 'lost', reason: 'taken' },
      { kind: 'lost', reason: 'taken' },
      { kind: 'refused', message: expect.stringContaining('leaseMs') },
      { kind: 'renewed', remainingMs: LEASE * 2 },
    ]);
    const [seconds] = await server.redis.time();
    expect(Math.abs(nowMs / 1_000 - Number(seconds))).toBeLessThan(5);
  });

  it('tells a refusal of Redis apart from a loss', async () => {
    await lock.ask('a:1', { leaseMs: 5_000 });
    await server.redis.acl('SETUSER', 'limited', 'on', '>x', '~*', '&*', '+@all', '-pexpire');
    const limited = lockOn(server, { client: server.connect({ username: 'limited', password: 'x' }) });
    expect(await limited.renew('a:1')).toEqual({ kind: 'refused', message: expect.any(String) });
    expect(await limited.renew('a:1', 0)).toMatchObject({ kind: 'held' });
    expect(await limited.renew('b:1')).toEqual({ kind: 'lost', reason: 'taken' });
    await server.redis.acl('DELUSER', 'limited');
  });

  it('answers an empty batch with nothing but the time', async () => {
    expect(await lock.run(renew([]))).toEqual({ nowMs: expect.any(Number), outcomes: [] });
  });
});
