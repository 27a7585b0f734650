import { channel } from 'node:diagnostics_channel';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { diag, DiagConsoleLogger, metrics as metricsApi } from '@opentelemetry/api';
import { measureLocks, traceLocks } from '@holdfast/opentelemetry';
import type { LockEventMessage, RLock } from 'holdfast';
import { BOUNDS_S } from '../src/instruments.js';
import { kindOf, openClient, openMetrics } from './site.js';

const kit = useRedis();

function setUp(options: Parameters<typeof openClient>[1] = {}) {
  const metrics = openMetrics(kit);
  const measuring = measureLocks({ group: kindOf, meterProvider: metrics.meterProvider });
  kit.cleanup(() => measuring.stop());
  const { client, group, lock } = openClient(kit, options);
  return { client, group, lock, measured: () => metrics.of(group) };
}

const rejected = (call: Promise<unknown>) => expect(call).rejects.toThrow();

/** From task to task: the second call waits for the first. */
async function passOn(lock: RLock, leaseMs?: number) {
  const first = await lock.acquire();
  const second = lock.acquire(leaseMs === undefined ? {} : { leaseMs });
  await first.release();
  await (await second).release();
}

describe('calls for locks are measured', () => {
  it('by their answer, and how the lock was had', async () => {
    const { lock, measured } = setUp();
    const hold = await lock.acquire();
    await hold.run(() => lock.withLock(() => undefined));
    expect(await lock.tryAcquire()).toBe(null);
    await rejected(lock.acquire({ waitMs: 5 }));
    await rejected(lock.acquire({ signal: AbortSignal.abort() }));
    const stop = new AbortController();
    const aborted = rejected(lock.acquire({ signal: stop.signal }));
    stop.abort();
    await aborted;
    await hold.release();
    await passOn(lock);
    await passOn(lock, 5_000);
    const found = await measured();
    const had = (how: string) => ({ 'holdfast.acquire.outcome': 'acquired', 'holdfast.acquire.how': how });
    expect(found['holdfast.acquire.duration']).toEqual([
      { value: 3, attributes: had('asked') },
      { value: 1, attributes: had('re-entered') },
      { value: 2, attributes: { 'holdfast.acquire.outcome': 'busy' } },
      { value: 1, attributes: { 'holdfast.acquire.outcome': 'error', 'error.type': 'AbortError' } },
      { value: 1, attributes: had('local') },
      { value: 1, attributes: had('passed') },
    ]);
    expect(found['holdfast.handoffs']).toEqual([
      { value: 1, attributes: { 'holdfast.handoff.kind': 'local' } },
      { value: 1, attributes: { 'holdfast.handoff.kind': 'passed' } },
    ]);
    expect(found['holdfast.hold.duration']).toEqual([{ value: 6, attributes: { 'holdfast.hold.end': 'released' } }]);
  });

  it('by the reason that the platform gives a signal, where one has ended them', async () => {
    const { lock, measured } = setUp();
    const hold = await lock.acquire();
    const reasons = ['AbortError', 'TimeoutError'].map((name) => new DOMException('enough', name));
    for (const reason of [...reasons, new Error('AbortError')]) {
      const stop = new AbortController();
      const ended = rejected(lock.acquire({ signal: stop.signal }));
      stop.abort(reason);
      await ended;
    }
    const calls = (await measured())['holdfast.acquire.duration'];
    const types = calls?.flatMap(({ attributes }) => attributes['error.type'] ?? []);
    expect(types).toEqual(['AbortError', 'TimeoutError', '_OTHER']);
    await hold.release();
  });

  it('and are no errors when they are told what they wanted the lock for', async () => {
    const { client, group, measured } = setUp();
    let made: () => void = () => undefined;
    const making = new Promise<void>((resolve) => (made = resolve));
    const calls = [1, 2, 3].map(() =>
      client.share(`${group}:1`, { ttlMs: 1_000, fn: () => making.then(() => 'made') }),
    );
    await waitUntil(() => client.stats().acquisitions.tried === 3, { what: 'three calls that ask for the lock' });
    made();
    await Promise.all(calls);
    expect((await measured())['holdfast.acquire.duration']).toEqual([
      { value: 1, attributes: { 'holdfast.acquire.outcome': 'acquired', 'holdfast.acquire.how': 'asked' } },
      { value: 2, attributes: { 'holdfast.acquire.outcome': 'found' } },
    ]);
  });

  it('while they wait and hold, until measuring is stopped', async () => {
    const { lock, group } = openClient(kit);
    const metrics = openMetrics(kit);
    const measuring = measureLocks({ group: kindOf, meterProvider: metrics.meterProvider });
    const hold = await lock.acquire();
    const waiting = lock.acquire();
    measuring.stop();
    measuring.stop();
    await hold.release();
    await (await waiting).release();
    const found = await metrics.of(group);
    expect(found['holdfast.lock.held']).toEqual([{ value: 0, attributes: {} }]);
    expect(found['holdfast.lock.waiting']).toEqual([{ value: 0, attributes: {} }]);
  });

  it('while they wait and hold, and not when they were made before', async () => {
    const { lock, group, client } = setUp();
    const hold = await lock.acquire();
    const before = lock.acquire();
    const late = openMetrics(kit);
    const measuring = measureLocks({ group: kindOf, meterProvider: late.meterProvider });
    kit.cleanup(() => measuring.stop());
    const levels = async () => {
      const found = await late.of(group);
      return [found['holdfast.lock.waiting']?.[0]?.value, found['holdfast.lock.held']?.[0]?.value];
    };
    const waiting = [lock.acquire(), lock.acquire()];
    expect(await levels()).toEqual([2, undefined]);
    await hold.release();
    await (await before).release();
    const last = await waiting[0];
    expect(await levels()).toEqual([1, 1]);
    await last?.release();
    await (await waiting[1])?.release();
    expect(await levels()).toEqual([0, 0]);
    expect(client.stats()).toMatchObject({ waiting: 0, held: 0 });
  });

  it('and are refused above a limit', async () => {
    const { lock, measured } = setUp({ limits: { leaseMs: 60_000 } });
    await rejected(lock.acquire({ leaseMs: 60_001 }));
    const found = await measured();
    expect(found['holdfast.limit.refusals']).toEqual([{ value: 1, attributes: { 'holdfast.limit': 'leaseMs' } }]);
    expect(found['holdfast.acquire.duration']?.[0]?.attributes).toMatchObject({ 'error.type': 'LOCK_LIMIT' });
  });
});

describe('holds are measured', () => {
  it('until they are lost, which is counted by its reason and once', async () => {
    const { client, lock, measured } = setUp();
    const forced = await lock.acquire();
    await lock.forceUnlock();
    await rejected(forced.release());
    const deleted = await lock.acquire();
    await kit.admin.del(lock.name);
    await rejected(deleted.release());
    await client.run(() => lock.lock());
    const found = await measured();
    const ofReason = (reason: string) => ({ value: 1, attributes: { 'holdfast.loss.reason': reason } });
    expect(found['holdfast.lock.losses']).toEqual(['deleted', 'force-unlocked', 'scope-ended'].map(ofReason));
    expect(found['holdfast.hold.duration']).toEqual([
      { value: 2, attributes: { 'holdfast.hold.end': 'lost' } },
      { value: 1, attributes: { 'holdfast.hold.end': 'released' } },
    ]);
    expect(found['holdfast.leaks']).toEqual([{ value: 1, attributes: { 'holdfast.leak.how': 'scope-ended' } }]);
    expect(found['holdfast.lock.held']).toEqual([{ value: 0, attributes: {} }]);
    await lock.forceUnlock();
  });

  it('by the renewals of their leases', async () => {
    const { client, lock, measured } = setUp({ watchdogTimeoutMs: 1_200 });
    const hold = await lock.acquire();
    await waitUntil(() => client.stats().renewals.renewed >= 2, { what: 'two renewals' });
    await hold.release();
    const found = await measured();
    const { renewals } = client.stats();
    const counts = (name: string) => (found[name] ?? []).reduce((sum, { value }) => sum + value, 0);
    expect(found['holdfast.renewals']?.[0]?.attributes).toEqual({ 'holdfast.renewal.outcome': 'renewed' });
    expect(counts('holdfast.renewals')).toBe(renewals.lateness.count);
    expect(counts('holdfast.renewal.lateness')).toBe(renewals.lateness.count);
    expect(counts('holdfast.lease.slack')).toBe(renewals.slack.count);
  });

  it('when a guard refuses a write', async () => {
    const { client, lock, measured } = setUp();
    const key = `${lock.name}:guarded`;
    kit.cleanup(() => kit.admin.del(key, `holdfast_fence:{${key}}`));
    const late = await client.getFencedLock(`${lock.name}-a`).acquire();
    const other = client.getFencedLock(`${lock.name}-b`);
    await other.withLock(() => undefined);
    await other.withLock((hold) => hold.guard.set(key, 2));
    await expect(late.guard.set(key, 1)).rejects.toThrow('too late');
    await late.release();
    expect((await measured())['holdfast.fence.rejections']).toEqual([{ value: 1, attributes: {} }]);
  });

  it('when a call waits for its own client', async () => {
    const { lock, measured } = setUp();
    const hold = await lock.acquire();
    const waiting = lock.acquire();
    await waitUntil(async () => (await measured())['holdfast.self_waits'] !== undefined, { what: 'the suspicion' });
    await hold.release();
    await (await waiting).release();
  });
});

describe('events of clients are counted', () => {
  /** As a client publishes it. */
  const tell = (message: Omit<LockEventMessage, 'clientId'>) =>
    channel('holdfast:event').publish({ clientId: 'c', ...message });

  it('by their names, with the group of the lock of those that have one, and no others', async () => {
    const metrics = openMetrics(kit);
    using _measuring = measureLocks({ group: kindOf, meterProvider: metrics.meterProvider });
    const of = { name: 'invoice:42', holdId: 'h' };
    for (let times = 0; times < 2; times++) tell({ event: 'suspect', detail: of });
    tell({ event: 'held-long', detail: { ...of, heldMs: 1, site: undefined } });
    tell({ event: 'foreign-owner', detail: of });
    tell({ event: 'deadlock', detail: { waits: [] } });
    tell({ event: 'unsafe-setting', detail: { setting: 'role', value: 'slave', advice: '' } });
    // Has a name, which is not that of a lock.
    tell({ event: 'error', detail: new Error('no connection') });
    tell({ event: 'leak', detail: { ...of, how: 'collected', site: undefined } });
    tell({ event: 'self-wait', detail: { ...of, site: undefined, holderSite: undefined } });
    const events = async (group: string | undefined) =>
      (await metrics.of(group))['holdfast.events']?.map(({ value, attributes }) => [
        attributes['holdfast.event'],
        value,
      ]);
    expect(await events('invoice')).toEqual([
      ['suspect', 2],
      ['held-long', 1],
      ['foreign-owner', 1],
    ]);
    expect(await events(undefined)).toEqual([
      ['deadlock', 1],
      ['unsafe-setting', 1],
      ['error', 1],
    ]);
  });
});

describe('what is rare is counted', () => {
  /** What the counters say now. */
  async function counters(metrics: ReturnType<typeof openMetrics>) {
    await metrics.of('none');
    return metrics
      .exported()
      .flatMap(({ descriptor, dataPoints, ...kind }) =>
        'isMonotonic' in kind && kind.isMonotonic
          ? dataPoints.map(({ value, attributes }) => ({ name: descriptor.name, value, attributes }))
          : [],
      );
  }

  it('from 0, as soon as a lock of a group is seen: an alert sees its first event, and that after a restart', async () => {
    const metrics = openMetrics(kit);
    using _measuring = measureLocks({ group: kindOf, meterProvider: metrics.meterProvider });
    const ofNoLock = await counters(metrics);
    expect(ofNoLock.map(({ attributes, value }) => [attributes['holdfast.event'], value])).toEqual([
      ['deadlock', 0],
      ['unsafe-setting', 0],
      ['error', 0],
    ]);
    const { lock, group } = openClient(kit);
    const waiting = lock.acquire();
    const before = (await counters(metrics)).filter(({ attributes }) => attributes['holdfast.lock.group'] === group);
    await (await waiting).release();
    const started = (name: string, attribute: string) =>
      before.flatMap(({ name: of, value, attributes }) => (of === name ? [[attributes[attribute], value]] : []));
    const reasons = ['expired', 'deleted', 'taken', 'force-unlocked', 'unreachable', 'clock', 'max-hold'];
    expect(started('holdfast.lock.losses', 'holdfast.loss.reason')).toEqual(
      [...reasons, 'scope-ended', 'closed'].map((reason) => [reason, 0]),
    );
    expect(started('holdfast.limit.refusals', 'holdfast.limit')).toHaveLength(4);
    expect(started('holdfast.leaks', 'holdfast.leak.how')).toHaveLength(2);
    expect(started('holdfast.self_waits', 'holdfast.lock.group')).toEqual([[group, 0]]);
    expect(started('holdfast.fence.rejections', 'holdfast.lock.group')).toEqual([[group, 0]]);
    expect(started('holdfast.events', 'holdfast.event').map(([event]) => event)).toEqual([
      ...['suspect', 'held-long', 'foreign-owner'],
    ]);
  });

  it('from 0 of no more than a hundred groups, and of others when there is something to count', async () => {
    const metrics = openMetrics(kit);
    using _measuring = measureLocks({ group: (name) => name, meterProvider: metrics.meterProvider });
    for (let at = 0; at < 150; at++)
      channel('holdfast:acquired').publish({ name: `${at}`, holdId: `${at}`, how: 'asked' });
    channel('holdfast:self-wait').publish({ name: '149' });
    const found = (await counters(metrics)).filter(({ name }) => name === 'holdfast.self_waits');
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toMatchObject({ value: 1, attributes: { 'holdfast.lock.group': '149' } });
  });
});

describe('what is exported', () => {
  it('names no lock where no group is given, is in seconds, and has the bounds of stats()', async () => {
    const metrics = openMetrics(kit);
    const { client, lock } = openClient(kit);
    using _measuring = measureLocks({ meterProvider: metrics.meterProvider });
    await lock.withLock(() => undefined);
    await metrics.of('none');
    const exported = metrics.exported();
    expect(JSON.stringify(exported)).not.toContain(lock.name);
    const waits = exported.find(({ descriptor }) => descriptor.name === 'holdfast.acquire.duration');
    expect(waits?.descriptor).toMatchObject({ unit: 's' });
    expect(waits?.dataPoints[0]?.value).toMatchObject({ buckets: { boundaries: BOUNDS_S } });
    expect(client.stats().waits.buckets.map(({ upToMs }) => upToMs / 1_000)).toEqual(BOUNDS_S);
  });

  it('is in seconds, whatever the messages say in milliseconds', async () => {
    const metrics = openMetrics(kit);
    using _measuring = measureLocks({ meterProvider: metrics.meterProvider });
    const about = { clientId: 'c', name: 'stock', holdId: 'c:1' };
    channel('holdfast:acquired').publish({ ...about, how: 'asked' });
    channel('holdfast:renewal').publish({ ...about, outcome: 'renewed', latenessMs: 250, slackMs: 3_000 });
    channel('holdfast:released').publish({ ...about, heldMs: 1_500 });
    await metrics.of('none');
    const sumOf = (name: string) =>
      metrics.exported().find(({ descriptor }) => descriptor.name === name)?.dataPoints[0]?.value;
    expect(sumOf('holdfast.renewal.lateness')).toMatchObject({ sum: 0.25 });
    expect(sumOf('holdfast.lease.slack')).toMatchObject({ sum: 3 });
    expect(sumOf('holdfast.hold.duration')).toMatchObject({ sum: 1.5 });
  });

  it.each<[string, (name: string) => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no group');
      },
      'it threw no group',
    ],
    ['rejects', () => Promise.reject(new Error('no group')), 'it gave a promise'],
    ['gives null', () => null, 'it gave null'],
    ['gives an object', () => ({}), 'it gave an object'],
  ])('has no group where the group function %s, of which the process is warned once', async (_, fail, why) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    kit.cleanup(() => warn.mockRestore());
    const metrics = openMetrics(kit);
    const { lock } = openClient(kit);
    const group = (name: string) => (name === lock.name ? fail(name) : 'another');
    const measuring = measureLocks({ group: group as never, meterProvider: metrics.meterProvider });
    kit.cleanup(() => measuring.stop());
    expect(await lock.withLock(() => 1)).toBe(1);
    expect((await metrics.of(undefined))['holdfast.hold.duration']).toMatchObject([{ value: 1 }]);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining(why), { type: 'HoldfastWarning', code: 'HOLDFAST_GROUP' }],
    ]);
  });

  it('is exported also by a global provider that is set later, without what was open then', async () => {
    const { lock, group } = openClient(kit);
    const measuring = measureLocks({ group: kindOf });
    kit.cleanup(() => measuring.stop());
    const hold = await lock.acquire();
    const later = openMetrics(kit);
    metricsApi.setGlobalMeterProvider(later.meterProvider);
    kit.cleanup(() => metricsApi.disable());
    await hold.release();
    await lock.withLock(() => undefined);
    const found = await later.of(group);
    expect(found['holdfast.lock.held']).toEqual([{ value: 0, attributes: {} }]);
    expect(found['holdfast.hold.duration']).toMatchObject([{ value: 1 }]);
    expect(found['holdfast.acquire.duration']).toMatchObject([{ value: 1 }]);
  });

  it('have no level lowered that was not raised, when a group function throws once', async () => {
    diag.setLogger(Object.assign(new DiagConsoleLogger(), { error: () => undefined }));
    kit.cleanup(() => diag.disable());
    const metrics = openMetrics(kit);
    const { lock, group: own } = openClient(kit);
    let calls = 0;
    const group = (name: string) => {
      // Each time for what begins: the call for the lock, and the hold.
      if (name === lock.name && (++calls === 1 || calls === 2)) throw new Error('not yet');
      return kindOf(name);
    };
    const measuring = measureLocks({ group, meterProvider: metrics.meterProvider });
    kit.cleanup(() => measuring.stop());
    await lock.withLock(() => undefined);
    await lock.withLock(() => undefined);
    const found = await metrics.of(own);
    for (const level of ['holdfast.lock.waiting', 'holdfast.lock.held'])
      expect(found[level]).toEqual([{ value: 0, attributes: {} }]);
  });
});

describe('options that cannot be used', () => {
  it.each([
    ['measureLocks', measureLocks, 'meterProvider', 'getMeter'],
    ['traceLocks', traceLocks, 'tracerProvider', 'getTracer'],
  ] as const)('are refused by %s', (name, start, provider, method) => {
    const { client } = openClient(kit);
    const wrong: [options: unknown, says: string][] = [
      [client, 'it takes no client'],
      [null, 'options must be an object'],
      [{ groups: kindOf }, 'unknown option "groups"'],
      [{ group: 'invoice' }, 'group must be a function'],
      [{ [provider]: {} }, `${provider} must have ${method}()`],
    ];
    for (const [options, says] of wrong) expect(() => start(options as never)).toThrow(`${name}: ${says}`);
  });
});
