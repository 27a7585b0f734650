import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  countCommands,
  type RedisServer,
  startPrivateRedis,
  useRedis,
  waitUntil,
  whenReplicated,
} from '@holdfast/testkit';
import { LockNotReplicatedError, LockRefusedError } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';

const args = ['--repl-diskless-sync-delay', '0'];
const kit = useRedis(() => startPrivateRedis({ args }));
let replica: RedisServer;

beforeAll(async () => {
  const { host, port } = kit.server;
  replica = await startPrivateRedis({ args, config: `replicaof ${host} ${port}\n` });
  await replica.admin();
  await whenReplicated(kit.server);
}, 30_000);

afterAll(() => replica.stop());

/** A busy machine confirms late; where a test does not ask how late, half of the attempt is long enough. */
const confirmed = { attemptTimeoutMs: 10_000, replicas: { min: 1 } };

const asks = async (name: string) => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) > 0;

describe('replicas', () => {
  it('an acquisition counts when as many replicas as asked for have it, at the price of one command', async () => {
    const client = openClient(kit, { ...confirmed });
    const name = freshName();
    await client.getLock(name).withLock(() => undefined);
    const counter = await countCommands(kit.admin);
    await client.getLock(name).withLock(async () => {
      const admin = await replica.admin();
      expect(await admin.exists(name)).toBe(1);
    });
    expect(await counter.delta()).toMatchObject({ evalsha: 2, wait: 1 });
  });

  it('an acquisition that too few replicas confirm is undone and says how many did', async () => {
    const client = openClient(kit, { replicas: { min: 2, timeoutMs: 200 } });
    const name = freshName();
    const refused = await client
      .getLock(name)
      .tryAcquire({ waitMs: 5_000 })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LockNotReplicatedError);
    expect(refused).toMatchObject({ code: 'LOCK_NOT_REPLICATED', required: 2, confirmed: 1, lockName: name });
    await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the acquisition to be undone' });
    await waitUntil(async () => (await (await replica.admin()).exists(name)) === 0, {
      what: 'the replica to see that',
    });
  });

  it('a lock that was granted by message is confirmed too, and passed on when it cannot be', async () => {
    const holder = openClient(kit);
    const careful = openClient(kit, { replicas: { min: 1, timeoutMs: 200 } });
    const patient = openClient(kit);
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const waiting = careful.getLock(name).acquire({ waitMs: 20_000 });
    const told = expect(waiting).rejects.toMatchObject({ code: 'LOCK_NOT_REPLICATED', confirmed: 0 });
    await waitUntil(() => asks(name), { what: 'the careful one to wait' });
    const next = patient.getLock(name).acquire({ waitMs: 20_000 });
    await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 2, { what: 'both to wait' });
    await replica.stopProcess();
    kit.cleanup(() => replica.continueProcess());
    await hold.release();
    await told;
    await (await next).release();
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('many acquisitions share the wait for a replica, and what is held beside them is kept', async () => {
    const client = openClient(kit, { replicas: { min: 1, timeoutMs: 300 }, watchdogTimeoutMs: 1_500 });
    const kept = await client.getLock(freshName()).acquire();
    await replica.stopProcess();
    kit.cleanup(() => replica.continueProcess());
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () => failureOf(client.getLock(freshName()).tryAcquire())),
    );
    expect(new Set(outcomes.map((error) => (error as { code?: string }).code))).toEqual(
      new Set(['LOCK_NOT_REPLICATED']),
    );
    const { renewed } = client.stats().renewals;
    await waitUntil(() => client.stats().renewals.renewed > renewed + 1, { what: 'renewals' });
    expect(kept.state).toBe('held');
    await kept.release();
  });

  it.each([false, true])(
    'a lock that is asked for behind a WAIT has one of its own (on a connection with auto-pipelining: %s)',
    async (enableAutoPipelining) => {
      const redis = new Redis(kit.server.url, { enableAutoPipelining });
      kit.cleanup(() => redis.disconnect());
      const client = openClient(kit, { ...confirmed, redis });
      await client.getLock(freshName()).withLock(() => undefined);
      const counter = await countCommands(kit.admin);
      await replica.stopProcess();
      kit.cleanup(() => replica.continueProcess());
      const clients = async () => String(await kit.admin.client('LIST'));
      const first = client.getLock(freshName()).acquire();
      await waitUntil(async () => / cmd=wait /.test(await clients()), { what: 'WAIT to wait' });
      const second = client.getLock(freshName()).acquire();
      await waitUntil(async () => / qbuf=[1-9].* cmd=wait /.test(await clients()), {
        what: 'the next question to be behind it',
      });
      await replica.continueProcess();
      await Promise.all([first, second]);
      expect(await counter.delta()).toMatchObject({ wait: 2 });
    },
  );

  it('a lock that was granted by message is held once a replica has it', async () => {
    const holder = openClient(kit);
    const careful = openClient(kit, { ...confirmed });
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const waiting = careful.getLock(name).acquire({ waitMs: 20_000 });
    await waitUntil(() => asks(name), { what: 'it to wait' });
    await hold.release();
    const granted = await waiting;
    const seen = await (await replica.admin()).hkeys(name);
    expect(seen.some((field) => field.startsWith(careful.clientId))).toBe(true);
    await granted.release();
  });

  it('permits with ids are confirmed too, and come back when they cannot be', async () => {
    const network = await openProxy(kit);
    const client = openClient(kit, {
      redis: network.url,
      attemptTimeoutMs: 10_000,
      responseTimeoutMs: 30_000,
      replicas: { min: 1, timeoutMs: 2_000 },
    });
    const name = freshName();
    kit.cleanup(() => kit.admin.del(name).then(() => undefined));
    const permits = client.getPermitExpirableSemaphore(name, { permits: 1 });
    await permits.release(await permits.acquire());
    await replica.stopProcess();
    kit.cleanup(() => replica.continueProcess());
    const acquiring = permits.acquire();
    const told = expect(acquiring).rejects.toMatchObject({ code: 'LOCK_NOT_REPLICATED', required: 1, confirmed: 0 });
    const clients = async () => String(await kit.admin.call('CLIENT', 'LIST'));
    await waitUntil(async () => / cmd=wait /.test(await clients()), { what: 'WAIT to wait' });
    network.hold('down');
    await replica.continueProcess();
    await waitUntil(() => network.heldBytes > 0, { what: 'the permit to be confirmed, as that of a hold' });
    await replica.stopProcess();
    await network.heal();
    await told;
    await waitUntil(async () => (await permits.availablePermits()) === 1, { what: 'the permit to come back' });
  });

  it('re-entry and handoff inside the process ask no replica again', async () => {
    const client = openClient(kit, { ...confirmed });
    const name = freshName();
    const lock = client.getLock(name);
    await lock.withLock(() => undefined);
    const counter = await countCommands(kit.admin);
    await Promise.all([
      lock.withLock(() => lock.withLock(() => undefined)),
      lock.withLock(() => undefined),
      lock.withLock(() => undefined),
    ]);
    expect((await counter.delta()).wait).toBe(1);
  });

  it('a user who may not WAIT is refused and holds nothing', async () => {
    await kit.admin.call('ACL', 'SETUSER', 'nowait', 'on', '>pw', '~*', '&*', '+@all', '-wait');
    kit.cleanup(() => kit.admin.call('ACL', 'DELUSER', 'nowait').then(() => undefined));
    const url = kit.server.url.replace('redis://', 'redis://nowait:pw@');
    const client = openClient(kit, { redis: url, ...confirmed });
    const name = freshName();
    const refused = await client
      .getLock(name)
      .acquire()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LockRefusedError);
    expect(refused).toMatchObject({ redisCode: 'NOPERM' });
    await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the acquisition to be undone' });
  });

  it.each([
    [{ min: 0 }, RangeError],
    [{ min: 1.5 }, RangeError],
    [{ min: '1' }, TypeError],
    [{ min: 1, timeoutMs: 0 }, RangeError],
    [{ min: 1, timeoutMs: 1_000 }, RangeError],
    [{ min: 1, timeout: 10 }, TypeError],
    [true, TypeError],
  ])('replicas: %j is refused before any I/O', (replicas, kind) => {
    expect(() => openClient(kit, { replicas: replicas as never })).toThrow(kind);
  });
});
