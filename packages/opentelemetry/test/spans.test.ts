import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, diag, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { traceLocks } from '@holdfast/opentelemetry';
import { kindOf, openClient, openSpans } from './site.js';

const kit = useRedis();

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

function setUp() {
  const { tracerProvider, spans } = openSpans(kit);
  const tracing = traceLocks({ tracerProvider, group: kindOf });
  kit.cleanup(() => tracing.stop());
  const { client, group, lock } = openClient(kit);
  const ofLock = (kind: 'acquire' | 'section', name = lock.name) =>
    spans().filter(
      (span) => span.name.startsWith(`holdfast.${kind}`) && span.attributes['holdfast.lock.name'] === name,
    );
  return { client, group, lock, tracing, tracer: tracerProvider.getTracer('test'), ofLock, spans };
}

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
const rejected = (call: Promise<unknown>) => expect(call).rejects.toThrow();

describe('a section', () => {
  it('is a span that what runs inside is part of, beside that of the call for the lock', async () => {
    const { client, group, lock, tracer, ofLock, spans } = setUp();
    const inside = await tracer.startActiveSpan('request', async (request) => {
      const seen = await lock.withLock(async () => {
        await setImmediate();
        tracer.startSpan('work').end();
        return trace.getActiveSpan()?.spanContext().spanId;
      });
      expect(trace.getActiveSpan()).toBe(request);
      request.end();
      return seen;
    });
    const [acquire] = ofLock('acquire');
    const [section] = ofLock('section');
    const named = (name: string) => spans().find((span) => span.name === name);
    expect(inside).toBe(idOf(section));
    expect(named('work')?.parentSpanContext?.spanId).toBe(idOf(section));
    for (const span of [acquire, section]) expect(span?.parentSpanContext?.spanId).toBe(idOf(named('request')));
    expect([acquire?.name, section?.name]).toEqual([`holdfast.acquire ${group}`, `holdfast.section ${group}`]);
    const said = {
      'holdfast.lock.name': lock.name,
      'holdfast.lock.group': group,
      'holdfast.client.id': client.clientId,
      'holdfast.acquire.how': 'asked',
      'holdfast.hold.id': section?.attributes['holdfast.hold.id'],
    };
    expect(section?.attributes).toEqual(said);
    expect(acquire?.attributes).toEqual({ ...said, 'holdfast.acquire.outcome': 'acquired' });
    expect(section?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('tells of its error, and of a loss', async () => {
    const { lock, ofLock } = setUp();
    await rejected(lock.withLock(() => Promise.reject(new Error('no'))));
    await rejected(lock.withLock(() => lock.forceUnlock()));
    const [failed, lost] = ofLock('section');
    expect(failed).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': '_OTHER' } });
    expect(failed?.events[0]).toMatchObject({ attributes: { 'exception.message': 'no' } });
    expect(lost).toMatchObject({ attributes: { 'error.type': 'LOCK_LOST' } });
    expect(lost?.events[0]).toMatchObject({
      name: 'holdfast.lost',
      attributes: { 'holdfast.loss.reason': 'force-unlocked' },
    });
  });
});

describe('the span of a section', () => {
  it('is an error also when nothing but undefined was thrown', async () => {
    const { lock, ofLock } = setUp();
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- code of users does
    await expect(lock.withLock(() => Promise.reject(undefined))).rejects.toBeUndefined();
    expect(ofLock('section')).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': '_OTHER' } },
    ]);
  });
});

describe('the span of a call for a lock', () => {
  it('is linked to the section that handed it the lock, in memory and by script', async () => {
    const { client, lock, ofLock } = setUp();
    const acquired = () => ofLock('acquire').length;
    const waiting = async (calls: number) =>
      waitUntil(() => client.stats().waiting === calls, { what: `${calls} calls to wait` });
    let next: Promise<void> | undefined;
    await lock.withLock(async () => {
      next = client.exit(() => lock.withLock(() => undefined));
      await waiting(1);
    });
    await next;
    await lock.withLock(async () => {
      next = client.exit(() => lock.withLock({ leaseMs: 5_000 }, () => undefined));
      await waiting(1);
    });
    await next;
    expect(acquired()).toBe(4);
    const sections = ofLock('section');
    const links = ofLock('acquire').map(({ attributes, links: [link] }) => [
      attributes['holdfast.acquire.how'],
      sections.findIndex((section) => idOf(section) === link?.context.spanId),
    ]);
    // The sections in the order in which they ended: each before the one it handed the lock to, or after it when that was short.
    const from = (how: string) => links.find(([each]) => each === how)?.[1];
    const handers = [from('local'), from('passed')];
    expect(handers).not.toContain(-1);
    expect(new Set(handers).size).toBe(2);
    expect(links.filter(([how]) => how === 'asked')).toEqual([
      ['asked', -1],
      ['asked', -1],
    ]);
  });

  it('is linked to the one right before it, of all that have waited in one line', async () => {
    const { lock, ofLock } = setUp();
    const hold = await lock.acquire();
    const line = Array.from({ length: 3 }, () => lock.acquire());
    await hold.release();
    for (const next of line) await (await next).release();
    const calls = ofLock('acquire');
    const handers = calls.map(({ links: [link] }) => link?.context.spanId);
    expect(handers).toEqual([undefined, ...calls.slice(0, -1).map(idOf)]);
  });

  it('is linked to the call that acquired it, where the hold before had no section', async () => {
    const { lock, ofLock } = setUp();
    const hold = await lock.acquire();
    const next = lock.acquire();
    await hold.release();
    await (await next).release();
    const [first, second] = ofLock('acquire');
    expect(second?.links.map(({ context: { spanId } }) => spanId)).toEqual([idOf(first)]);
  });

  it('is linked to no hold of another client, whose lock of the same name is another one', async () => {
    const { lock, ofLock } = setUp();
    const { client: elsewhere } = openClient(kit, { prefix: 'other:' });
    const there = await elsewhere.getLock(lock.name).acquire();
    const hold = await lock.acquire();
    const next = lock.acquire({ leaseMs: 5_000 });
    const released: unknown[] = [];
    const whenReleased = () => {
      // The lock is on its way to the next call by now.
      unsubscribe('holdfast:released', whenReleased);
      released.push(there.release());
    };
    subscribe('holdfast:released', whenReleased);
    await hold.release();
    await (await next).release();
    await Promise.all(released);
    const [, first, second] = ofLock('acquire');
    expect(second?.attributes['holdfast.acquire.how']).toBe('passed');
    expect(second?.links.map(({ context: { spanId } }) => spanId)).toEqual([idOf(first)]);
  });

  it('is left alone when it has ended, whatever becomes of its hold', async () => {
    const { lock, ofLock } = setUp();
    const complaints: unknown[] = [];
    const complain = (...words: unknown[]) => complaints.push(words);
    const logger = {
      error: complain,
      warn: complain,
      info: complain,
      debug: () => undefined,
      verbose: () => undefined,
    };
    diag.setLogger(logger);
    kit.cleanup(() => diag.disable());
    const hold = await lock.acquire();
    await lock.forceUnlock();
    await rejected(hold.release());
    expect(ofLock('acquire')).toMatchObject([{ events: [] }]);
    expect(complaints).toEqual([]);
  });

  it('is an error only when the call failed, not when the lock was busy', async () => {
    const { lock, ofLock } = setUp();
    const hold = await lock.acquire();
    await lock.tryAcquire();
    await rejected(lock.acquire({ waitMs: 5 }));
    const stop = new AbortController();
    const aborted = rejected(lock.acquire({ signal: stop.signal }));
    stop.abort();
    await aborted;
    await hold.release();
    const told = ofLock('acquire').map(({ attributes, status }) => [
      attributes['holdfast.acquire.outcome'],
      attributes['holdfast.acquire.wait_ms'],
      status.code,
    ]);
    expect(told).toEqual([
      ['acquired', undefined, SpanStatusCode.UNSET],
      ['busy', 0, SpanStatusCode.UNSET],
      ['busy', 5, SpanStatusCode.UNSET],
      ['error', undefined, SpanStatusCode.ERROR],
    ]);
  });

  it('says that the holder before did not give the lock back', async () => {
    const { lock, ofLock } = setUp();
    const lost = await lock.acquire();
    const next = lock.acquire();
    await lock.forceUnlock();
    await (await next).release();
    await rejected(lost.release());
    expect(ofLock('acquire')[1]?.attributes['holdfast.hold.inherited']).toBe('forced');
  });
});

describe('when it is stopped', () => {
  it('no spans are made, and sections run where they are called', async () => {
    const { lock, tracing, spans } = setUp();
    tracing.stop();
    expect(await lock.withLock(() => trace.getActiveSpan())).toBe(undefined);
    expect(spans()).toEqual([]);
  });
});

describe('spans of the global provider', () => {
  it('go to one that is set later, and to the one that takes its place', async () => {
    const tracing = traceLocks();
    kit.cleanup(() => tracing.stop());
    kit.cleanup(() => trace.disable());
    const { lock } = openClient(kit);
    const spansUnder = async ({ tracerProvider, spans }: ReturnType<typeof openSpans>) => {
      trace.disable();
      trace.setGlobalTracerProvider(tracerProvider);
      await lock.withLock(() => undefined);
      return spans;
    };
    const first = await spansUnder(openSpans(kit));
    expect(first()).toHaveLength(2);
    const second = await spansUnder(openSpans(kit));
    expect(first()).toHaveLength(2);
    expect(second()).toHaveLength(2);
  });
});
