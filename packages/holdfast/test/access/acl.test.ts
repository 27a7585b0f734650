import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { applicationRound, openAs, operatorRound, quick, unhurried } from '../support/access-round.js';
import { createUser, documentedGrants, password, refusedTo } from '../support/acl-rules.js';

const kit = useRedis(startPrivateRedis);

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  await kit.admin.script('FLUSH');
  // Without INFO ioredis says on the console that it cannot check whether the server is loading.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await kit.admin.acl('DELUSER', 'limited');
});

const modes = ['queue', 'redisson'] as const;

/** Two processes of an application, the second perhaps as another user. */
async function applicationIn(wakeup: (typeof modes)[number], { second = 'limited', times = quick } = {}) {
  const options = { ...times, wakeup };
  const clients = [openAs(kit, 'limited', options), openAs(kit, second, options)] as const;
  return { round: await applicationRound(kit, ...clients), stats: clients.map((client) => client.stats()) };
}

const operators = () => operatorRound(kit, openAs(kit, 'limited'), openAs(kit, 'default'), openAs(kit, 'default'));

const everyLockFree = () =>
  waitUntil(async () => (await kit.admin.keys('lock:*')).length === 0, { what: 'every lease is over' });

describe('the rules in docs/security.md', () => {
  it.each(modes)('for applications are enough in %s mode: all is done, and Redis has refused nothing', async (mode) => {
    await createUser(kit.admin, 'limited', 'locks');
    const { round, stats } = await applicationIn(mode, { times: unhurried });
    expect(round.undone).toEqual([]);
    expect(stats[0]?.handoffs).toMatchObject({ local: 1, passed: 2 });
    expect(stats[1]?.handoffs.granted).toBe(mode === 'queue' ? 1 : 0);
    expect(stats[0]?.renewals.renewed).toBeGreaterThan(0);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('are one key pattern with a keyPrefix', async () => {
    await createUser(kit.admin, 'limited', 'locks');
    await kit.admin.acl('SETUSER', 'limited', 'resetkeys', '~app:*', '&redisson_lock__channel:{app:*');
    const { host, port } = kit.server;
    const redis = { host, port, username: 'limited', password, keyPrefix: 'app:' };
    const options = { ...unhurried, redis };
    const round = await applicationRound(kit, openAs(kit, 'limited', options), openAs(kit, 'limited', options));
    expect(round.undone).toEqual([]);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('are those of a client whose prefix they name, whatever the names of its locks', async () => {
    await createUser(kit.admin, 'limited', 'locks');
    const clients = [openAs(kit, 'limited', { prefix: 'lock:' }), openAs(kit, 'limited', { prefix: 'lock:' })] as const;
    expect((await applicationRound(kit, ...clients)).undone).toEqual([]);
    expect((await openAs(kit, 'limited', { prefix: 'lock:' }).inspect('any name')).owner).toBeUndefined();
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('for applications in Redisson mode can do without four commands', async () => {
    await createUser(kit.admin, 'limited', 'locks');
    await kit.admin.acl('SETUSER', 'limited', '-zadd', '-zrank', '-zscore', '-ping');
    expect((await applicationIn('redisson', { times: unhurried })).round.undone).toEqual([]);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('are to be extended for another database, and to confirm on replicas', async () => {
    await createUser(kit.admin, 'limited', 'locks');
    const { host, port } = kit.server;
    const redis = { host, port, username: 'limited', password, db: 3 };
    const client = () => openAs(kit, 'limited', { redis, replicas: { min: 1, timeoutMs: 50 } });
    await kit.admin.acl('SETUSER', 'limited', '+select');
    const refused = { code: 'LOCK_REFUSED', redisCode: 'NOPERM' };
    await expect(client().getLock('lock:1').acquire()).rejects.toMatchObject(refused);
    await kit.admin.acl('LOG', 'RESET');
    await kit.admin.acl('SETUSER', 'limited', '+wait');
    await expect(client().getLock('lock:1').acquire()).rejects.toMatchObject({ code: 'LOCK_NOT_REPLICATED' });
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('for operators are enough: all is done, and Redis has refused nothing', async () => {
    await createUser(kit.admin, 'limited', 'operator');
    expect((await operators()).undone).toEqual([]);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('keep an application from what it has no business with', async () => {
    await createUser(kit.admin, 'limited', 'locks');
    const client = openAs(kit, 'limited');
    const refused = { code: 'LOCK_REFUSED', redisCode: 'NOPERM' };
    await expect(client.getLock('other:1').withLock(() => undefined)).rejects.toMatchObject(refused);
    await expect(client.inspect('other:1')).rejects.toMatchObject(refused);
    await expect(client.getLock('lock:1').forceUnlock()).rejects.toMatchObject(refused);
  });
});

/** How a call may end, but for `done`. */
const typed = /: (LOCK_REFUSED NOPERM|LOCK_LOST)$/;

describe('an application without', () => {
  it.each(documentedGrants('locks'))(
    '%s, which it needs: each call is done or ends in a typed error, no lock stays, and others have their turn',
    async (missing) => {
      await createUser(kit.admin, 'limited', 'locks', missing);
      const beside = applicationIn('queue', { second: 'default' });
      const rounds = await Promise.all([beside, ...modes.map((mode) => applicationIn(mode))]);
      const [{ round: mixed }] = rounds as [(typeof rounds)[number]];
      expect([mixed.outcomes.get('wait'), mixed.outcomes.get('release')]).toEqual(['done', 'done']);
      const untyped = rounds.flatMap(({ round }) => round.undone).filter((outcome) => !typed.test(outcome));
      expect(untyped).toEqual([]);
      await everyLockFree();
      // A message that does not arrive is what PING is for: acl-revoked.test.ts.
      if (missing !== '+ping') expect(await refusedTo(kit.admin, 'limited')).not.toEqual([]);
    },
  );
});

describe('an operator without', () => {
  it.each(documentedGrants('operator'))(
    '%s, which they need: each call is done or ends in a typed error, and the lock goes on to the next',
    async (missing) => {
      await createUser(kit.admin, 'limited', 'operator', missing);
      const round = await operators();
      expect(round.undone.filter((outcome) => !typed.test(outcome))).toEqual([]);
      await everyLockFree();
      expect(await refusedTo(kit.admin, 'limited')).not.toEqual([]);
    },
  );
});
