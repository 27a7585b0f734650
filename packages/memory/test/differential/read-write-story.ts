/** Random stories of the read-write lock for the differential test. */

import * as core from '@holdfast/core';
import * as fc from 'fast-check';
import { call, FAR_OFF_MS, faultsOf, JAVA, oddOf, REQUESTS, send, type Step, TENURES } from './story.js';

const keys = core.readWriteKeys('stock');
const { readWrite } = core;

/** Every key that such a story touches. */
export const READ_WRITE_KEYS: readonly string[] = [
  ...[keys.lock, keys.writers, keys.readers, keys.fresh],
  ...[...TENURES, ...REQUESTS].map((id) => keys.dead(id)),
];
/** Channels beside those of the lock. */
export const READ_WRITE_CHANNELS: readonly string[] = [keys.releaseChannel];

const tenure = fc.constantFrom(...TENURES);
const leaseMs = fc.constantFrom(10_000, 40_000, 80_000);
const tombstoneMs = fc.constantFrom(0, 0, 60_000);
const side = fc.constantFrom('read', 'read', 'write' as const);
const granting = {
  claimMs: fc.constant(20_000),
  trust: fc.boolean(),
  writersFirst: fc.constantFrom(false, false, true),
};

const asks = fc
  .record({
    tenure,
    side,
    leaseMs,
    freshMs: fc.constantFrom(0, 30_000, 30_000, 30_000),
    freshTtlMs: fc.constantFrom(50_000, 70_000),
    ...granting,
  })
  .chain((options) =>
    fc.boolean().map((kept): Step => {
      const step = call(readWrite.ask(keys, { ...options, ticket: 0 }));
      return kept ? { ...step, ticketOf: options.tenure } : step;
    }),
  );

const leaving = fc.record({ tenure, tombstoneMs, ...granting });
const sound: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: asks },
  { weight: 6, arbitrary: leaving.map((options) => call(readWrite.release(keys, options))) },
  { weight: 2, arbitrary: leaving.map((options) => call(readWrite.cancel(keys, options))) },
  {
    weight: 2,
    arbitrary: fc.record({ tenure, ...granting }).map((options) => call(readWrite.downgrade(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ tenure, leaseMs: fc.constantFrom(0, 60_000) })
      .map((options) => call(readWrite.raise(keys, options))),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ request: fc.constantFrom(...REQUESTS), side, tombstoneMs: fc.constant(60_000), ...granting })
      .map((options) => call(readWrite.force(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.record({ tenure, leaseMs: fc.constantFrom(0, 30_000, 90_000) }), { minLength: 1, maxLength: 3 })
      .map((items) => call(readWrite.renew(items.map((item) => ({ ...item, keys }))))),
  },
  { weight: 1, arbitrary: fc.record(granting).map((options) => call(readWrite.serve(keys, options))) },
  { weight: 2, arbitrary: tenure.map((id) => call(readWrite.peek(keys, { tenure: id }))) },
  { weight: 2, arbitrary: fc.constant(call(readWrite.inspect(keys, { most: 9 }))) },
  { weight: 2, arbitrary: fc.constant(call(core.glance(core.lockKeys('stock'), keys))) },
);

const far = `${FAR_OFF_MS}`;
/** What may stand where the lock should be. */
const shapes: readonly (readonly string[])[] = [
  ['a:1', '1', 'seq', '1'],
  [`${JAVA}:1`, '2', 'mode', 'read'],
  ['name', 'Ada', 'likes', '7'],
  ['mode', 'write', 'side', 'w', 'sweep', far, 'a:1', far],
  ['mode', 'write', 'side', 'w', 'sweep', '1', 'a:1', '1'],
  ['mode', 'write', 'side', 'r', 'sweep', '1', 'a:1', '1', 'a:2', far],
  ['mode', 'write', 'side', 'r', 'sweep', '1', 'a:1', far, 'b:2', far],
  ['mode', 'write', 'side', 'r', 'sweep', far, 'a:1', far, 'b:2', far, 'c:1', far],
  ['mode', 'write', 'side', 'r', 'a:1', 'soon'],
  ['side', 'buy', 'leg:1', 'open'],
  ['mode', 'write', 'side', 'buy', 'sweep', '1', 'a:1', '1'],
  ['mode', 'read', 'side', 'r', 'sweep', '1', 'a:1', '1'],
];

const queues = fc.constantFrom(keys.writers, keys.readers);
const places = fc.constantFrom(keys.lock, keys.writers, keys.readers, keys.fresh);
const entries = fc.constantFrom('1 40000', `${far} 40000`, `${far} 40000 7`, 'garbage');

/** Some who have gone: more than one script looks at. */
const crowd = queues.chain((queue) =>
  fc.integer({ min: 62, max: 67 }).map((many): Step[] => {
    const gone = Array.from({ length: many }, (_, index) => [`${index + 1}`, `z:${index}`]);
    return [
      send('zadd', queue, ...gone.flat()),
      send('pexpire', queue, '50000'),
      send('del', keys.lock),
      send('hset', keys.lock, 'mode', 'write', 'side', 'w', 'sweep', far, 'a:1', far),
      send('pexpire', keys.lock, '20000'),
      call(
        readWrite.release(keys, { tenure: 'a:1', tombstoneMs: 0, claimMs: 20_000, trust: true, writersFirst: false }),
      ),
    ];
  }),
);

const reads = (reader: string) =>
  call(
    readWrite.ask(keys, {
      ...{ tenure: reader, side: 'read', leaseMs: 40_000, freshMs: 30_000, ticket: 0, freshTtlMs: 50_000 },
      ...{ claimMs: 20_000, trust: true, writersFirst: false },
    }),
  );
/** A reader comes in beside another, and comes again, where something of its lease is refused. */
const beside = fc
  .constantFrom('pttl', 'pexpire')
  .map((command): Step[] => [
    send('del', keys.lock, keys.writers, keys.readers, keys.dead('a:1'), keys.dead('c:1')),
    reads('a:1'),
    { kind: 'fault', fault: { code: 'NOPERM', command } },
    reads('c:1'),
    reads('a:1'),
    { kind: 'fault', fault: undefined },
  ]);

const happenings: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: places.map((key): Step[] => [{ kind: 'expire', key }]) },
  { weight: 2, arbitrary: places.map((key): Step[] => [send('del', key)]) },
  {
    weight: 3,
    arbitrary: tenure.map((id): Step[] => [
      send('hset', keys.lock, 'mode', 'write', 'sweep', '1', 'side', 'r', id, '1'),
    ]),
  },
  { weight: 1, arbitrary: fc.constantFrom(...TENURES).map((id): Step[] => [send('del', keys.dead(id))]) },
  {
    weight: 2,
    arbitrary: fc.tuple(tenure, entries).map(([id, entry]): Step[] => [send('hset', keys.fresh, id, entry)]),
  },
  { weight: 1, arbitrary: fc.constantFrom('r', 'w').map((last): Step[] => [send('hset', keys.fresh, 'last', last)]) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...shapes), fc.boolean())
      .map(([shape, lasts]): Step[] => [
        send('del', keys.lock),
        send('hset', keys.lock, ...shape),
        ...(lasts ? [] : [send('pexpire', keys.lock, '20000')]),
      ]),
  },
  {
    weight: 2,
    arbitrary: places.map((key): Step[] => [
      send('set', key, 'something else', 'PX', '60000'),
      call(readWrite.peek(keys, { tenure: 'a:1' })),
    ]),
  },
  { weight: 2, arbitrary: crowd },
);

const innerCommands = [
  ...['exists', 'del', 'get', 'set', 'pttl', 'pexpire', 'time', 'publish', 'pubsub', 'hset', 'hget', 'hmget'],
  ...[
    'hgetall',
    'hdel',
    'hlen',
    'hkeys',
    'hexists',
    'hrandfield',
    'zadd',
    'zrem',
    'zcard',
    'zrange',
    'zscore',
    'zrank',
  ],
];

/** Whole stories. */
export const readWriteStories: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: sound.map((step): Step[] => [step]) },
      { weight: 2, arbitrary: oddOf(sound).map((step): Step[] => [step]) },
      { weight: 10, arbitrary: happenings },
      { weight: 12, arbitrary: faultsOf(sound, innerCommands) },
      { weight: 1, arbitrary: beside },
    ),
    { minLength: 8, maxLength: 40, size: 'max' },
  )
  .map((parts) => parts.flat());

/** What the stories must have met. */
export const READ_WRITE_REPLIES: readonly string[] = [
  ...['acquired', 'mine', 'wait', 'busy', 'dead', 'NOTALOCK', 'WRONGTYPE', 'OOM', 'READONLY', 'ERR'].map(
    (kind) => `ask ${kind}`,
  ),
  ...['released', 'unserved', 'notHeld', 'READONLY', 'ERR'].map((kind) => `release ${kind}`),
  ...['cancelled', 'READONLY', 'ERR'].map((kind) => `cancel ${kind}`),
  ...['passed', 'lost'].map((kind) => `downgrade ${kind}`),
  ...['passed', 'lost'].map((kind) => `raise ${kind}`),
  ...['forced', 'NOTALOCK'].map((kind) => `force ${kind}`),
  ...['renewed', 'held', 'lost', 'refused'].map((kind) => `renew ${kind}`),
  ...['served'].map((kind) => `serve ${kind}`),
  ...['r', 'w', 'free', 'foreign', 'NOTALOCK'].map((kind) => `peek ${kind}`),
].map((reply) => `read-write/${reply}`);
