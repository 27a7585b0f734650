/** What is special about the spin lock; what it has in common with every lock is in `exclusive.ts`. */
import { useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type LockClient, LockTimeoutError, type SpinLockOptions } from 'holdfast';
import { createTestClient, createTestServer, type TestLockClient } from 'holdfast/testing';
import { constant, doubling, SpinWakeup } from '../../src/tenure/spin-wakeup.js';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

/** Two processes on one server in memory, whose time the test moves. What they draw is always the middle: three quarters of each pause. */
function processes() {
  const server = createTestServer();
  const clients = [createTestClient({ server }), createTestClient({ server })] as const;
  open.push(...clients);
  const [first, second] = clients as readonly [TestLockClient, TestLockClient];
  return { server, first, second };
}

/** After how many milliseconds, to one, a call has its answer. */
async function answeredAfter(server: { advance(ms: number): Promise<void> }, call: Promise<unknown>): Promise<number> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  call.then(end, end);
  for (let ms = 0; ms < 10_000; ms++) {
    await server.advance(ms === 0 ? 0 : 1);
    if (isOver) return ms;
  }
  throw new Error('no answer within 10 s');
}

describe('the pauses of a spin lock', () => {
  it.each<[string, SpinLockOptions, number]>([
    ['1, 2, 4 … 128 ms by default', { maxAttempts: 10 }, 0.75 * (1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 128)],
    [
      'those of an exponential back-off',
      { maxAttempts: 6, backOff: { kind: 'exponential', initialMs: 10, maxMs: 40 } },
      0.75 * (10 + 20 + 40 + 40 + 40),
    ],
    ['64 ms where they are constant', { maxAttempts: 6, backOff: { kind: 'constant' } }, 0.75 * 5 * 64],
    ['as constant as they are told', { maxAttempts: 6, backOff: { kind: 'constant', delayMs: 200 } }, 0.75 * 5 * 200],
  ])('are %s', async (_what, options, totalMs) => {
    const { server, first, second } = processes();
    await first.getLock('x').lock();
    const call = second.getSpinLock('x', options).tryLock(60_000);
    const ms = await answeredAfter(server, call);
    expect(await call).toBe(false);
    // The fractions of some pauses may have been rounded up.
    expect(ms).toBeGreaterThanOrEqual(Math.floor(totalMs));
    expect(ms).toBeLessThanOrEqual(totalMs + 10);
  });

  it('are drawn from the upper half of what the back-off says, and never longer than the lease of the owner', () => {
    const drawn = [0, 0.5, 0.999].map((random) => {
      const subscription = new SpinWakeup(() => doubling(1, 128)).subscribe();
      const found = { reaskMs: 1_500, position: 0, random: () => random };
      return Array.from({ length: 9 }, () => subscription.pauseMs({ ...found, pttlMs: 30_000 }));
    });
    expect(drawn[0]).toEqual([0.5, 1, 2, 4, 8, 16, 32, 64, 64]);
    expect(drawn[1]).toEqual([0.75, 1.5, 3, 6, 12, 24, 48, 96, 96]);
    expect(Math.max(...(drawn[2] ?? []))).toBeLessThan(128);
    const patient = new SpinWakeup(() => constant(10_000)).subscribe();
    expect(patient.pauseMs({ reaskMs: 1_500, position: 0, random: () => 0, pttlMs: 37 })).toBe(37);
    expect(patient.pauseMs({ reaskMs: 1_500, position: 0, random: () => 0 })).toBe(5_000);
  });

  it('end with the lease of an owner that has died', async () => {
    const { server, first, second } = processes();
    await first.getLock('x').lock({ leaseMs: 200 });
    const call = second.getSpinLock('x', { backOff: { kind: 'constant', delayMs: 60_000 } }).acquire();
    expect(await answeredAfter(server, call)).toBeLessThan(210);
    await (await call).release();
  });
});

describe('maxAttempts', () => {
  it('ends a call with no, or with LockTimeoutError where there is no such answer', async () => {
    const { server, first, second } = processes();
    await first.getLock('x').lock();
    const lock = second.getSpinLock('x', { maxAttempts: 3 });
    const calls = Promise.all([
      lock.tryLock(60_000),
      lock.tryAcquire({ waitMs: 60_000 }),
      lock.tryWithLock({ waitMs: 60_000 }, () => 1),
      ...[lock.lock(), lock.acquire(), lock.withLock(() => 1)].map(failureOf),
    ]);
    expect(await answeredAfter(server, calls)).toBeLessThan(20);
    const [no, none, notRun, ...errors] = await calls;
    expect({ no, none, notRun }).toEqual({ no: false, none: null, notRun: { ran: false } });
    for (const error of errors) expect(error).toBeInstanceOf(LockTimeoutError);
  });

  it('counts the attempts of each call, and not those before it came', async () => {
    const { server, first, second } = processes();
    await first.getLock('x').lock();
    const lock = second.getSpinLock('x', { maxAttempts: 4, backOff: { kind: 'constant', delayMs: 100 } });
    const ends: string[] = [];
    const early = lock.tryLock(60_000).then(() => ends.push('early'));
    await server.advance(160);
    const late = lock.tryLock(60_000).then(() => ends.push('late'));
    await server.advance(100);
    expect(ends).toEqual(['early']);
    await server.advance(300);
    expect(ends).toEqual(['early', 'late']);
    await Promise.all([early, late]);
  });

  it.each<[string, unknown]>([
    ['no attempt', { maxAttempts: 0 }],
    ['attempts that are no number', { maxAttempts: '3' }],
    ['an unknown back-off', { backOff: { kind: 'linear' } }],
    ['a back-off that is none', { backOff: 64 }],
    ['a pause of nothing', { backOff: { kind: 'constant', delayMs: 0 } }],
    ['a pause that shrinks', { backOff: { kind: 'exponential', initialMs: 200 } }],
    ['an option of another back-off', { backOff: { kind: 'constant', maxMs: 100 } }],
    ['an unknown option', { attempts: 3 }],
  ])('and back-offs that cannot be are refused: %s', (_what, options) => {
    const { first } = processes();
    expect(() => first.getSpinLock('x', options as SpinLockOptions)).toThrow(/maxAttempts|backOff|unknown option/);
  });
});

describe('a process that spins', () => {
  it('listens to nothing, takes no place in the queue, and asks for all its calls as one', async () => {
    const [client, holder] = [openClient(kit), openClient(kit)];
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const monitor = await kit.admin.monitor();
    kit.cleanup(() => monitor.disconnect());
    const tenures = new Set<string>();
    let asks = 0;
    monitor.on('monitor', (_time: string, command: string[]) => {
      const tenure = command.find((argument) => argument.startsWith(`${client.clientId}:`));
      if (tenure === undefined || !command[0]?.startsWith('eval')) return;
      tenures.add(tenure);
      asks++;
    });
    const lock = client.getSpinLock(name);
    const calls = Promise.all(Array.from({ length: 20 }, () => lock.withLock(() => undefined)));
    await waitUntil(() => asks >= 8, { what: 'it has asked some times' });
    expect(tenures.size).toBe(1);
    expect((await holder.inspect(name)).queue).toEqual([]);
    expect(await kit.admin.pubsub('CHANNELS', `holdfast_inbox:${client.clientId}`)).toEqual([]);
    await hold.release();
    await calls;
    expect(await kit.admin.pubsub('CHANNELS', `holdfast_inbox:${client.clientId}`)).toEqual([]);
  });

  it('needs no right to publish or subscribe', async () => {
    const user = `mute-${freshName()}`;
    await kit.admin.acl('SETUSER', user, 'on', 'nopass', '~*', '+@all', '-@pubsub', 'resetchannels');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const redis = kit.server.url.replace('redis://', `redis://${user}:any@`);
    const [one, two] = [openClient(kit, { redis }), openClient(kit, { redis })];
    const errors: unknown[] = [];
    for (const client of [one, two]) client.on('error', (error) => errors.push(error));
    const name = freshName();
    let inside = 0;
    const section = async () => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      inside--;
    };
    await Promise.all([one, two, one, two].map((client) => client.getSpinLock(name).withLock(section)));
    expect(errors).toEqual([]);
  });

  it('gives the lock to who waits in the queue, and gets it when nobody does', async () => {
    const { server, first, second } = processes();
    const spinning = first.getSpinLock('x');
    const hold = await spinning.acquire();
    const queued = second.getLock('x').acquire();
    await server.advance(10);
    await hold.release();
    await server.advance(0);
    const next = await queued;
    expect(next.state).toBe('held');
    const again = spinning.acquire();
    await server.advance(10);
    await next.release();
    await server.advance(200);
    await (await again).release();
  });
});
