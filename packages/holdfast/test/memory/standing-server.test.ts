/** A server stands still for longer than any lease, and then does what it was told before. Time is driven. */
import { guardLeaks } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { AcquireOptions, LockClient } from 'holdfast';
import { failureOf } from '../support/outcomes.js';
import { standingServer } from '../support/standing-server.js';

const leaks = guardLeaks();

type Call = (client: LockClient, name: string, options: AcquireOptions) => Promise<{ release(): Promise<void> }>;

const kinds: readonly (readonly [string, Call])[] = [
  ['a lock', (client, name, options) => client.getLock(name).acquire(options)],
  ['a fair lock', (client, name, options) => client.getFairLock(name).acquire(options)],
  ['a fenced lock', (client, name, options) => client.getFencedLock(name).acquire(options)],
  ['a lock for writing', (client, name, options) => client.getReadWriteLock(name).writeLock().acquire(options)],
  ['a spin lock', (client, name, options) => client.getSpinLock(name).acquire(options)],
  ['a permit', (client, name, options) => client.getSemaphore(name, { permits: 1 }).acquire(1, options)],
];

describe('a server that has stood still for a minute', () => {
  it.each(kinds)('leaves %s to no call that has ended, whenever that was made', async (_, call) => {
    const server = standingServer(leaks);
    const [client, other] = [server.client(), server.client()];
    // Else the server would answer that it does not know the script.
    for (const each of [client, other]) await (await call(each, 'warm', {})).release();
    server.stop();
    const failures: Promise<unknown>[] = [];
    const names = Array.from({ length: 40 }, (__, index) => `order ${index}`);
    for (const name of names) {
      failures.push(failureOf(call(client, name, { waitMs: 2_000 })));
      await server.pass(200);
    }
    await server.pass(52_000);
    for (const failure of await Promise.all(failures)) expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    server.goOn();
    await server.pass(2_000);
    for (const name of names) await (await call(other, name, { waitMs: 0 })).release();
  });

  it.each([
    ['while a silent connection is replaced', 'deaf'],
    ['when another one has come, which has answered nothing yet', 'greeting'],
  ] as const)('is unavailable to all calls that end meanwhile, also %s', async (_, manner) => {
    const server = standingServer(leaks);
    const client = server.client();
    await client.getLock('warm').withLock(() => undefined);
    server.stop(manner);
    const failures: Promise<unknown>[] = [];
    for (let call = 0; call < 40; call++) {
      failures.push(failureOf(client.getLock(`order ${call}`).acquire({ waitMs: 2_000 })));
      await server.pass(200);
    }
    for (const failure of await Promise.all(failures.slice(0, 30)))
      expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    server.goOn();
    await server.pass(3_000);
    await Promise.all(failures);
  });

  it.each([0, 2_000, undefined])(
    'is unavailable to a call inside a hold, whose lock is busy for nobody: waitMs %s',
    async (waitMs) => {
      const server = standingServer(leaks);
      const lock = server.client({ watchdogTimeoutMs: 120_000 }).getLock('order');
      const hold = await lock.acquire();
      server.stop();
      const nested = failureOf(hold.run(() => lock.tryAcquire({ waitMs })));
      await server.pass(30_000);
      expect(await Promise.race([nested, Promise.resolve('still waits')])).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      server.goOn();
      await Promise.all([hold.release(), server.pass(1_000)]);
    },
  );
});
