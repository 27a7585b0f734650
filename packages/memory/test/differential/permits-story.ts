/** Random stories of the semaphore for the differential test. */

import * as core from '@holdfast/core';
import * as fc from 'fast-check';
import { call, FAR_OFF_MS, faultsOf, oddOf, REQUESTS, send, type Step, TENURES } from './story.js';

const keys = core.semaphoreKeys('stock');
const { permits } = core;

/** Every key that such a story touches. */
export const PERMITS_KEYS: readonly string[] = [
  ...[keys.count, keys.queue, keys.fresh, keys.permits, keys.timeouts],
  ...[...TENURES, ...REQUESTS].map((id) => keys.dead(id)),
];
/** Channels beside those of the lock. */
export const PERMITS_CHANNELS: readonly string[] = [keys.releaseChannel];

const tenure = fc.constantFrom(...TENURES);
const leaseMs = fc.constantFrom(10_000, 40_000, 80_000, 'never' as const);
const tombstoneMs = fc.constantFrom(0, 0, 60_000);
const granting = { claimMs: fc.constant(20_000), trust: fc.boolean() };

/** Ids of permits: those of tenures too, so that they meet. */
const idLists = fc.constantFrom(['i:1'], ['i:1', 'i:2'], ['i:2', TENURES[0] ?? ''], ['i:3', 'i:2', 'i:1']);

const asks = fc
  .record({
    tenure,
    wanted: fc.constantFrom(1, 1, 2, 3),
    leaseMs,
    freshMs: fc.constantFrom(0, 30_000, 30_000, 30_000),
    freshTtlMs: fc.constantFrom(50_000, 70_000),
    initial: fc.constantFrom(0, 0, 2),
    ...granting,
  })
  .chain((options) =>
    fc.boolean().map((kept): Step => {
      const step = call(permits.ask(keys, { ...options, ticket: 0 }));
      return kept ? { ...step, ticketOf: options.tenure } : step;
    }),
  );

const changes: fc.Arbitrary<core.permits.Counting> = fc.oneof(
  fc.constantFrom(undefined, 30_000).map((ttlMs) => ({ how: 'begin', permits: 3, ttlMs }) as const),
  fc.constantFrom(-2, 1, 2).map((n) => ({ how: 'add', permits: n }) as const),
  fc.constantFrom(0, 2, 4).map((n) => ({ how: 'total', permits: n }) as const),
);

const sound: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: asks },
  {
    weight: 6,
    arbitrary: fc.record({ tenure, tombstoneMs, ...granting }).map((options) => call(permits.release(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ tenure, left: fc.constantFrom(1, 2), ...granting })
      .map((options) => call(permits.shrink(keys, options))),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ change: changes, request: fc.constantFrom(...REQUESTS), tombstoneMs: fc.constant(60_000), ...granting })
      .map((options) => call(permits.count(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.record({ tenure, leaseMs: fc.constantFrom(0, 30_000, 90_000, 'never' as const) }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((items) => call(permits.renew(items.map((item) => ({ ...item, keys }))))),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ tenure, ids: idLists, leaseMs, tombstoneMs: fc.constant(60_000) })
      .map((options) => call(permits.issue(keys, options))),
  },
  {
    weight: 3,
    arbitrary: fc.record({ tenure, ids: idLists, leaseMs }).map((options) => call(permits.adopt(keys, options))),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ ids: idLists, request: fc.constantFrom(...REQUESTS), tombstoneMs: fc.constant(60_000), ...granting })
      .map((options) => call(permits.takeBack(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ id: tenure, request: fc.constantFrom(...REQUESTS), leaseMs, tombstoneMs: fc.constant(60_000) })
      .map((options) => call(permits.setLease(keys, options))),
  },
  { weight: 1, arbitrary: fc.record(granting).map((options) => call(permits.serve(keys, options))) },
  { weight: 2, arbitrary: fc.constantFrom(call(permits.peek(keys)), call(permits.inspect(keys))) },
);

const far = `${FAR_OFF_MS}`;
/** Who may have permits. */
const shapes: readonly (readonly string[])[] = [
  ['a:1', '1 0'],
  ['a:1', `2 ${far}`, 'sweep', far],
  ['a:1', '2 1', 'sweep', '1'],
  ['a:1', '2 1', 'b:2', '1 0', 'sweep', '1'],
  ['a:1', `1 ${far}`, 'b:2', '3 1', 'sweep', '1'],
  ['i:1', `1 ${far}`, 'i:2', '1 0', 'sweep', far],
  ['a:1', 'soon', 'sweep', '1'],
  ['a:1', `1 ${far}`, 'sweep', 'soon'],
];

const places = fc.constantFrom(keys.count, keys.queue, keys.fresh, keys.permits, keys.timeouts);
const entries = fc.constantFrom('1 40000 1', `${far} 40000 2`, `${far} 0 1 7`, `${far} 40000`, 'garbage');

/** Some who have gone: more than one script looks at. */
const crowd = fc.integer({ min: 62, max: 67 }).map((many): Step[] => {
  const gone = Array.from({ length: many }, (_, index) => [`${index + 1}`, `z:${index}`]);
  return [
    send('zadd', keys.queue, ...gone.flat()),
    send('pexpire', keys.queue, '50000'),
    send('set', keys.count, '0'),
    send('del', keys.permits),
    send('hset', keys.permits, 'a:1', '1 0'),
    call(permits.release(keys, { tenure: 'a:1', tombstoneMs: 0, claimMs: 20_000, trust: true })),
  ];
});

const happenings: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 2, arbitrary: places.map((key): Step[] => [{ kind: 'expire', key }]) },
  { weight: 2, arbitrary: places.map((key): Step[] => [send('del', key)]) },
  { weight: 6, arbitrary: fc.constantFrom('0', '1', '3', '-1').map((n): Step[] => [send('set', keys.count, n)]) },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('set', keys.count, '2', 'PX', '50000')]) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('many', '1.5', '007', '-0', '1e3', '4503599627370495', '9007199254740993', '99999999999999999999')
      .map((text): Step[] => [send('set', keys.count, text)]),
  },
  { weight: 1, arbitrary: fc.constantFrom(...TENURES).map((id): Step[] => [send('del', keys.dead(id))]) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(['1', 'x'], [far, 'y'], ['1', 'x', '2', 'z', far, 'y'], ['92233720368547758', 'v'])
      .map((javas): Step[] => [send('zadd', keys.timeouts, ...javas)]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(tenure, entries).map(([id, entry]): Step[] => [send('hset', keys.fresh, id, entry)]),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...shapes)
      .map((shape): Step[] => [send('del', keys.permits), send('hset', keys.permits, ...shape)]),
  },
  {
    weight: 1,
    arbitrary: places.map((key): Step[] => [send('set', key, 'something else', 'PX', '60000')]),
  },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('del', keys.count), send('hset', keys.count, 'a:1', '1')]) },
  { weight: 2, arbitrary: crowd },
);

const innerCommands = [
  ...['exists', 'del', 'get', 'set', 'incrby', 'decrby', 'pttl', 'pexpire', 'persist', 'time', 'publish', 'pubsub'],
  ...['hset', 'hget', 'hmget', 'hgetall', 'hdel', 'hlen', 'hkeys', 'hexists'],
  ...['zadd', 'zrem', 'zcard', 'zcount', 'zrange', 'zscore', 'zrank'],
];

/** Whole stories. */
export const permitsStories: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: sound.map((step): Step[] => [step]) },
      { weight: 2, arbitrary: oddOf(sound).map((step): Step[] => [step]) },
      { weight: 10, arbitrary: happenings },
      { weight: 8, arbitrary: faultsOf(sound, innerCommands) },
    ),
    { minLength: 8, maxLength: 40, size: 'max' },
  )
  .map((parts) => [send('set', keys.count, '3'), ...parts.flat()]);

/** What the stories must have met. */
export const PERMITS_REPLIES: readonly string[] = [
  ...['acquired', 'mine', 'wait', 'busy', 'dead', 'NOTASEMAPHORE', 'NOTINITIALIZED', 'OOM', 'READONLY', 'ERR'].map(
    (kind) => `ask ${kind}`,
  ),
  ...['released', 'unserved', 'notHeld', 'passed', 'lost', 'READONLY', 'ERR'].map((kind) => `release ${kind}`),
  ...['counted', 'NOTASEMAPHORE'].map((kind) => `count ${kind}`),
  ...['renewed', 'held', 'lost', 'refused'].map((kind) => `renew ${kind}`),
  ...['issued', 'lost', 'NOTASEMAPHORE'].map((kind) => `issue ${kind}`),
  ...['acquired', 'mine', 'busy', 'dead', 'NOTASEMAPHORE'].map((kind) => `adopt ${kind}`),
  ...['returned', 'NOTASEMAPHORE'].map((kind) => `takeback ${kind}`),
  ...['leased', 'NOTASEMAPHORE'].map((kind) => `until ${kind}`),
  ...['served'].map((kind) => `serve ${kind}`),
  ...['counts', 'none', 'NOTASEMAPHORE'].map((kind) => `peek ${kind}`),
  ...['NOTASEMAPHORE'].map((kind) => `inspect ${kind}`),
].map((reply) => `permits/${reply}`);
