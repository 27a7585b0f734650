/** Whatever is said about locks is logged somewhere: it names locks, and never a password, a URL with one, an owner or a whole tenure id. */
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';
import { Cluster, Redis } from 'ioredis';
import { freshName } from '../support/clients.js';
import { Sayings, tenureId } from '../support/secrets.js';

const kit = useRedis(startPrivateRedis);

const password = 'hunter2-and-more';
const wrong = 'not-the-password';
const owner = 'worker-of-the-payroll';
const secrets = [password, wrong, owner, tenureId, 'user:'];

const quick = { attemptTimeoutMs: 150, responseTimeoutMs: 200 };
let sayings: Sayings;

beforeEach(async () => {
  sayings = new Sayings();
  await kit.admin.acl('SETUSER', 'user', 'reset', 'on', `>${password}`, '~*', '&*', '+@all');
});
afterEach(async () => {
  sayings.end();
  await kit.admin.acl('DELUSER', 'user');
});

const url = (secret: string, port = kit.server.port) => `redis://user:${secret}@${kit.server.host}:${port}`;

function open(options: Partial<LockClientOptions> = {}): LockClient {
  const client = createLockClient({ redis: url(password), ...options });
  kit.cleanup(() => client.close());
  sayings.listenTo(client);
  return client;
}

/** What a client can be asked, with an owner and without. */
async function callEverything(client: LockClient, name = freshName()): Promise<void> {
  const locks = [client.getLock(name), client.getLock(name, { owner })];
  for (const lock of locks) {
    const calls: Record<string, () => unknown> = {
      lock: () => lock.lock(),
      tryLock: () => lock.tryLock(50),
      acquire: () => lock.acquire({ waitMs: 50 }),
      withLock: () => lock.withLock({ waitMs: 50 }, () => undefined),
      unlock: () => lock.unlock(),
      isLocked: () => lock.isLocked(),
      getHoldCount: () => lock.getHoldCount(),
      remainTimeToLive: () => lock.remainTimeToLive(),
      forceUnlock: () => lock.forceUnlock(),
    };
    for (const [title, call] of Object.entries(calls)) await sayings.note(title, call);
  }
  await sayings.note('inspect', () => client.inspect(name));
}

const codes = () => new Set(sayings.heard.map(([, what]) => (what as { code?: unknown } | undefined)?.code));

// Many calls wait for their own limits, one after the other.
jest.setTimeout(180_000);

describe('no secret is said', () => {
  it('when the password is wrong, however the client was made', async () => {
    const node = { host: kit.server.host, port: kit.server.port };
    const yours = new Redis({ ...node, username: 'user', password: wrong, disconnectTimeout: 100 });
    yours.on('error', () => undefined);
    kit.cleanup(() => yours.disconnect());
    const cluster = new Cluster([node], {
      lazyConnect: true,
      redisOptions: { username: 'user', password: wrong, disconnectTimeout: 100 },
    });
    cluster.on('error', () => undefined);
    kit.cleanup(() => cluster.disconnect());
    const ways = [url(wrong), { ...node, username: 'user', password: wrong }, yours, cluster];
    for (const redis of ways) await callEverything(open({ redis, ...quick }));
    expect(codes()).toContain('LOCK_UNAVAILABLE');
    expect(sayings.heard.filter(([where]) => where === 'error').length).toBeGreaterThanOrEqual(3);
    expect(sayings.leaks(secrets)).toEqual([]);
  });

  it('when nobody is there', async () => {
    await callEverything(open({ redis: url(password, 1), ...quick }));
    expect(codes()).toContain('LOCK_UNAVAILABLE');
    expect(sayings.leaks(secrets)).toEqual([]);
  });

  it('when an option cannot work', async () => {
    const unusable = [
      `http://user:${password}@localhost`,
      `redis://user:${password}@local host`,
      `redis://user:${password}@localhost:99999`,
      new URL(url(password)),
      { host: 'localhost', password, role: 'slave' },
      { host: 'localhost', password, sentinels: [{ host: 'localhost' }], sentinelPassword: password, tls: {} },
      [url(password)],
    ];
    for (const redis of unusable)
      await sayings.note('createLockClient', () => createLockClient({ redis: redis as never }));
    await sayings.note('createLockClient', () => createLockClient({ redis: url(password), passwort: wrong } as never));
    const client = open();
    for (const bad of [`${owner} `, `${owner}\n`, owner.repeat(20)]) {
      await sayings.note('getLock', () => client.getLock('lock', { owner: bad }));
    }
    expect(sayings.heard).toHaveLength(unusable.length + 1 + 3);
    expect(sayings.leaks(secrets)).toEqual([]);
  });

  it('when Redis refuses', async () => {
    const name = freshName();
    await kit.admin.set(name, 'something else', 'EX', 60);
    await callEverything(open(quick), name);
    for (const right of ['-hset', '-pexpire', '-evalsha', '-publish', '-subscribe', 'resetchannels', 'resetkeys']) {
      await kit.admin.acl('SETUSER', 'user', right);
      await callEverything(open(quick));
    }
    expect(codes()).toContain('LOCK_REFUSED');
    expect(sayings.leaks(['something else', ...secrets])).toEqual([]);
  });

  it('when a lock is lost, for whatever reason, or never had', async () => {
    const client = open({ watchdogTimeoutMs: 600, maxHoldMs: 60_000, limits: { depth: 1 } });
    const other = open();
    const own = client.getLock(freshName(), { owner });
    const losses: Record<string, (name: string) => Promise<unknown>> = {
      forced: (name) => other.getLock(name).forceUnlock(),
      deleted: (name) => kit.admin.del(name),
      taken: (name) =>
        kit.admin
          .multi()
          .del(name)
          .hset(name, '6f1d2c3b-4a5e-4d6f-8a7b-9c0d1e2f3a4b:1', '1')
          .pexpire(name, 1_000)
          .exec(),
    };
    for (const [title, lose] of Object.entries(losses)) {
      await sayings.note(title, async () => {
        await using hold = await client.getLock(freshName(), { owner }).acquire();
        await lose(hold.name);
        await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
        await sayings.note('assertHeld', () => hold.assertHeld());
        await sayings.note('signal', () => hold.signal.throwIfAborted());
      });
    }
    await sayings.note('expired', async () => {
      await using hold = await own.acquire({ leaseMs: 100 });
      await waitUntil(() => hold.state === 'lost', { what: 'the end of the lease' });
    });
    await sayings.note('leak', () => client.run(() => client.getLock(freshName()).lock()));
    await sayings.note('depth', () => own.withLock(() => own.withLock(() => undefined)));
    await sayings.note('timeout', () => own.withLock(() => other.getLock(own.name, { owner }).acquire({ waitMs: 20 })));
    await sayings.note('pending', () =>
      client.run(() => Promise.all([client.getLock('a').lock(), client.getLock('a').lock()])),
    );
    await sayings.note('unlock', () => own.unlock());
    const last = await client.getLock(freshName(), { owner }).acquire();
    await client.close();
    await sayings.note('closed', () => last.release());
    await sayings.note('closed', () => own.lock());
    for (const code of [
      'LOCK_LOST',
      'LOCK_LIMIT',
      'LOCK_TIMEOUT',
      'LOCK_SCOPE',
      'LOCK_NOT_HELD',
      'LOCK_CLIENT_CLOSED',
    ]) {
      expect(codes()).toContain(code);
    }
    expect(sayings.heard.map(([where]) => where)).toEqual(
      expect.arrayContaining(['lost', 'leak', 'holdfast:lost', 'holdfast:refused']),
    );
    expect(sayings.leaks(secrets)).toEqual([]);
  });

  it('when a call waits for itself, or for somebody who knows no queue', async () => {
    const client = open({ reaskMs: 100, claimLeaseMs: 600 });
    const lock = client.getLock(freshName(), { owner });
    await lock.lock();
    const waiting = client.getLock(lock.name).acquire();
    await waitUntil(() => sayings.heard.some(([where]) => where === 'self-wait'), { what: 'self-wait' });
    await lock.unlock();
    await (await waiting).release();
    const foreign = freshName();
    await kit.admin.multi().hset(foreign, '6f1d2c3b-4a5e-4d6f-8a7b-9c0d1e2f3a4b:1', '1').pexpire(foreign, 1_000).exec();
    await sayings.note('foreign', () => client.getLock(foreign, { owner }).acquire({ waitMs: 500 }));
    expect(sayings.heard.map(([where]) => where)).toContain('foreign-owner');
    expect(sayings.leaks(secrets)).toEqual([]);
  });

  it('when replicas are missing, and a server may forget', async () => {
    const { admin } = kit;
    await admin.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'allkeys-lru');
    try {
      const client = open({ replicas: { min: 1, timeoutMs: 50 } });
      await sayings.note('acquire', () => client.getLock(freshName(), { owner }).acquire());
      await waitUntil(() => sayings.heard.some(([where]) => where === 'unsafe-setting'), { what: 'unsafe-setting' });
    } finally {
      await admin.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
    }
    expect(codes()).toContain('LOCK_NOT_REPLICATED');
    expect(sayings.leaks(secrets)).toEqual([]);
  });

  it('when messages and connections are bad', async () => {
    const client = open({ reaskMs: 100, claimLeaseMs: 600 });
    const hold = await client.getLock(freshName(), { owner }).acquire();
    const [id] = (await kit.admin.hkeys(hold.name)).filter((field) => field.includes(':'));
    for (const message of [`1 grant ${id} 1 1 1 -`, `2 what ${id}`, `1 lost ${id} force-unlocked`, `gibberish ${id}`]) {
      await kit.admin.publish(`holdfast_inbox:${client.clientId}`, message);
    }
    await kit.admin.client('KILL', 'USER', 'user');
    await waitUntil(() => sayings.heard.some(([where]) => where === 'suspect'), { what: 'the doubt' });
    await waitUntil(() => hold.state === 'held', { what: 'the connection' });
    await hold.release();
    expect(sayings.leaks(secrets)).toEqual([]);
  });
});

describe('the search', () => {
  it('finds what is there: in messages, stacks, hidden properties, causes and lists of errors', () => {
    const hidden = new Error('no');
    Object.defineProperty(hidden, 'command', { value: { args: [password] } });
    const places = [
      new Error(password),
      new Error('no', { cause: { deep: [new Error(`again ${password}`)] } }),
      new AggregateError([new Error(password)]),
      hidden,
      { name: 'lock', nested: { url: url(password) } },
    ];
    for (const place of places) {
      sayings.heard.length = 0;
      sayings.heard.push(['here', place]);
      expect(sayings.leaks([password])).not.toEqual([]);
    }
  });

  it('knows the ids of tenures that stand in Redis', async () => {
    const hold = await open().getLock(freshName(), { owner }).acquire();
    const [id = ''] = (await kit.admin.hkeys(hold.name)).filter((field) => field.includes(':'));
    expect(id).toMatch(tenureId);
    await hold.release();
  });
});
