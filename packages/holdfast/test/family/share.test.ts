/** What is shared: on a memory server whose time the test moves, and over real processes. */
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { share as core, run } from '@holdfast/core';
import { useRedis } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type LockAcquireTrace,
  type LockClient,
  LockClientClosedError,
  type LockClientOptions,
  LockLostError,
  LockTimeoutError,
  LockUnavailableError,
  SharedFailureError,
  type ShareOptions,
} from 'holdfast';
import { createTestClient, createTestServer } from 'holdfast/testing';
import type { TestSite } from '../../src/testing/test-server.js';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Gate } from '../support/room.js';

const kit = useRedis();

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

function circular(): object {
  const value: Record<string, unknown> = {};
  value['itself'] = value;
  return value;
}

function unreadable(): Error {
  return Object.defineProperty(new Error('hidden'), 'message', {
    get: () => {
      throw new Error('not to be read');
    },
  });
}

/** So far apart that what happens meanwhile was told by message. */
const unhurried = { reaskMs: 30_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000 };

function processes(options: Partial<LockClientOptions> = unhurried) {
  const server = createTestServer();
  const clients = [1, 2, 3, 4].map(() => createTestClient({ server, ...options }));
  open.push(...clients);
  const [first, second] = clients as unknown as [LockClient, LockClient];
  let commands = 0;
  const { memory } = server as TestSite;
  const count = memory.commands.begin.bind(memory.commands);
  memory.commands.begin = (...begun) => {
    commands++;
    count(...begun);
  };
  return { server, clients, first, second, memory, commands: () => commands };
}

/** Counts how often it computes. */
function work(ttlMs = 60_000) {
  const gate = new Gate();
  const done = { runs: 0, gate };
  const options: ShareOptions<{ run: number }> = {
    ttlMs,
    fn: async () => {
      done.runs++;
      const mine = { run: done.runs };
      await gate.opened;
      return mine;
    },
  };
  return { ...done, options, runs: () => done.runs };
}

describe('what is shared', () => {
  it('is computed by one of all who ask, and handed to the others', async () => {
    const { server, clients } = processes();
    const { options, gate, runs } = work();
    const calls = clients.flatMap((client) => Array.from({ length: 25 }, () => client.share('report', options)));
    await server.advance(1_000);
    expect(runs()).toBe(1);
    gate.open();
    await server.advance(0);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, () => ({ run: 1 })));
    expect(runs()).toBe(1);
    // Each its own: what one does to it is nothing to the others.
    const [one, other] = await Promise.all([calls[0], calls[1]]);
    expect(one).not.toBe(other);
  });

  it('is not computed by a call whose scope has ended while it looked', async () => {
    const { server, first } = processes();
    const { options, runs } = work();
    const { call } = first.run(() => ({ call: failureOf(first.share('report', options)) }));
    await server.advance(100);
    expect(await call).toMatchObject({ code: 'LOCK_SCOPE', lockName: 'report' });
    expect(runs()).toBe(0);
  });

  it('is no failure to those who are told it while they wait, and is not told to anybody else', async () => {
    const { server, clients, first } = processes();
    const told: unknown[] = [];
    const heard = (message: unknown) => void told.push(message);
    const traces: LockAcquireTrace[] = [];
    const tracing = { asyncEnd: (trace: unknown) => void traces.push(trace as LockAcquireTrace), error: heard };
    const { options, gate } = work();
    subscribe('holdfast:refused', heard);
    tracingChannel<unknown, object>('holdfast:acquire').subscribe(tracing as never);
    try {
      const { signal } = new AbortController();
      const asked = (client: LockClient) => [
        client.share('report', options),
        client.share('report', { ...options, signal }),
      ];
      const calls = clients.flatMap((client) => [1, 2, 3].flatMap(() => asked(client)));
      await server.advance(1_000);
      gate.open();
      await server.advance(0);
      await Promise.all(calls);
    } finally {
      unsubscribe('holdfast:refused', heard);
      tracingChannel<unknown, object>('holdfast:acquire').unsubscribe(tracing as never);
    }
    expect(told).toEqual([]);
    // One of each process has had the lock: it has computed, or has found the value there.
    const expected = { tried: 6, won: 1, refused: 0, failed: 0, found: 5, successRate: 1 };
    for (const client of clients) expect(client.stats().acquisitions).toEqual(expected);
    const mine = traces.filter(({ clientId }) => clientId === first.clientId);
    expect(mine.map(({ outcome }) => outcome)).toEqual(['acquired', ...Array.from({ length: 5 }, () => 'found')]);
    for (const trace of traces) expect(trace).not.toHaveProperty('error');
  });

  it('costs each process a few commands, however many of its tasks wait, and one where it is found', async () => {
    const { server, clients, first, commands } = processes();
    const { options, gate } = work();
    await Promise.all(clients.map((client) => client.connect()));
    const before = commands();
    const calls = clients.flatMap((client) => Array.from({ length: 25 }, () => client.share('report', options)));
    await server.advance(100);
    gate.open();
    await server.advance(0);
    await Promise.all(calls);
    // For each process: look, ask, look, give back; of one also: put.
    expect(commands() - before).toBeLessThan(8 * clients.length);
    const found = commands();
    await Promise.all(Array.from({ length: 50 }, () => first.share('report', options)));
    expect(commands() - found).toBe(1);
  });

  it('is found for ttlMs, and then computed again', async () => {
    const { server, first, second } = processes();
    const { options, gate, runs } = work(10_000);
    gate.open();
    expect(await first.share('report', options)).toEqual({ run: 1 });
    await server.advance(9_000);
    expect(await second.share('report', options)).toEqual({ run: 1 });
    await server.advance(2_000);
    expect(await second.share('report', options)).toEqual({ run: 2 });
    expect(runs()).toBe(2);
  });

  it('is found while a task of the process has the lock for something else, or waits for it', async () => {
    const { server, first, second, commands } = processes();
    await first.share('report', { ttlMs: 60_000, fn: () => 'made' });
    const hold = await first.getLock('report').acquire();
    const next = second.getLock('report').acquire();
    await server.advance(100);
    const before = commands();
    const calls = [first, second].map((one) => one.share('report', { ttlMs: 60_000, waitMs: 500, fn: () => 'again' }));
    const found = Promise.all(calls);
    await server.advance(500);
    expect(await found).toEqual(['made', 'made']);
    expect(commands() - before).toBe(2);
    await hold.release();
    await (await next).release();
  });

  it('is found by who comes when another call of the process waits for the lock that a third task has got meanwhile', async () => {
    const { server, first, second } = processes();
    const { options, gate } = work();
    const computed = second.share('report', options);
    await server.advance(100);
    const held = first.getLock('report').acquire();
    await server.advance(100);
    const early = first.share('report', options);
    await server.advance(100);
    gate.open();
    await computed;
    const hold = await held;
    const late = first.share('report', { ...options, waitMs: 500 });
    await server.advance(500);
    expect(await late).toEqual({ run: 1 });
    expect(await early).toEqual({ run: 1 });
    await hold.release();
  });

  it('is found by who comes when a call of its process waits for the lock, which another process has, and then by that call too', async () => {
    const { server, clients } = processes();
    const [maker, keeper, late] = clients as unknown as [LockClient, LockClient, LockClient];
    const { options, gate } = work();
    const computed = maker.share('report', options);
    await server.advance(100);
    const kept = keeper.getLock('report').acquire();
    await server.advance(100);
    const early = late.share('report', options);
    await server.advance(100);
    gate.open();
    await computed;
    const hold = await kept;
    expect(await late.share('report', { ...options, waitMs: 0 })).toEqual({ run: 1 });
    expect(await early).toEqual({ run: 1 });
    await hold.release();
  });

  it('costs nothing more for who comes while a call of its process computes, and one look while one waits for the lock', async () => {
    const { server, first, second, commands } = processes();
    const { options, gate } = work();
    const calls = [first.share('report', options), second.share('report', options)];
    await server.advance(1_000);
    const before = commands();
    const come = async (client: LockClient) => {
      for (let more = 0; more < 10; more++) {
        for (let task = 0; task < 5; task++) calls.push(client.share('report', options));
        await server.advance(10);
      }
    };
    await come(first);
    expect(commands()).toBe(before);
    await come(second);
    expect(commands()).toBe(before + 10);
    gate.open();
    await server.advance(0);
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ run: 1 })));
  });

  it('leaves nothing when its time is over', async () => {
    const { server, first, memory } = processes();
    await first.share('report', { ttlMs: 5_000, fn: () => 1 });
    await server.advance(5_001);
    expect(memory.keysOf().keys()).toEqual([]);
  });

  it('is not revived by a late copy, nor written by who has lost the lock', async () => {
    const { server, first, memory } = processes();
    const port = { evalsha: () => Promise.reject(new Error('NOSCRIPT')), eval: evalOn(memory) };
    const keys = core.shareKeys('report');
    const hold = await first.getLock('report').acquire();
    const tenure = (await first.inspect('report')).owner?.id ?? '';
    const { nowMs } = await run(port, core.look(keys));
    const command = core.put(keys, { tenure, untilMs: nowMs + 1_000, text: 'v1' });
    expect(await run(port, command)).toBe('put');
    await server.advance(900);
    expect(await run(port, command)).toBe('put');
    await server.advance(101);
    expect(await run(port, command)).toBe('over');
    expect((await run(port, core.look(keys))).text).toBeUndefined();
    await hold.release();
    const late = core.put(keys, { tenure, untilMs: nowMs + 90_000, text: 'v2' });
    expect(await run(port, late)).toBe('lost');
    expect((await run(port, core.look(keys))).text).toBeUndefined();
  });

  it('is what the codec makes of it, for the one that computed it too', async () => {
    const { first, second } = processes();
    const codec = { encode: (date: Date) => `${date.getTime()}`, decode: (text: string) => new Date(Number(text)) };
    const fn = () => new Date(7);
    expect(await first.share('day', { ttlMs: 60_000, fn, codec })).toEqual(new Date(7));
    expect(await second.share('day', { ttlMs: 60_000, fn: () => new Date(8), codec })).toEqual(new Date(7));
    // By JSON a date is a text, wherever it comes from.
    expect(await first.share('text', { ttlMs: 60_000, fn })).toBe(new Date(7).toJSON());
    for (const value of [null, 0, '', false, [], { a: [1] }]) {
      const name = `json ${JSON.stringify(value)}`;
      expect(await first.share(name, { ttlMs: 60_000, fn: () => value })).toEqual(value);
      expect(await second.share(name, { ttlMs: 60_000, fn: () => 'another' as never })).toEqual(value);
    }
  });

  it('is computed by the next process when the one that computes dies', async () => {
    const { server, first, second } = processes();
    // What is left of a process that has died: a lock that nobody renews or gives back.
    const dead = await first.getLock('report').acquire({ leaseMs: 5_000 });
    const { options, gate, runs } = work();
    const next = second.share('report', options);
    await server.advance(4_500);
    expect(runs()).toBe(0);
    gate.open();
    await server.advance(1_000);
    expect(await next).toEqual({ run: 1 });
    await failureOf(dead.release());
  });

  it('is not taken from a process that has lost the lock over it', async () => {
    const { server, first, second } = processes();
    const { options, gate } = work();
    const lost = failureOf(first.share('report', options));
    await server.advance(100);
    await second.getLock('report').forceUnlock();
    expect(await second.share('report', { ttlMs: 60_000, fn: () => ({ run: 7 }) })).toEqual({ run: 7 });
    gate.open();
    await server.advance(0);
    expect(await lost).toBeInstanceOf(LockLostError);
    expect(await first.share('report', options)).toEqual({ run: 7 });
  });
});

describe('who has lost the lock', () => {
  it.each([
    ['value', () => ({ run: 1 })],
    [
      'failure',
      () => {
        throw new TypeError('too late');
      },
    ],
  ])('shares no %s while another task of its process has it', async (_, outcome) => {
    const { server, first, second } = processes();
    const gate = new Gate();
    const fn = () => gate.opened.then(outcome);
    const lost = failureOf(first.share('report', { ttlMs: 60_000, errorTtlMs: 60_000, fn }));
    await server.advance(100);
    await second.getLock('report').forceUnlock();
    await server.advance(100);
    const successor = await first.getLock('report').acquire();
    const waiting = first.share('report', { ttlMs: 60_000, fn: () => ({ run: 7 }) });
    await server.advance(100);
    gate.open();
    await server.advance(100);
    expect(await lost).toBeInstanceOf(Error);
    expect(successor.state).toBe('held');
    const found = failureOf(second.share('report', { ttlMs: 60_000, fn: () => ({ run: 8 }), waitMs: 0 }));
    expect(await found).toBeInstanceOf(LockTimeoutError);
    await successor.release();
    expect(await waiting).toEqual({ run: 7 });
  });
});

describe('a failure', () => {
  const fails = () => {
    throw new TypeError('no such report');
  };

  it('is told to the one whose function it was, and the next one computes', async () => {
    const { server, first, second } = processes();
    const gate = new Gate();
    const failed = failureOf(first.share('report', { ttlMs: 60_000, fn: () => gate.opened.then(fails) }));
    await server.advance(100);
    const others = [first, first, second].map((client, index) =>
      client.share('report', { ttlMs: 60_000, fn: () => index }),
    );
    await server.advance(100);
    gate.open();
    await server.advance(0);
    expect(await failed).toBeInstanceOf(TypeError);
    const [one] = await Promise.all(others);
    expect(await Promise.all(others)).toEqual([one, one, one]);
  });

  it('is shared where that was asked for, and no longer than that', async () => {
    const { server, first, second } = processes();
    const options = { ttlMs: 60_000, errorTtlMs: 5_000 };
    expect(await failureOf(first.share('report', { ...options, fn: fails }))).toBeInstanceOf(TypeError);
    const told = await failureOf(second.share('report', { ...options, fn: () => 1 }));
    expect(told).toBeInstanceOf(SharedFailureError);
    expect(told).toMatchObject({ failureName: 'TypeError', failureMessage: 'no such report', lockName: 'report' });
    await server.advance(5_001);
    expect(await second.share('report', { ...options, fn: () => 2 })).toBe(2);
  });

  it('is not shared where its own caller had ended it', async () => {
    const { first, second } = processes();
    const options = { ttlMs: 60_000, errorTtlMs: 60_000 };
    const abort = new AbortController();
    const { signal } = abort;
    const fn = () => {
      abort.abort(new Error('no longer wanted'));
      return Promise.reject(signal.reason as Error);
    };
    expect(await failureOf(first.share('report', { ...options, signal, fn }))).toBe(signal.reason);
    expect(await second.share('report', { ...options, fn: () => 2 })).toBe(2);
  });

  it.each([
    ['whose message is a number without end', Object.assign(new Error('odd'), { message: 10n }), '10'],
    ['whose name is no text', Object.assign(new Error('circular'), { name: circular() }), 'circular'],
    ['that has no text', Object.create(null) as Error, 'it has no text'],
    ['whose message cannot be read', unreadable(), 'it has no text'],
    ['that is longer than what is shared', new Error('x'.repeat(1e6)), 'x'.repeat(4_000)],
  ])('is told as it is to who has computed, and to the others as a text: one %s', async (_, thrown, failureMessage) => {
    const { first, second } = processes();
    const options = { ttlMs: 60_000, errorTtlMs: 5_000 };
    const mine = await failureOf(first.share('report', { ...options, fn: () => Promise.reject(thrown) }));
    expect(mine === thrown).toBe(true);
    const told = await failureOf(second.share('report', { ...options, fn: () => 1 }));
    expect(told).toMatchObject({ code: 'LOCK_SHARED_FAILURE', failureMessage });
  });

  it('names what is shared where JSON has no text for the value, or cannot read what another codec has left', async () => {
    const { first, second } = processes();
    const options = { ttlMs: 60_000, errorTtlMs: 60_000, fn: () => 1n };
    const all = await Promise.all([first, first, second].map((client) => failureOf(client.share('big', options))));
    expect(all).toContainEqual(expect.objectContaining({ name: 'TypeError', cause: expect.any(TypeError) }));
    for (const error of all) expect(String(error)).toContain('share: the value of "big" is no JSON');
    const codec = { encode: (text: string) => `!${text}`, decode: (text: string) => text.slice(1) };
    await first.share('marked', { ttlMs: 60_000, fn: () => 'x', codec });
    await expect(second.share('marked', { ttlMs: 60_000, fn: () => 'y' })).rejects.toMatchObject({
      name: 'SyntaxError',
      message: 'share: the value of "marked" is no JSON',
      cause: expect.any(SyntaxError),
    });
  });

  it('is what a value is that cannot be shared', async () => {
    const { first, second } = processes();
    const wrong: ShareOptions<unknown>[] = [
      { ttlMs: 1_000, fn: () => undefined },
      { ttlMs: 1_000, fn: () => 'x'.repeat(99), maxBytes: 100 },
      { ttlMs: 1_000, fn: () => '€'.repeat(33), maxBytes: 100 },
      { ttlMs: 1_000, fn: () => 1, codec: { encode: () => 7 as never, decode: String } },
      // Redis would keep another text: the others would get another value than the call that has computed it.
      { ttlMs: 1_000, fn: () => 'hello 😀'.slice(0, 7), codec: { encode: String, decode: String } },
    ];
    for (const options of wrong)
      expect(String(await failureOf(first.share('report', options)))).toMatch(/^(TypeError|RangeError): share: /);
    expect(await second.share('report', { ttlMs: 1_000, fn: () => 'x'.repeat(98), maxBytes: 100 })).toHaveLength(98);
  });

  it('of Redis to keep it costs the others, and not the one that has computed', async () => {
    const { first, memory } = processes();
    const errors: unknown[] = [];
    first.on('error', (error) => errors.push(error));
    const heal = memory.refuse({ code: 'NOPERM', commands: ['set'] });
    expect(await first.share('report', { ttlMs: 60_000, fn: () => 'computed' })).toBe('computed');
    heal();
    expect(errors).toHaveLength(1);
    expect(await first.share('report', { ttlMs: 60_000, fn: () => 'again' })).toBe('again');
  });
});

describe('the end of a computation, when Redis falls silent over it,', () => {
  const none = { ttlMs: 60_000, errorTtlMs: 60_000 };

  async function computed(
    options: Partial<LockClientOptions>,
    call: (client: LockClient, gate: Gate) => Promise<unknown>,
  ) {
    const { server, first, memory } = processes({ ...unhurried, ...options });
    const gate = new Gate();
    const answers: unknown[] = [];
    void failureOf(call(first, gate)).then((error) => answers.push(error));
    await server.advance(100);
    memory.execute = () => undefined;
    gate.open();
    return { server, answers };
  }

  it.each<[string, object, (client: LockClient, gate: Gate) => Promise<unknown>]>([
    [
      'a value',
      LockUnavailableError,
      (client, gate) => client.share('report', { ...none, fn: () => gate.opened.then(() => 1) }),
    ],
    [
      'a value inside the lock',
      LockUnavailableError,
      (client, gate) =>
        client
          .getLock('report')
          .acquire()
          .then((hold) => hold.run(() => client.share('report', { ...none, fn: () => gate.opened.then(() => 1) }))),
    ],
    [
      'a failure',
      SyntaxError,
      (client, gate) =>
        client.share('report', { ...none, fn: () => gate.opened.then(() => Promise.reject(new SyntaxError('odd'))) }),
    ],
  ])('is told within responseTimeoutMs: %s', async (_, kind, call) => {
    const { server, answers } = await computed({ responseTimeoutMs: 3_000 }, call);
    await server.advance(2_999);
    expect(answers).toEqual([]);
    await server.advance(2);
    expect(answers).toEqual([expect.any(kind)]);
  });

  it('is told as soon as the lock is known to be lost', async () => {
    const options = { responseTimeoutMs: 20_000, watchdogTimeoutMs: 3_000, reaskMs: 500, claimLeaseMs: 1_000 };
    const { server, answers } = await computed(options, (client, gate) =>
      client.share('report', { ttlMs: 60_000, fn: () => gate.opened.then(() => 1) }),
    );
    await server.advance(3_000);
    expect(answers).toEqual([expect.any(LockLostError)]);
  });
});

/** From now on Redis answers nothing that comes behind the grant of a lock. */
function silentBehindGrants(memory: TestSite['memory']) {
  const execute = memory.execute.bind(memory);
  memory.execute = (...sent) => {
    const reply = execute(...sent);
    if (JSON.stringify(reply)?.includes('acquired')) memory.execute = () => undefined;
    return reply;
  };
  return {
    heal: () => {
      memory.execute = execute;
    },
  };
}

it('a call that has the lock, behind which Redis falls silent, is told within responseTimeoutMs', async () => {
  const { server, first, second, memory } = processes({ ...unhurried, responseTimeoutMs: 3_000 });
  const silence = silentBehindGrants(memory);
  const { options, runs } = work();
  const answers: unknown[] = [];
  void failureOf(first.share('report', options)).then((error) => answers.push(error));
  await server.advance(2_999);
  expect(answers).toEqual([]);
  await server.advance(100);
  expect(answers).toEqual([expect.any(LockUnavailableError)]);
  expect(runs()).toBe(0);
  silence.heal();
  memory.restart('data kept');
  await server.advance(5_000);
  expect(await second.getLock('report').tryLock()).toBe(true);
});

describe('waiting for what others compute', () => {
  it('ends with its deadline, its signal and its client, each call for itself', async () => {
    const { server, first, second } = processes();
    const { options, gate } = work();
    const computed = failureOf(first.share('report', options));
    await server.advance(100);
    const impatience = new AbortController();
    const late = failureOf(second.share('report', { ...options, waitMs: 500 }));
    const aborted = failureOf(second.share('report', { ...options, signal: impatience.signal }));
    const closed = failureOf(second.share('report', options));
    const once = failureOf(second.share('report', { ...options, waitMs: 0 }));
    await server.advance(499);
    impatience.abort(new Error('enough'));
    await server.advance(10);
    expect(await once).toBeInstanceOf(LockTimeoutError);
    expect(await late).toBeInstanceOf(LockTimeoutError);
    expect(await aborted).toBe(impatience.signal.reason);
    await second.close();
    expect(await closed).toBeInstanceOf(LockClientClosedError);
    expect(await failureOf(second.share('report', options))).toBeInstanceOf(LockClientClosedError);
    gate.open();
    expect(await computed).toBeUndefined();
  });

  it.each<[string, number | undefined, number]>([
    ['without a limit', undefined, 3_000],
    ['for one attempt', 0, 1_000],
    ['with a limit', 2_000, 2_000],
  ])('has one limit against a silent Redis, and says so: a call %s', async (_, waitMs, limitMs) => {
    for (const silence of ['cut off', 'no answer']) {
      const { server, first, memory } = processes({ responseTimeoutMs: 3_000 });
      await first.connect();
      if (silence === 'cut off') await server.outage(60_000);
      else memory.execute = () => undefined;
      const wait = waitMs === undefined ? {} : { waitMs };
      const answers: unknown[] = [];
      void failureOf(first.share('report', { ttlMs: 1_000, fn: () => 1, ...wait })).then((error) =>
        answers.push(error),
      );
      await server.advance(limitMs - 1);
      expect(answers).toEqual([]);
      await server.advance(2);
      expect(answers).toEqual([expect.any(LockUnavailableError)]);
      const { message } = answers[0] as Error;
      expect(message).toMatch(silence === 'cut off' ? /ECONNREFUSED/ : /has not answered|gave no answer/);
    }
  });

  it('has a patience of its own, whatever look of another call it has joined', async () => {
    const { server, first } = processes({ responseTimeoutMs: 2_000 });
    await first.connect();
    await server.outage(2_200);
    const calls: Promise<unknown>[] = [];
    for (const untilNextMs of [500, 500, 800, 400]) {
      calls.push(failureOf(first.share('report', { ttlMs: 1_000, fn: () => 1 })));
      await server.advance(untilNextMs);
    }
    await server.advance(200);
    expect(await Promise.all(calls)).toEqual([expect.any(LockUnavailableError), undefined, undefined, undefined]);
  });

  it('is told in the error for as long as the whole call has waited, its look included', async () => {
    const { server, first, memory } = processes();
    await first.connect();
    memory.execute = () => undefined;
    const failed = failureOf(first.share('report', { ttlMs: 1_000, waitMs: 500, fn: () => 1 }));
    await server.advance(600);
    expect(await failed).toMatchObject({ code: 'LOCK_TIMEOUT', waitedMs: 501, found: 'unanswered' });
  });

  it('is not what a function says that has waited for something else', async () => {
    const { first } = processes();
    const error = new LockTimeoutError('report', 7);
    expect(await failureOf(first.share('report', { ttlMs: 1_000, fn: () => Promise.reject(error) }))).toBe(error);
  });

  it('leaves nothing in a signal that lives longer', async () => {
    const { server, clients } = processes();
    const { signal } = new AbortController();
    const { options, gate } = work();
    const calls = clients.flatMap((client) => [1, 2].map(() => client.share('report', { ...options, signal })));
    await server.advance(1_000);
    gate.open();
    await server.advance(0);
    await Promise.all(calls);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    // Where Node keeps those that `AbortSignal.any` has made of it.
    const keys = Object.getOwnPropertySymbols(signal).filter(({ description }) => description === 'kDependantSignals');
    for (const key of keys) expect((Reflect.get(signal, key) as Set<unknown>).size).toBe(0);
  });

  it('ends when its client closes, also before the server has said whether there is a value', async () => {
    const { server, first } = processes();
    const { options } = work();
    await first.connect();
    await server.outage(60_000);
    let hasEnded = false;
    const call = failureOf(first.share('report', options)).finally(() => (hasEnded = true));
    const closed = first.close();
    await server.advance(0);
    expect(hasEnded).toBe(true);
    expect(await call).toBeInstanceOf(LockClientClosedError);
    await server.advance(2_000);
    await closed;
  });

  it('for what cannot be meant is refused before anything is sent', async () => {
    const { first, memory } = processes();
    const fn = () => 1;
    const wrong = [
      { fn },
      { ttlMs: 0, fn },
      { ttlMs: 1.5, fn },
      { ttlMs: 1_000 },
      { ttlMs: 1_000, fn: 'x' },
      { ttlMs: 1_000, fn, maxBytes: 0 },
      { ttlMs: 1_000, fn, errorTtlMs: -1 },
      { ttlMs: 1_000, fn, waitMs: -1 },
      { ttlMs: 1_000, fn, signal: {} },
      { ttlMs: 1_000, fn, codec: { encode: fn } },
      { ttlMs: 1_000, fn, ttl: 1 },
    ];
    for (const options of wrong)
      expect(String(await failureOf(first.share('report', options as never)))).toMatch(/^(TypeError|RangeError): /);
    for (const name of ['', 'holdfast_x', 'a{b'])
      expect(await failureOf(first.share(name, { ttlMs: 1_000, fn }))).toBeInstanceOf(RangeError);
    expect(memory.connections).toBe(0);
  });
});

it('on a real server, many tasks of several processes compute once and all have the value', async () => {
  const name = freshName();
  kit.cleanup(async () => void (await kit.admin.del(core.shareKeys(name).value)));
  let runs = 0;
  const fn = async () => {
    runs++;
    await kit.admin.ping();
    return { text: 'für alle ✓' };
  };
  const clients = [1, 2, 3, 4].map(() => openClient(kit));
  const calls = clients.flatMap((client) =>
    Array.from({ length: 25 }, () => client.share(name, { ttlMs: 60_000, fn })),
  );
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, () => ({ text: 'für alle ✓' })));
  expect(runs).toBe(1);
  expect(await kit.admin.pttl(core.shareKeys(name).value)).toBeGreaterThan(0);
});

/** The script port of one connection to a memory server. */

it('a lock that is lost before its holder has looked runs nothing', async () => {
  const client = createTestClient({ watchdogTimeoutMs: 2_000 });
  open.push(client);
  const { memory } = client.server as TestSite;
  const silence = silentBehindGrants(memory);
  let ran = 0;
  const failure = failureOf(client.share('report', { ttlMs: 60_000, fn: () => ++ran }));
  await client.advance(3_000);
  silence.heal();
  memory.restart('data kept');
  await client.advance(1_000);
  expect(await failure).toMatchObject({ code: 'LOCK_LOST', reason: 'unreachable' });
  expect(ran).toBe(0);
});

function evalOn(memory: TestSite['memory']) {
  return async (source: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> => {
    let reply: unknown;
    const connection = memory.accept({
      receive: (frame) => {
        if (frame.kind === 'reply') reply = frame.reply;
      },
      hungUp: () => undefined,
    });
    connection.execute(['eval', source, `${keys.length}`, ...keys, ...args.map(String)]);
    connection.close();
    return reply;
  };
}
