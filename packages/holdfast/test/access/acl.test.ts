import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LockClient } from 'holdfast';
import {
  allowedName,
  applicationRound,
  openAs,
  operatorRound,
  quick,
  Round,
  unhurried,
} from '../support/access-round.js';
import { createUser, dispensable, documentedGrants, type Grant, password, refusedTo } from '../support/acl-rules.js';
import { failureOf } from '../support/outcomes.js';
import { inParts } from '../support/parts.js';

const kit = useRedis(startPrivateRedis);

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  // What one user is refused often must not push out what another one was refused once.
  await kit.admin.config('SET', 'acllog-max-len', 10_000);
  await kit.admin.script('FLUSH');
  // Without INFO ioredis says on the console that it cannot check whether the server is loading.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  jest.restoreAllMocks();
  const users = (await kit.admin.acl('USERS')) as string[];
  await kit.admin.acl('DELUSER', ...users.filter((user) => user.startsWith('limited')));
});

const modes = ['queue', 'redisson'] as const;

/** Two processes of an application, the second perhaps as another user. */
async function applicationIn(
  wakeup: (typeof modes)[number],
  {
    first = 'limited',
    second = first,
    times = quick,
    timesOfSecond = times,
  }: { first?: string; second?: string; times?: typeof quick; timesOfSecond?: typeof quick } = {},
) {
  const clients = [
    openAs(kit, first, { ...times, wakeup }),
    openAs(kit, second, { ...timesOfSecond, wakeup }),
  ] as const;
  return { round: await applicationRound(kit, ...clients), stats: clients.map((client) => client.stats()) };
}

/** Those whom an operator disturbs. Only who is told nothing must find out soon. */
const disturbed = { ...unhurried, reaskMs: quick.reaskMs as number };

const operators = (user = 'limited') =>
  operatorRound(kit, openAs(kit, user), openAs(kit, 'default', disturbed), openAs(kit, 'default', disturbed));

/** One waits for a read-write lock, for permits and for two locks at once, which another one gives back. */
async function waitingRound(wakeup: (typeof modes)[number]) {
  const round = new Round();
  const [ours, theirs] = [openAs(kit, 'limited', { wakeup }), openAs(kit, 'default', { wakeup })];
  const waitFor = async (title: string, take: (client: LockClient) => Promise<{ release(): Promise<void> }>) => {
    const hold = await take(theirs);
    const waiting = round.call(title, take(ours));
    await waitUntil(() => round.outcomes.has(title) || ours.stats().waiting > 0, { what: `${title}: one waits` });
    await hold.release();
    await (await waiting)?.release();
  };
  const [shared, pool, a, b] = [allowedName(), allowedName(), allowedName(), allowedName()];
  await waitFor('write', (client) => client.getReadWriteLock(shared).writeLock().acquire());
  await waitFor('permits', (client) => client.getSemaphore(pool, { permits: 1 }).acquire());
  await waitFor('two locks', (client) => client.getMultiLock([a, b]).acquire());
  return round;
}

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
    const open = () => openAs(kit, 'limited', { ...unhurried, prefix: 'lock:' });
    const clients = [open(), open()] as const;
    expect((await applicationRound(kit, ...clients)).undone).toEqual([]);
    expect((await openAs(kit, 'limited', { prefix: 'lock:' }).inspect('any name')).owner).toBeUndefined();
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  /** Counters of permits and of tokens stay. */
  const forgetAll = () => kit.cleanup(async () => void (await kit.admin.flushall()));

  it('for applications in Redisson mode can do without five commands, whatever is taken but fair locks and elections', async () => {
    forgetAll();
    for (const role of ['locks', 'read-write', 'semaphores', 'sizing']) await createUser(kit.admin, 'limited', role);
    await kit.admin.acl('SETUSER', 'limited', ...dispensable().map((grant) => `-${grant.slice(1)}`));
    expect((await applicationIn('redisson', { times: unhurried })).round.undone).toEqual([]);
    expect((await waitingRound('redisson')).undone).toEqual([]);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it('for applications in Redisson mode cannot do without them for fair locks, elections and inspect', async () => {
    forgetAll();
    await createUser(kit.admin, 'limited', 'locks');
    for (const role of ['elections', 'fair-beside-java']) await createUser(kit.admin, 'limited', role);
    await kit.admin.acl('SETUSER', 'limited', '+incrby');
    const client = openAs(kit, 'limited', { wakeup: 'redisson' });
    const others = openAs(kit, 'default', { wakeup: 'redisson' });
    const work = async () => {
      const name = allowedName();
      const hold = await others.getFairLock(name).acquire();
      const waiting = client.getFairLock(name).acquire({ waitMs: 200 });
      const busy = failureOf(waiting);
      const leads = await others.election(`${name}:boss`).campaign();
      const campaign = failureOf(client.election(`${name}:boss`).campaign({ waitMs: 200 }));
      const outcomes = [await busy, await campaign, await failureOf(client.inspect(name))];
      await hold.release();
      await leads.resign();
      await failureOf(client.getFairLock(name).withLock(() => undefined));
      return outcomes;
    };
    expect(await work()).toMatchObject([{ code: 'LOCK_TIMEOUT' }, { code: 'LOCK_TIMEOUT' }, undefined]);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
    await kit.admin.acl('SETUSER', 'limited', ...dispensable().map((grant) => `-${grant.slice(1)}`));
    const refused = { code: 'LOCK_REFUSED', redisCode: 'NOPERM' };
    expect(await work()).toMatchObject([refused, refused, refused]);
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

/** Who is granted a lock has time to renew it, however slow the machine is. */
const patient = { ...quick, claimLeaseMs: unhurried.claimLeaseMs as number };

/** What a round may have no use for. */
const rare: readonly Grant[] = ['+ping', '+zrange', '+zscore'];

/** How a call may end, but for `done`. */
const typed = /: (LOCK_REFUSED NOPERM|LOCK_LOST)$/;

/** Users without one of what they need each, beside each other: most of their time is waiting for leases to end. */
const withoutEach = (role: 'locks' | 'operator') => {
  const users = documentedGrants(role).map((missing, index) => [missing, `limited-${index}`] as const);
  // A user can do without EVAL where another user has made the script known.
  const alone = users.filter(([missing]) => missing === '+eval');
  return [
    ...inParts(alone, 1),
    ...inParts(
      users.filter((user) => !alone.includes(user)),
      8,
    ),
  ];
};

/** A round of a user of this role who lacks `missing`; an error says what they lack. */
async function limited(user: string, role: 'locks' | 'operator', missing: Grant, round: () => Promise<unknown>) {
  await createUser(kit.admin, user, role, missing);
  await round().catch((error: unknown) => {
    throw new Error(`without ${missing}`, { cause: error });
  });
}

describe('an application without one grant that it needs', () => {
  it.each(withoutEach('locks'))(
    '$told: each call is done or ends in a typed error, no lock stays, and others have their turn',
    async ({ part }) => {
      const rounds = part.map(([missing, first]) =>
        limited(first, 'locks', missing, async () => {
          const once = async () => {
            const times = { first, second: 'default', times: patient, timesOfSecond: unhurried };
            const all = await Promise.all([
              applicationIn('queue', times),
              ...modes.map((mode) => applicationIn(mode, { first })),
            ]);
            const [{ round: mixed }] = all as [(typeof all)[number]];
            expect([mixed.outcomes.get('wait'), mixed.outcomes.get('release')]).toEqual(['done', 'done']);
            const untyped = all.flatMap(({ round }) => round.undone).filter((outcome) => !typed.test(outcome));
            expect(untyped).toEqual([]);
          };
          await once();
          // A message that does not arrive is what PING is for (acl-revoked.test.ts), a queue that others stand in what ZRANGE is for, and a place there what
          // ZSCORE is for: a waiter that has its turn before it asks again needs none of them.
          if (rare.includes(missing)) return;
          // On a slow machine a lease may end before the step that needs the right.
          if ((await refusedTo(kit.admin, first)).length === 0) await once();
          expect(await refusedTo(kit.admin, first)).not.toEqual([]);
        }),
      );
      await Promise.all(rounds);
      await everyLockFree();
    },
  );
});

describe('an operator without one grant that they need', () => {
  it.each(withoutEach('operator'))(
    '$told: each call is done or ends in a typed error, and the lock goes on to the next',
    async ({ part }) => {
      const rounds = part.map(([missing, user]) =>
        limited(user, 'operator', missing, async () => {
          const round = await operators(user);
          expect(round.undone.filter((outcome) => !typed.test(outcome))).toEqual([]);
          expect(await refusedTo(kit.admin, user)).not.toEqual([]);
        }),
      );
      await Promise.all(rounds);
      await everyLockFree();
    },
  );
});
