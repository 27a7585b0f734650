import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type LockClient, type LockDiagnostics, LockLostError, LockTimeoutError, type LockTraces } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Gate, turns } from '../support/room.js';

const kit = useRedis();

const setUp = () => {
  const client = openClient(kit);
  const name = freshName();
  return { client, name, lock: client.getLock(name) };
};

type Trace<N extends keyof LockTraces> = readonly [step: string, trace: LockTraces[N]];

/** What is told of the calls or sections of one client, in order: the object is the one that was told. */
function listen<N extends keyof LockTraces>(client: LockClient, name: N): Trace<N>[] {
  const told: Trace<N>[] = [];
  for (const step of ['start', 'end', 'asyncStart', 'asyncEnd', 'error']) {
    const note = (message: unknown) => {
      const trace = message as LockTraces[N];
      if (trace.clientId === client.clientId) told.push([step, trace]);
    };
    subscribe(`tracing:${name}:${step}`, note);
    kit.cleanup(() => unsubscribe(`tracing:${name}:${step}`, note));
  }
  return told;
}

const stepsOf = (told: readonly Trace<keyof LockTraces>[]) => told.map(([step]) => step);
const last = <N extends keyof LockTraces>(told: readonly Trace<N>[]) => told.at(-1)?.[1];

describe('a call for a lock is traced', () => {
  it.each(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])('also to who listens to %s alone', async (step) => {
    const { client, name, lock } = setUp();
    const channel = `tracing:holdfast:acquire:${step}`;
    const told: unknown[] = [];
    const note = (message: unknown) => told.push(message);
    const hold = await lock.acquire();
    subscribe(channel, note);
    try {
      await failureOf(lock.acquire({ waitMs: 1 }));
    } finally {
      unsubscribe(channel, note);
    }
    expect(told).toEqual([expect.objectContaining({ clientId: client.clientId, name, outcome: 'busy' })]);
    await hold.release();
  });

  it('from start to end by one object, which says how the lock was had', async () => {
    const { client, name, lock } = setUp();
    const told = listen(client, 'holdfast:acquire');
    const asked = lock.acquire();
    expect(told).toEqual([
      ['start', { clientId: client.clientId, name }],
      ['end', { clientId: client.clientId, name }],
    ]);
    const hold = await asked;
    expect(stepsOf(told)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    expect(new Set(told.map(([, trace]) => trace)).size).toBe(1);
    expect(last(told)).toEqual({
      clientId: client.clientId,
      name,
      outcome: 'acquired',
      holdId: expect.any(String),
      how: 'asked',
    });
    await hold.run(() => lock.withLock(() => undefined));
    expect(last(told)).toMatchObject({ outcome: 'acquired', how: 're-entered' });
    const next = lock.acquire();
    await hold.release();
    const [second] = [await next];
    expect(last(told)).toMatchObject({ outcome: 'acquired', how: 'local' });
    const byScript = lock.acquire({ leaseMs: 5_000 });
    await second.release();
    await (await byScript).release();
    expect(last(told)).toMatchObject({ outcome: 'acquired', how: 'passed' });
  });

  it('to a refusal: busy with and without an error, and any other error', async () => {
    const { client, lock } = setUp();
    const hold = await lock.acquire();
    const told = listen(client, 'holdfast:acquire');
    await lock.tryAcquire();
    expect(stepsOf(told)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    expect(last(told)).toMatchObject({ waitMs: 0, outcome: 'busy' });
    expect(last(told)).not.toHaveProperty('error');
    await failureOf(lock.acquire({ waitMs: 10 }));
    expect(stepsOf(told).slice(4)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    expect(last(told)).toMatchObject({ waitMs: 10, outcome: 'busy', error: expect.any(LockTimeoutError) });
    const stop = new AbortController();
    const aborted = failureOf(lock.acquire({ signal: stop.signal }));
    const reason = new Error('enough');
    stop.abort(reason);
    await aborted;
    expect(last(told)).toMatchObject({ error: reason });
    expect(last(told)).not.toHaveProperty('outcome');
    await hold.release();
  });

  it('and says when the holder before did not give the lock back', async () => {
    const { client, lock } = setUp();
    const told = listen(client, 'holdfast:acquire');
    const lost = await lock.acquire();
    const next = lock.acquire();
    await lock.forceUnlock();
    await (await next).release();
    expect(last(told)?.inherited).toMatchObject({ reason: 'forced' });
    await failureOf(lost.release());
  });

  it('where tracing channels do not say whether anybody listens, as in Bun', async () => {
    const { client, lock } = setUp();
    const inherited = Object.getPrototypeOf(tracingChannel('holdfast:acquire')) as object;
    const usual = Object.getOwnPropertyDescriptor(inherited, 'hasSubscribers') as PropertyDescriptor;
    Object.defineProperty(inherited, 'hasSubscribers', { configurable: true, value: undefined });
    kit.cleanup(() => Object.defineProperty(inherited, 'hasSubscribers', usual));
    const [acquired, sections] = [listen(client, 'holdfast:acquire'), listen(client, 'holdfast:section')];
    await lock.withLock(() => undefined);
    for (const told of [acquired, sections]) expect(stepsOf(told)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
  });
});

describe('a section is traced', () => {
  it('until its lock is given back, and is of the hold that was acquired', async () => {
    const { client, name, lock } = setUp();
    const [acquired, told] = [listen(client, 'holdfast:acquire'), listen(client, 'holdfast:section')];
    const gate = new Gate();
    const section = lock.withLock(() => gate.opened);
    while (told.length < 2) await turns(1);
    expect(stepsOf(told)).toEqual(['start', 'end']);
    gate.open();
    await section;
    expect(stepsOf(told)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    expect(new Set(told.map(([, trace]) => trace)).size).toBe(1);
    const { holdId } = last(acquired) ?? {};
    expect(last(told)).toEqual({ clientId: client.clientId, name, holdId, how: 'asked' });
    expect(await lock.isLocked()).toBe(false);
  });

  it('to the error of its function, and to a loss', async () => {
    const { client, lock } = setUp();
    const told = listen(client, 'holdfast:section');
    const error = new Error('no');
    await failureOf(lock.withLock(() => Promise.reject(error)));
    expect(stepsOf(told)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    expect(last(told)).toMatchObject({ error });
    await failureOf(lock.withLock(() => lock.forceUnlock()));
    expect(last(told)?.error).toBeInstanceOf(LockLostError);
  });

  it('also when the hold is lost before it begins, and says how that was had', async () => {
    const { client, lock } = setUp();
    const told = listen(client, 'holdfast:section');
    const close = ({ clientId }: LockDiagnostics['holdfast:acquired']) => {
      if (clientId === client.clientId) void client.close();
    };
    const acquired = (message: unknown) => close(message as LockDiagnostics['holdfast:acquired']);
    subscribe('holdfast:acquired', acquired);
    kit.cleanup(() => unsubscribe('holdfast:acquired', acquired));
    expect(await failureOf(lock.withLock(() => undefined))).toBeInstanceOf(LockLostError);
    expect(last(told)).toMatchObject({ holdId: expect.any(String), how: 'asked', error: expect.any(LockLostError) });
  });

  it.each(Array.from({ length: 12 }, (_, many) => many))(
    'also of a member that was given back before, as another was lost %d steps behind its call',
    async (many) => {
      const [{ client, name }, other] = [setUp(), setUp()];
      const [sections, calls] = [listen(client, 'holdfast:section'), listen(client, 'holdfast:acquire')];
      const close = async () => {
        for (let step = 0; step < many; step++) await Promise.resolve();
        await other.client.close();
      };
      const acquired = (message: unknown) => {
        const { clientId } = message as LockDiagnostics['holdfast:acquired'];
        if (clientId === other.client.clientId) void close();
      };
      subscribe('holdfast:acquired', acquired);
      kit.cleanup(() => unsubscribe('holdfast:acquired', acquired));
      const members = [client.getLock(`{${name}}:first`), other.client.getLock(`{${name}}:last`)];
      await failureOf(client.getMultiLock(members).withLock(() => undefined));
      expect(last(calls)).toMatchObject({ outcome: 'acquired', how: 'asked' });
      for (const [, trace] of sections) expect(trace).toMatchObject({ how: 'asked' });
    },
  );

  it('once for each member of a multi-lock, inside each other', async () => {
    const { client, name } = setUp();
    const told = listen(client, 'holdfast:section');
    const locks = [client.getLock(`${name}:a`), client.getLock(`${name}:b`)];
    await client.getMultiLock(locks).withLock(() => undefined);
    const names = [...new Set(told.map(([, trace]) => trace.name))];
    expect(told.map(([step, trace]) => `${step} ${names.indexOf(trace.name)}`)).toEqual([
      ...['start 0', 'start 1', 'end 1', 'end 0'],
      ...['asyncStart 1', 'asyncEnd 1', 'asyncStart 0', 'asyncEnd 0'],
    ]);
  });

  it('of thousands of members, each inside the one before', async () => {
    const client = createTestClient();
    kit.cleanup(() => client.close());
    const [told, depth] = [listen(client, 'holdfast:section'), new AsyncLocalStorage<number>()];
    const { start } = tracingChannel<number, LockTraces['holdfast:section']>('holdfast:section');
    start.bindStore(depth, () => (depth.getStore() ?? 0) + 1);
    kit.cleanup(() => start.unbindStore(depth));
    const many = client.getMultiLock(Array.from({ length: 5_000 }, (_, index) => `${index}`));
    expect(await many.withLock(() => depth.getStore())).toBe(5_000);
    expect(told.filter(([step]) => step === 'asyncEnd')).toHaveLength(5_000);
  });

  it('and runs in what a subscriber binds to its start, while the call that wants the lock stays where it was', async () => {
    const { client, lock } = setUp();
    const spans = new AsyncLocalStorage<string>();
    const { start } = tracingChannel<string, LockTraces['holdfast:section']>('holdfast:section');
    start.bindStore(spans, (trace) => `section of ${(trace as LockTraces['holdfast:section']).name}`);
    kit.cleanup(() => start.unbindStore(spans));
    await spans.run('caller', async () => {
      const seen = await lock.withLock(async () => {
        await turns(2);
        return spans.getStore();
      });
      expect(seen).toBe(`section of ${lock.name}`);
      expect(spans.getStore()).toBe('caller');
    });
    expect(client.stats().acquisitions.won).toBe(1);
  });
});

describe('what nobody listens to', () => {
  it('makes no object: the first hold of which anything is told has the first id of its client', async () => {
    const { client, lock } = setUp();
    for (let times = 0; times < 10; times++) await lock.withLock(() => undefined);
    const told = listen(client, 'holdfast:section');
    await lock.withLock(() => undefined);
    expect(last(told)?.holdId).toMatch(/-1$/);
  });
});
