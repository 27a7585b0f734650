/** Elections, on a memory server whose time the test moves. That candidates exclude each other is the contract of the fenced lock below them. */
import { getEventListeners } from 'node:events';
import { election as core } from '@holdfast/core';
import { direct, memoryRedis, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  type Leader,
  type Leadership,
  type LockClient,
  LockClientClosedError,
  type LockClientOptions,
  LockLostError,
  LockNotHeldError,
  LockTimeoutError,
  LockUnavailableError,
} from 'holdfast';
import { createTestClient, createTestServer } from 'holdfast/testing';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { ElectionOperations } from '../../src/primitives/election-operations.js';
import { FencedLockHandle } from '../../src/primitives/fenced-handle.js';
import type { TestSite } from '../../src/testing/test-server.js';
import { failureOf } from '../support/outcomes.js';
import { driven, Gate } from '../support/room.js';

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

/** So far apart that what happens meanwhile was told by message. */
const unhurried = { reaskMs: 30_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000 };

function processes(options: Partial<LockClientOptions> = unhurried) {
  const server = createTestServer();
  const clients = [createTestClient({ server, ...options }), createTestClient({ server, ...options })] as const;
  open.push(...clients);
  return { server, first: clients[0], second: clients[1] };
}

/** What an observer was told, as short words. */
function watch(client: LockClient, name: string) {
  const told: string[] = [];
  let failure: unknown;
  const steps = client.election(name).observe();
  const end = (async () => {
    for await (const leader of steps) told.push(wordsOf(leader));
  })().catch((error: unknown) => {
    failure = error;
  });
  return { told, steps, end, failure: () => failure };
}

const wordsOf = (leader: Leader | undefined) => (leader === undefined ? 'nobody' : `${leader.id} ${leader.token}`);

describe('a campaign', () => {
  it('is a candidate of its own beside one of the same client that leads, of which nobody is warned', async () => {
    const { server, first } = processes();
    const told: unknown[] = [];
    first.on('self-wait', (event) => told.push(event));
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const leads = await first.election('e').campaign({ id: 'a' });
    const next = first.election('e').campaign({ id: 'b' });
    await server.advance(5_000);
    await leads.resign();
    await (await next).resign();
    expect([told, warn.mock.calls]).toEqual([[], []]);
    warn.mockRestore();
  });

  it('that is won keeps out the lock of its name too, and a call of the same client for that is warned of', async () => {
    const { server, first } = processes();
    const told: unknown[] = [];
    first.on('self-wait', ({ name }) => told.push(name));
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const leads = await first.election('e').campaign();
    const hold = first.getLock('e').acquire();
    await server.advance(5_000);
    await leads.resign();
    await (await hold).release();
    expect(told).toEqual(['e']);
    warn.mockRestore();
  });

  it('is won by one at a time, in the order in which they began, with rising tokens', async () => {
    const { server, first, second } = processes();
    const served: string[] = [];
    const tokens: number[] = [];
    let inside = 0;
    const runs = [first, second, first, second].map((client, index) =>
      client.election('boss').campaign(async (leadership) => {
        expect(++inside).toBe(1);
        served.push(`${index}`);
        tokens.push(leadership.token);
        expect(leadership.leads).toBe(true);
        await new Promise(setImmediate);
        inside--;
        return index;
      }),
    );
    // Each asks when it is connected: let them arrive.
    await server.advance(1_000);
    expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
    expect(served.toSorted()).toEqual(['0', '1', '2', '3']);
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
    expect(new Set(tokens).size).toBe(4);
  });

  it('that is won without a function lasts until it is given up, and the next is told no sooner than the last one', async () => {
    const { server, first, second } = processes();
    const leadership = await first.election('boss').campaign();
    const order: string[] = [];
    leadership.signal.addEventListener('abort', () => order.push('the first is told'));
    const next = second.election('boss').campaign((later) => {
      order.push('the second leads');
      expect(later.token).toBeGreaterThan(leadership.token);
    });
    await server.advance(100);
    expect(order).toEqual([]);
    const resigned = leadership.resign();
    expect(leadership.leads).toBe(false);
    expect(() => leadership.assertLeads()).toThrow(LockNotHeldError);
    await server.advance(0);
    await Promise.all([resigned, next, leadership.resign()]);
    expect(order).toEqual(['the first is told', 'the second leads']);
    expect(leadership.signal.reason).toBeInstanceOf(LockNotHeldError);
  });

  it('with a function that resigns is over when that has settled, and not before', async () => {
    const { server, first, second } = processes();
    const election = first.election('boss');
    let finish!: () => void;
    const mayFinish = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let leads: Leadership | undefined;
    const run = election.campaign(async (leadership) => {
      leads = leadership;
      await leadership.resign();
      await mayFinish;
      return 'done';
    });
    const next = second.election('boss').campaign();
    await server.advance(100);
    expect(leads?.signal.aborted).toBe(true);
    expect(await election.resign()).toBe(false);
    let isLed = false;
    void next.then(() => {
      isLed = true;
    });
    await server.advance(10_000);
    expect(isLed).toBe(false);
    finish();
    await server.advance(0);
    expect(await run).toBe('done');
    const last = await next;
    expect([last.leads, await second.election('boss').resign()]).toEqual([true, false]);
    await last.resign();
  });

  it.each([
    ['returned', () => Promise.resolve('done')],
    ['thrown', () => Promise.reject(new Error('failed'))],
  ])('with a function that has %s is over for what that has left behind, before the next one leads', async (_, end) => {
    const { server, first, second } = processes();
    const gate = new Gate();
    const order: string[] = [];
    let left: AbortSignal | undefined;
    const campaign = first.election('boss').campaign(async ({ signal }) => {
      left = signal;
      signal.addEventListener('abort', () => order.push('what is left behind is told'));
      await gate.opened;
      return end();
    });
    const run = Promise.allSettled([campaign]);
    await server.advance(100);
    const next = second.election('boss').campaign(() => order.push('the second leads'));
    await server.advance(100);
    gate.open();
    await server.advance(100);
    await Promise.all([run, next]);
    expect(order).toEqual(['what is left behind is told', 'the second leads']);
    expect(left?.reason).toBeInstanceOf(LockNotHeldError);
  });

  it('ends with its signal and its deadline, and is won at once inside a leader', async () => {
    const { server, first, second } = processes();
    const election = first.election('boss');
    await election.campaign(async ({ token, signal }) => {
      expect(await election.campaign((nested) => nested.token)).toBe(token);
      expect(signal.aborted).toBe(false);
    });
    const leadership = await election.campaign({ id: 'node-1' });
    const impatience = new AbortController();
    const aborted = failureOf(second.election('boss').campaign({ signal: impatience.signal }));
    const late = failureOf(second.election('boss').campaign({ waitMs: 500 }, () => 'never'));
    await server.advance(500);
    impatience.abort(new Error('enough'));
    expect(await aborted).toBe(impatience.signal.reason);
    expect(await late).toBeInstanceOf(LockTimeoutError);
    expect(await election.resign()).toBe(true);
    expect(leadership.leads).toBe(false);
    await server.advance(0);
    expect(await first.getLock('boss').isLocked()).toBe(false);
  });

  it('with what cannot be meant is refused', async () => {
    const { first } = processes();
    const election = first.election('boss');
    for (const id of ['', 'a b', 7])
      expect(String(await failureOf(election.campaign({ id: id as string })))).toMatch(/Error: campaign: id must be/);
    expect(await failureOf(election.campaign({ waitMs: -1 }))).toBeInstanceOf(RangeError);
    expect(await failureOf(election.campaign({ leaseMs: 1 } as object))).toBeInstanceOf(TypeError);
    expect(await failureOf(election.campaign({}, 'x' as never))).toBeInstanceOf(TypeError);
    expect(() => election.observe({ every: 1 } as object)).toThrow(TypeError);
    for (const name of ['', 'holdfast_x', 'a{b']) expect(() => first.election(name)).toThrow(RangeError);
  });
});

describe('an observer', () => {
  it('is told who leads now, and each change by message, with the token of each leader', async () => {
    const { server, first, second } = processes();
    const { told, steps } = watch(second, 'boss');
    await server.advance(100);
    expect(told).toEqual(['nobody']);
    const tokens: number[] = [];
    const lead = async (client: LockClient, id?: string) => {
      const leadership = await client.election('boss').campaign(id === undefined ? {} : { id });
      tokens.push(leadership.token);
      await server.advance(100);
      return leadership;
    };
    const one = await lead(first, 'eu:node-1');
    const waiting = lead(first, 'eu:node-2');
    await server.advance(100);
    await one.resign();
    const two = await waiting;
    await server.advance(100);
    await two.resign();
    await server.advance(100);
    await (await lead(second)).resign();
    await server.advance(100);
    const [a, b, c] = tokens;
    expect(told).toEqual(['nobody', `eu:node-1 ${a}`, `eu:node-2 ${b}`, 'nobody', `${second.clientId} ${c}`, 'nobody']);
    await steps.return?.();
  });

  it('finds out within reaskMs what no message says, and who asks late is told the latest', async () => {
    const { server, first, second } = processes({ reaskMs: 1_000 });
    const steps = first.election('boss').observe();
    const step = steps.next();
    await server.advance(100);
    expect((await step).value).toBeUndefined();
    const hold = await second.getFencedLock('boss').acquire();
    // A fenced lock tells no observer.
    await server.advance(1_000);
    const { value } = await steps.next();
    expect(value).toEqual({ id: second.clientId, token: hold.token, thisClient: false });
    await hold.release();
    const again = await second.getFencedLock('boss').acquire();
    await server.advance(1_000);
    expect((await steps.next()).value).toMatchObject({ token: again.token });
    await again.release();
    await steps.return?.();
    expect(await steps.next()).toEqual({ done: true, value: undefined });
  });

  it('ends with its signal, its client, and when Redis has been silent for responseTimeoutMs', async () => {
    const { server, first, second } = processes();
    const impatience = new AbortController();
    const aborted = first.election('boss').observe({ signal: impatience.signal });
    const [closed, silent] = [watch(second, 'boss'), watch(first, 'boss')];
    void aborted.next();
    await server.advance(100);
    const step = failureOf(aborted.next());
    impatience.abort(new Error('enough'));
    expect(await step).toBe(impatience.signal.reason);
    await second.close();
    await closed.end;
    expect(closed.failure()).toBeInstanceOf(LockClientClosedError);
    await server.outage(100_000);
    await server.advance(60_000);
    expect(silent.failure()).toBeInstanceOf(LockUnavailableError);
    expect(silent.told).toEqual(['nobody']);
  });
});

describe('an observation that nobody asks for a step any more', () => {
  it('looks and listens no more when it has seen that, and the step that is asked for then is told what has changed', async () => {
    const { server, first, second } = processes({ reaskMs: 1_000 });
    const { memory } = server as TestSite;
    const looks = jest.spyOn(ElectionOperations.prototype, 'look');
    const steps = first.election('boss').observe();
    const channel = core.electionChannel('boss');
    const step = steps.next();
    await server.advance(100);
    expect((await step).value).toBeUndefined();
    await server.advance(5_000);
    const before = looks.mock.calls.length;
    expect(memory.listeners(channel)).toBe(0);
    await server.advance(60_000);
    expect(looks).toHaveBeenCalledTimes(before);
    const leadership = await second.election('boss').campaign();
    await server.advance(5_000);
    expect((await steps.next()).value).toMatchObject({ token: leadership.token });
    // And goes on with the one after it.
    const last = steps.next();
    await server.advance(5_000);
    await leadership.resign();
    await server.advance(100);
    expect(await last).toEqual({ done: false, value: undefined });
    looks.mockRestore();
  });

  it.each(['its signal aborts', 'it is returned', 'its client is closed'] as const)(
    'looks no more when %s',
    async (how) => {
      const { server, first } = processes({ reaskMs: 1_000 });
      const looks = jest.spyOn(ElectionOperations.prototype, 'look');
      const ended = new AbortController();
      const steps = first.election('boss').observe({ signal: ended.signal });
      const step = steps.next();
      await server.advance(5_000);
      expect(await step).toEqual({ done: false, value: undefined });
      if (how === 'its signal aborts') ended.abort(new Error('enough'));
      else if (how === 'it is returned') await steps.return?.();
      else await first.close();
      expect(getEventListeners(ended.signal, 'abort')).toEqual([]);
      const before = looks.mock.calls.length;
      await server.advance(60_000);
      expect(looks).toHaveBeenCalledTimes(before);
      looks.mockRestore();
      const next = failureOf(steps.next());
      if (how === 'its signal aborts') expect(await next).toBe(ended.signal.reason);
      else if (how === 'its client is closed') expect(await next).toBeInstanceOf(LockClientClosedError);
      expect(await steps.next()).toEqual({ done: true, value: undefined });
    },
  );
});

it('a leadership that was lost on its way to who campaigned for it is over, and observers are told so', async () => {
  const { server, first, second } = processes();
  const slow = jest.spyOn(FencedLockHandle.prototype, 'acquire');
  slow.mockImplementationOnce(async function late(this: FencedLockHandle, options) {
    const hold = await this.acquire(options);
    await second.getLock('boss').forceUnlock();
    await server.advance(100);
    return hold;
  });
  const tells = jest.spyOn(ElectionOperations.prototype, 'tell');
  const leadership = await first.election('boss').campaign();
  expect([leadership.leads, leadership.signal.reason]).toEqual([false, expect.any(LockLostError)]);
  // That it leads, and that it does not.
  expect(tells).toHaveBeenCalledTimes(2);
  for (const spy of [slow, tells]) spy.mockRestore();
});

it('a leadership that was lost says so to the first call that resigns, and to no other', async () => {
  const { server, first, second } = processes();
  const leadership = await first.election('boss').campaign();
  await second.getLock('boss').forceUnlock();
  await server.advance(100);
  const [told, beside] = await Promise.allSettled([leadership.resign(), leadership.resign()]);
  expect(told).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_LOST', reason: 'force-unlocked' } });
  expect(beside.status).toBe('fulfilled');
  await leadership.resign();
  await leadership[Symbol.asyncDispose]();
});

describe('a leader that is cut off', () => {
  guardLeaks();

  it.each(['silent', 'gone'] as const)('is told before the next one leads: the way is %s', async (how) => {
    const clock = new ManualClock();
    const server = new MemoryServer({ now: () => 1_700_000_000_000 + clock.now() });
    let isCut = false;
    const through = direct(() => (isCut && how === 'gone' ? undefined : server));
    const cuttable: Network = {
      dial(address, listener) {
        const socket = through.dial(address, {
          onOpen: () => listener.onOpen(),
          onFrame: (frame) => isCut || listener.onFrame(frame),
          onClose: (error) => listener.onClose(error),
        });
        return {
          send: (request) => isCut || socket.send(request),
          end: () => socket.end(),
          destroy: () => socket.destroy(),
        };
      },
    };
    const process = (network: Network) => {
      const redis = () => memoryRedis({ network, timers: clock }, { lazyConnect: true, enableOfflineQueue: false });
      const openRedis = () => ({ kind: 'node' as const, redis: redis(), ownership: 'ours' as const });
      const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
      return client;
    };
    const [first, second] = [process(cuttable), process(direct(() => server))];
    const order: string[] = [];
    const rule = failureOf(
      first.election('boss').campaign(
        ({ signal }) =>
          new Promise<void>((resolve) => {
            order.push('the first leads');
            signal.addEventListener('abort', () => {
              order.push('the first is told');
              resolve();
            });
          }),
      ),
    );
    while (order.length === 0) await clock.advance(5);
    const next = second.election('boss').campaign(({ token }) => {
      order.push('the second leads');
      return token;
    });
    await clock.advance(2_000);
    isCut = true;
    if (how === 'gone') server.hangUp();
    for (let ms = 0; order.length < 3 && ms < 60_000; ms += 20) await clock.advance(20);
    expect(order).toEqual(['the first leads', 'the first is told', 'the second leads']);
    expect(await rule).toBeInstanceOf(LockLostError);
    isCut = false;
    await next;
    let isClosed = false;
    void Promise.all([first.close(), second.close()]).then(() => {
      isClosed = true;
    });
    while (!isClosed) await clock.advance(20);
  });

  it('is told the truth by its signal on the first line after a stalled event loop', async () => {
    const clock = new ManualClock();
    const server = new MemoryServer({ now: () => 1_700_000_000_000 + clock.now() });
    const openRedis = () => {
      const redis = memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true });
      return { kind: 'node' as const, redis, ownership: 'ours' as const };
    };
    const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
    const leadership = await driven(clock, client.election('boss').campaign());
    expect(leadership.signal.aborted).toBe(false);
    clock.jump(31_000);
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.signal.reason).toBeInstanceOf(LockLostError);
    await driven(clock, client.close());
  });
});
