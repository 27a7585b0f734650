import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { allowedName, openAs, unhurried } from '../support/access-round.js';
import { createUser, documentedGrants, type Grant, refusedTo } from '../support/acl-rules.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);
const users = ['fenced', 'counting', 'guarding'] as const;

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  await limit();
  kit.cleanup(async () => {
    await kit.admin.acl('DELUSER', 'limited');
    await kit.admin.flushall();
  });
});

async function limit(missing?: Grant): Promise<void> {
  await createUser(kit.admin, 'limited', 'locks');
  for (const user of users) await createUser(kit.admin, 'limited', user, missing);
}

/** Everything that a fenced lock and its guard do, as the user; the error, if there is one. */
async function work(options: Partial<LockClientOptions> = {}): Promise<unknown> {
  const client = openAs(kit, 'limited', { ...unhurried, ...options });
  const lock = client.getFencedLock(allowedName());
  try {
    await lock.withLock(async ({ guard }) => {
      await guard.hset('report:1', { a: 1 });
      await guard.hdel('report:1', 'a');
      await guard.set('report:2', 'x');
      await guard.del('report:2');
    });
    const hold = await lock.acquire({ leaseMs: 9_000 });
    const next = lock.acquire({ leaseMs: 9_000 });
    await hold.release();
    await (await next).release();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the rules in docs/security.md for fenced locks and guards', () => {
  it.each(['time', 'count'] as const)('are enough, with tokens by %s: Redis has refused nothing', async (tokens) => {
    expect(await work({ tokens })).toBeUndefined();
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  const grants = users.flatMap((user) => documentedGrants(user).map((grant) => [grant, user] as const));
  it.each(grants)('are needed: without %s the call is refused, and no lock is left', async (grant, user) => {
    await limit(grant);
    expect(await work({ tokens: user === 'counting' ? 'count' : 'time' })).toMatchObject({
      code: 'LOCK_REFUSED',
      redisCode: 'NOPERM',
    });
    expect(await kit.admin.keys('lock:*')).toEqual([]);
  });

  it.each(['set', 'del'] as const)('keep what a guard was to delete, where it may not %s', async (right) => {
    await kit.admin.set('report:kept', 'x');
    const lock = openAs(kit, 'limited', unhurried).getFencedLock(allowedName());
    const deleting = lock.withLock(async ({ guard }) => {
      await kit.admin.acl('SETUSER', 'limited', `-${right}`);
      const error = await failureOf(guard.del('report:kept'));
      await kit.admin.acl('SETUSER', 'limited', `+${right}`);
      return error;
    });
    expect(await deleting).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
    expect(await kit.admin.get('report:kept')).toBe('x');
    expect(await kit.admin.exists('holdfast_fence:{report:kept}')).toBe(0);
  });

  it.each([
    ['a hash that is not there', {}],
    ['one that no guard has written', { a: '1' }],
    ['one that a guard has written before', { a: '1', fence: '1 1' }],
  ])('leave %s as it is, where a guard may not hdel', async (_, before) => {
    const key = 'report:kept-hash';
    if (Object.keys(before).length > 0) await kit.admin.hset(key, before);
    const lock = openAs(kit, 'limited', unhurried).getFencedLock(allowedName());
    const deleting = lock.withLock(async ({ guard }) => {
      await kit.admin.acl('SETUSER', 'limited', '-hdel');
      const error = await failureOf(guard.hdel(key, 'a'));
      await kit.admin.acl('SETUSER', 'limited', '+hdel');
      return error;
    });
    expect(await deleting).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
    expect(await kit.admin.hgetall(key)).toEqual(before);
    await kit.admin.del(key);
  });

  it('are more than a fenced lock by time needs, where no guard is used', async () => {
    await limit('+incrby');
    const lock = openAs(kit, 'limited', unhurried).getFencedLock(allowedName());
    expect(await failureOf(lock.withLock(() => undefined))).toBeUndefined();
  });
});
