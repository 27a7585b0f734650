import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient, RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);

/** A user's function, in a user's file: this one is looked for in stacks. */
async function theCaller(call: () => Promise<unknown>): Promise<unknown> {
  // Some time goes by between the call and its error, so that nobody is on the stack any more.
  return await call();
}

async function stackOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await theCaller(call);
  } catch (error) {
    return (error as Error).stack ?? '';
  }
  throw new Error('it did not fail');
}

const acquisitions: [string, (lock: RLock) => Promise<unknown>][] = [
  ['lock', (lock) => lock.lock()],
  ['tryLock', (lock) => lock.tryLock()],
  ['tryLock(waitMs)', (lock) => lock.tryLock(1_000)],
  ['acquire', (lock) => lock.acquire({ waitMs: 1_000 })],
  ['tryAcquire', (lock) => lock.tryAcquire()],
  ['withLock', (lock) => lock.withLock(() => undefined)],
  ['tryWithLock', (lock) => lock.tryWithLock({}, () => undefined)],
];
const questions: [string, (lock: RLock, client: LockClient) => Promise<unknown>][] = [
  ['isLocked', (lock) => lock.isLocked()],
  ['remainTimeToLive', (lock) => lock.remainTimeToLive()],
  ['forceUnlock', (lock) => lock.forceUnlock()],
  ['inspect', (lock, client) => client.inspect(lock.name)],
  ['connect', (_, client) => client.connect({ timeoutMs: 200 })],
];

describe('an error shows who called', () => {
  it.each([...acquisitions, ...questions])('%s, when Redis cannot be reached', async (_, call) => {
    const redis = { host: kit.server.host, port: 1 };
    const client = openClient(kit, { redis, attemptTimeoutMs: 100, responseTimeoutMs: 150 });
    expect(await stackOf(() => call(client.getLock(freshName()), client))).toMatch(
      /^LockUnavailableError: .*\n(.*\n)*.*caller-frames\.test/,
    );
  });

  it.each<[string, (lock: RLock) => Promise<unknown>]>([
    ['acquire', (lock) => lock.acquire({ waitMs: 20 })],
    ['withLock', (lock) => lock.withLock({ waitMs: 20 }, () => undefined)],
  ])('%s, when the lock stays busy, for whole milliseconds', async (_, call) => {
    const name = freshName();
    await openClient(kit).getLock(name).lock();
    let failure: unknown;
    const stack = await stackOf(() =>
      call(openClient(kit).getLock(name)).catch((error: unknown) => {
        failure = error;
        throw error;
      }),
    );
    expect(failure).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(Number.isInteger((failure as { waitedMs: number }).waitedMs)).toBe(true);
    expect(stack).toMatch(/caller-frames\.test/);
  });

  it('acquire and lock, also of a client that has made a thousand calls and notes no sites any more', async () => {
    const name = freshName();
    await openClient(kit).getLock(name).lock();
    const client = openClient(kit);
    const mine = client.getLock(freshName());
    await mine.lock();
    for (let calls = 1; calls < 1_000; calls++) await mine.tryLock();
    const other = client.getLock(name);
    expect(await stackOf(() => other.acquire({ waitMs: 20 }))).toMatch(
      /^LockTimeoutError: .*\n(.*\n)*.*caller-frames\.test/,
    );
    const waiting = stackOf(() => other.lock());
    await client.close();
    expect(await waiting).toMatch(/^LockClientClosedError: .*\n(.*\n)*.*caller-frames\.test/);
  });

  it('a multi-lock of such a client first, and not the steps to its members', async () => {
    const client = openClient(kit);
    const mine = client.getLock(freshName());
    await mine.lock();
    for (let calls = 1; calls < 1_000; calls++) await mine.tryLock();
    const name = freshName();
    await kit.admin.set(name, 'other data', 'PX', 60_000);
    const both = client.getMultiLock([client.getLock(name), client.getLock(freshName())]);
    expect(await stackOf(() => both.acquire())).toMatch(/^LockRefusedError: .*\n.*caller-frames\.test/);
  });

  it.each<[string, (error: Error, sites: unknown) => unknown]>([
    ['call sites', (_, sites) => sites],
    [
      'an exception',
      () => {
        throw new TypeError('no stacks here');
      },
    ],
  ])("or not, where the process's Error.prepareStackTrace makes %s of it: calls fail as ever", async (_, prepare) => {
    const lock = openClient(kit).getLock(freshName());
    await lock.lock();
    const client = openClient(kit);
    const other = client.getLock(lock.name);
    const codes: unknown[] = [];
    const usual: unknown = Reflect.get(Error, 'prepareStackTrace');
    Error.prepareStackTrace = prepare;
    try {
      const failures = Promise.all([
        failureOf(other.acquire({ waitMs: 20 })),
        failureOf(other.withLock({ waitMs: 20 }, () => undefined)),
        failureOf(client.getLock(freshName()).unlock()),
      ]);
      codes.push(...(await failures).map((failure) => (failure as { code?: string }).code));
      const waiting = failureOf(other.lock());
      await client.close();
      codes.push(((await waiting) as { code?: string }).code);
    } finally {
      Reflect.set(Error, 'prepareStackTrace', usual);
    }
    expect(codes).toEqual(['LOCK_TIMEOUT', 'LOCK_TIMEOUT', 'LOCK_NOT_HELD', 'LOCK_CLIENT_CLOSED']);
  });

  const lost = async (hold: Hold | undefined, name: string) => {
    await openClient(kit).getLock(name).forceUnlock();
    if (hold !== undefined) await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
  };

  it('release, unlock and withLock, when the lock was lost', async () => {
    const client = openClient(kit);
    const [held, locked, section] = [freshName(), freshName(), freshName()];
    const hold = await client.getLock(held).acquire();
    await lost(hold, held);
    expect(await stackOf(() => hold.release())).toMatch(/^LockLostError: .*\n(.*\n)*.*caller-frames\.test/);
    const lock = client.getLock(locked);
    await lock.lock();
    await kit.admin.del(locked);
    expect(await stackOf(() => lock.unlock())).toMatch(/^LockLostError: .*\n(.*\n)*.*caller-frames\.test/);
    const losing = () => client.getLock(section).withLock(() => kit.admin.del(section));
    expect(await stackOf(losing)).toMatch(/^LockLostError: .*\n(.*\n)*.*caller-frames\.test/);
  });

  it('and leaves the errors of others alone', async () => {
    const client = openClient(kit);
    const mine = new Error('mine');
    const { stack } = mine;
    const fails = () => Promise.reject(mine);
    await expect(client.getLock(freshName()).withLock(fails)).rejects.toBe(mine);
    const busy = freshName();
    await openClient(kit).getLock(busy).lock();
    const abort = new AbortController();
    const waiting = client.getLock(busy).acquire({ signal: abort.signal });
    abort.abort(mine);
    await expect(waiting).rejects.toBe(mine);
    expect(mine.stack).toBe(stack);
  });
});
