/** Random stories of the differential test: what is sent to both servers, and what happens to both. */

import * as core from '@holdfast/core';
import * as fc from 'fast-check';

/** The name of every question: an answer is compared with the other server's, not recognised. */
export const QUESTION = 'q';

/** Two clients with a subscriber and one without; one tenure with an explicit owner. */
export const TENURES = ['a:1', 'a:2', 'w:b:1', 'b:2', 'c:1'] as const;
/** The clients that listen to their inboxes. */
export const LISTENING = ['a', 'b'] as const;
export const REQUESTS = ['f:1', 'f:2'] as const;
const keys = core.lockKeys('stock');
const other = core.lockKeys('other');

/** An instant that no story reaches. */
export const FAR_OFF_MS = 9_999_999_999_999;

/** Every key that a story touches. */
export const KEYS: readonly string[] = [
  ...[keys.lock, keys.queue, keys.fresh, other.lock, other.queue, other.fresh],
  ...[...TENURES, ...REQUESTS].map((id) => keys.dead(id)),
];

/** Every channel on which something may be said. */
export const CHANNELS: readonly string[] = [keys.releaseChannel, ...LISTENING.map(core.inboxChannel)];

/** Refusals that a server can be made to answer with. */
export type Fault =
  | { readonly code: 'OOM' }
  | { readonly code: 'READONLY' }
  | { readonly code: 'NOPERM'; readonly command: string };

/**
 * `call`: a script as a client calls it. `ticketOf`: its ticket argument becomes the one that this tenure was told last by the same server.
 * `send`: any other command, from somebody else. `expire`: the key's time comes to its end.
 */
export type Step =
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly keys: readonly string[];
      readonly args: readonly string[];
      readonly ticketOf?: string;
    }
  | { readonly kind: 'send'; readonly request: readonly string[] }
  | { readonly kind: 'expire'; readonly key: string }
  | { readonly kind: 'fault'; readonly fault: Fault | undefined };

const tenure = fc.constantFrom(...TENURES);
const leaseMs = fc.constantFrom(10_000, 40_000, 80_000);
const tombstoneMs = fc.constantFrom(0, 0, 60_000);
const end = fc.constantFrom('lost', 'released', 'unused');
const seq = fc.integer({ min: 1, max: 9 });
const turn = fc.constantFrom(undefined, 1, 512);
const granting = { claimMs: fc.constant(20_000), trust: fc.boolean() };
const lock = fc.constantFrom(keys, keys, keys, keys, other);

const asks = fc
  .record({
    tenure,
    leaseMs,
    freshMs: fc.constantFrom(0, 30_000, 30_000, 30_000),
    freshTtlMs: fc.constantFrom(50_000, 70_000),
    ...granting,
  })
  .chain((options) =>
    fc.boolean().map((kept): Step => {
      const step = call(core.ask(keys, { ...options, ticket: 0 }));
      return kept ? { ...step, ticketOf: options.tenure } : step;
    }),
  );

const asking = fc
  .tuple(
    lock,
    fc.record({
      tenure,
      leaseMs,
      freshMs: fc.constantFrom(0, 30_000),
      ticket: fc.constantFrom(0, 0, 7),
      freshTtlMs: fc.constant(50_000),
      ...granting,
    }),
  )
  .map(([which, options]) => core.ask(which, options));

const inChain = (some: readonly core.Command<core.AskReply>[]) => some[0]?.chain?.(some) as core.Call<unknown>;

const releasing = fc
  .tuple(lock, fc.record({ tenure, seq, tombstoneMs, turn, ...granting }))
  .map(([which, options]) => core.release(which, options));

const inOne = (some: readonly core.Command<unknown>[]) => some[0]?.joint?.(some) as core.Call<unknown>;

/** What a client sends, in the weights of a busy lock. */
const sound: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: asks },
  {
    weight: 3,
    arbitrary: fc
      .record({ tenure, seq, leaseMs: fc.constantFrom(0, 60_000) })
      .map((options) => call(core.again(keys, options))),
  },
  { weight: 2, arbitrary: fc.record({ tenure, seq, leaseMs }).map((options) => call(core.handoff(keys, options))) },
  {
    weight: 6,
    arbitrary: fc
      .record({ tenure, seq, tombstoneMs, turn, ...granting })
      .map((options) => call(core.release(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ tenure, seq, tombstoneMs, restMs: leaseMs, trust: fc.boolean() })
      .map((options) => call(core.rest(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc.record({ tenure, tombstoneMs, end, ...granting }).map((options) => call(core.cancel(keys, options))),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ request: fc.constantFrom(...REQUESTS), tombstoneMs: fc.constant(60_000), ...granting })
      .map((options) => call(core.force(keys, options))),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.record({ keys: lock, tenure, leaseMs: fc.constantFrom(0, 30_000, 90_000) }), {
        minLength: 1,
        maxLength: 4,
      })
      .map((items) => call(core.renew(items))),
  },
  { weight: 1, arbitrary: fc.record(granting).map((options) => call(core.serve(keys, options))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(keys.fairLine, keys.queue), fc.record(granting))
      .map(([fairLine, options]) => call(core.invite({ ...keys, fairLine }, options))),
  },
  { weight: 1, arbitrary: tenure.map((id) => call(core.peek(keys, { tenure: id }))) },
  { weight: 1, arbitrary: fc.constant(call(core.inspect(keys))) },
  { weight: 1, arbitrary: fc.constant(call(core.glance(keys, core.readWriteKeys('stock')))) },
  { weight: 2, arbitrary: fc.array(asking, { minLength: 2, maxLength: 4 }).map((some) => call(inChain(some))) },
  { weight: 2, arbitrary: fc.array(asking, { minLength: 2, maxLength: 4 }).map((some) => call(inOne(some))) },
  { weight: 1, arbitrary: fc.array(releasing, { minLength: 2, maxLength: 3 }).map((some) => call(inOne(some))) },
);

export const oddities = [
  '',
  'x',
  '1.5',
  '-1',
  '0',
  '2147483649',
  '9007199254740993',
  ' 20000',
  '2e4',
  '0x4e20',
  'nan',
  '-0',
];

/** The same with one argument that no client of ours sends. The first one names the tenure and may be anything. */
export function oddOf(steps: fc.Arbitrary<Step>): fc.Arbitrary<Step> {
  return fc
    .tuple(steps, fc.nat(), fc.constantFrom(...oddities))
    .filter(([step]) => step.kind === 'call' && step.args.length > 2)
    .map(([step, at, text]) => {
      const { args } = step as Step & { kind: 'call' };
      const place = 1 + (at % (args.length - 2));
      return { ...step, args: args.map((arg, index) => (index === place ? text : arg)), ticketOf: undefined } as Step;
    });
}

const odd = oddOf(sound);

export const JAVA = '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60';
const repeated = (pair: (n: number) => [string, string], length = 140): string[] =>
  Array.from({ length }, (_, n) => pair(n)).flat();

/** What somebody may put where the lock should be. */
const shapes: readonly (readonly string[])[] = [
  [`${JAVA}:1`, '1'],
  [`${JAVA}:1`, '2', 'mode', 'read'],
  [`${JAVA}:1`, '1', `${JAVA}:2`, '1', 'mode', 'read'],
  [`${JAVA}:1:write`, '1', 'mode', 'write'],
  [`${JAVA}:1`, '1', 'mode', 'neither'],
  [`${JAVA}:${JAVA}`, '1'],
  [`${JAVA}:x`, '1'],
  ['a:1', '1'],
  ['a:1', '0', 'seq', '1'],
  ['a:1', '2', 'seq', '3'],
  ['a:1', '1', 'seq', '3', 'token', '7'],
  ['a:1', '1', 'seq', '3', 'token', 'seven'],
  ['a:1', '1', 'seq', '3', 'expired', '1'],
  ['a:1', '1', 'seq', '3', 'forced', '1', 'token', '7'],
  ['rest:a:1', '1', 'seq', '1', 'rest', `${FAR_OFF_MS}`],
  ['a:1', '1', 'b:2', '1', 'seq', '3'],
  ['a:1', 'one', 'seq', '3'],
  ['a:1', '1', 'seq', '3', `${JAVA}:1`, '1', 'mode', 'read'],
  ['seq', '3'],
  // A read-write lock, and what only looks like one.
  ['mode', 'write', 'side', 'w', 'sweep', '9999999999999', 'r:1', '9999999999999'],
  ['mode', 'write', 'side', 'r', 'sweep', '9999999999999', 'r:1', '9999999999999', 'r:2', '9999999999999'],
  ['mode', 'write', 'side', 'x', 'sweep', '9999999999999', 'r:1', '9999999999999'],
  ['mode', 'write', 'side', 'r', 'sweep', '9999999999999', 'a:1', '9999999999999', 'seq', '3'],
  ['mode', 'write', 'side', 'r', 'r:1', '1', `${JAVA}:1`, '1'],
  // The last owner that a scan comes to is named, so those behind are none.
  ['mode', 'write', 'side', 'r', ...repeated((n) => (n < 120 ? [`r:${n}`, '9999999999999'] : [`n${n}`, '7']))],
  ['name', 'Ada', 'likes', '7'],
  // Too large to be read whole. Which fields a scan comes to first is the business of Redis, so those that decide come first.
  ['mode', 'read', ...repeated((n) => [`${JAVA}:${n}`, '1'])],
  ['mode', 'read', 'a:1', '2', 'seq', '3', ...repeated((n) => [`${JAVA}:${n}`, '1'])],
  ['mode', 'write', ...repeated((n) => [`${JAVA}:${n}`, '1'])],
  repeated((n) => [`field ${n}`, 'x']),
  // Just so large that it is read whole, and one more.
  ['a:1', '2', 'seq', '3', ...repeated((n) => [`field${n}`, '1'], 126)],
  ['a:1', '2', 'seq', '3', ...repeated((n) => [`field${n}`, '1'], 127)],
];

const crowd = (many: number, first: number): string[] =>
  Array.from({ length: many }, (_, index) => `z:${first + index}`);

const entries = fc.constantFrom(
  '1 40000',
  `${FAR_OFF_MS} 40000 write 7`,
  `${FAR_OFF_MS} 40000`,
  'garbage',
  '',
  `${FAR_OFF_MS}`,
  '5 5 5',
);

/** A crowd that will not ask again: at the head of the queue, and known to be fresh, stale, or not at all. */
const crowds = fc
  .tuple(fc.integer({ min: 61, max: 67 }), fc.constantFrom(`${FAR_OFF_MS} 10000`, '1 10000', undefined))
  .map(([many, entry]): Step[] => {
    const members = crowd(many, 1);
    const steps: Step[] = [
      send('zadd', keys.queue, ...members.flatMap((member, index) => [`${index + 1}`, member])),
      send('pexpire', keys.queue, '50000'),
    ];
    if (entry === undefined) return steps;
    return [
      ...steps,
      send('hset', keys.fresh, ...members.flatMap((member) => [member, entry])),
      send('pexpire', keys.fresh, '50000'),
    ];
  });

/** Some who wait, known in one way or another. */
const line = fc
  .array(fc.tuple(tenure, entries), { minLength: 1, maxLength: 3 })
  .map((waiters): Step[] => [
    ...waiters.map(([id], index) => send('zadd', keys.queue, `${index + 1}`, id)),
    ...waiters.map(([id, entry]) => send('hset', keys.fresh, id, entry)),
  ]);

/** What happens to the keys of a lock: its time ends, others write, and what is no lock stands in its place. */
const happenings: fc.Arbitrary<Step[]> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(keys.lock, keys.queue, keys.fresh).map((key): Step[] => [{ kind: 'expire', key }]),
  },
  { weight: 3, arbitrary: fc.constantFrom(keys.lock, keys.queue, keys.fresh).map((key): Step[] => [send('del', key)]) },
  { weight: 1, arbitrary: fc.constantFrom(...TENURES, ...REQUESTS).map((id): Step[] => [send('del', keys.dead(id))]) },
  { weight: 2, arbitrary: fc.constantFrom(keys.lock, keys.queue).map((key): Step[] => [send('persist', key)]) },
  {
    weight: 2,
    arbitrary: fc.tuple(tenure, entries).map(([id, entry]): Step[] => [send('hset', keys.fresh, id, entry)]),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('always', `${FAR_OFF_MS}`, '1', 'garbage')
      .map((note): Step[] => [send('hset', keys.fresh, 'returned', note)]),
  },
  { weight: 1, arbitrary: tenure.map((id): Step[] => [send('zadd', keys.queue, '3000000000000000', id)]) },
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
    weight: 1,
    arbitrary: fc
      .constantFrom(keys.lock, keys.lock, keys.queue, keys.fresh, other.lock)
      .map((key): Step[] => [send('set', key, 'something else', 'PX', '60000')]),
  },
  {
    weight: 1,
    arbitrary: asks.map((step) => [
      send('del', keys.queue),
      send('set', keys.queue, 'something else', 'PX', '60000'),
      step,
    ]),
  },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('script', 'flush')]) },
  { weight: 1, arbitrary: crowds },
  {
    weight: 1,
    arbitrary: fc
      .tuple(crowds, asks)
      .map(([waiters, step]): Step[] => [
        send('del', keys.lock),
        send('hset', keys.lock, 'c:2', '1', 'seq', '1'),
        send('pexpire', keys.lock, '30000'),
        ...waiters,
        step,
      ]),
  },
);

const innerCommands = [
  ...['exists', 'del', 'get', 'set', 'incrby', 'pttl', 'pexpire', 'time', 'publish', 'pubsub'],
  ...[
    'hset',
    'hget',
    'hmget',
    'hgetall',
    'hlen',
    'hkeys',
    'hdel',
    'hexists',
    'zadd',
    'zrem',
    'zcard',
    'zrange',
    'zpopmin',
    'zscore',
    'zrank',
    'lindex',
  ],
];

/** A few steps on a server that refuses a command, as most of them do here, or all writes: what a script does then differs from command to command. */
export function faultsOf(steps: fc.Arbitrary<Step>, commands: readonly string[]): fc.Arbitrary<Step[]> {
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constant<Fault>({ code: 'OOM' }) },
      { weight: 2, arbitrary: fc.constant<Fault>({ code: 'READONLY' }) },
      {
        weight: 12,
        arbitrary: fc.constantFrom(...commands).map((command): Fault => ({ code: 'NOPERM', command })),
      },
    )
    .chain((fault) =>
      fc
        .array(steps, { minLength: 1, maxLength: 4 })
        .map((some): Step[] => [{ kind: 'fault', fault }, ...some, { kind: 'fault', fault: undefined }]),
    );
}

const faults = faultsOf(sound, innerCommands);

const byOwner = fc.oneof(
  fc.record({ seq, leaseMs }).map((options) => (id: string) => call(core.handoff(keys, { tenure: id, ...options }))),
  fc.record({ seq, leaseMs }).map((options) => (id: string) => call(core.again(keys, { tenure: id, ...options }))),
  fc.record({ seq, tombstoneMs, turn, ...granting }).chain((options) =>
    fc.constantFrom('alone', 'with another').map((how) => (id: string) => {
      const own = core.release(keys, { tenure: id, ...options });
      return call(how === 'alone' ? own : inOne([own, core.release(other, { tenure: id, ...options })]));
    }),
  ),
  fc
    .record({ seq, tombstoneMs, restMs: leaseMs, trust: fc.boolean() })
    .map((options) => (id: string) => call(core.rest(keys, { tenure: id, ...options }))),
  leaseMs.map((ms) => (id: string) => call(core.renew([{ keys, tenure: id, leaseMs: ms }]))),
);
const refusals = fc.constantFrom<Fault>({ code: 'OOM' }, { code: 'READONLY' }, { code: 'NOPERM', command: 'pexpire' });
/** An owner does something among those who wait, or when it is refused. */
const owned = fc
  .tuple(tenure, byOwner, fc.option(fc.oneof(line, crowds)), fc.option(refusals))
  .map(([id, step, waiters, fault]): Step[] => [
    send('del', keys.lock, keys.dead(id)),
    send('hset', keys.lock, id, '1', 'seq', '2'),
    send('pexpire', keys.lock, '30000'),
    ...(waiters ?? []),
    ...(fault === null ? [] : [{ kind: 'fault', fault } as const]),
    step(id),
    ...(fault === null ? [] : [{ kind: 'fault', fault: undefined } as const]),
  ]);

/** Whole stories. */
export const stories: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: sound.map((step): Step[] => [step]) },
      { weight: 5, arbitrary: odd.map((step): Step[] => [step]) },
      { weight: 10, arbitrary: happenings },
      { weight: 12, arbitrary: faults },
      { weight: 4, arbitrary: owned },
    ),
    { minLength: 8, maxLength: 40, size: 'max' },
  )
  .map((parts) => parts.flat());

export function call<R>({ script, keys: names, args }: core.Call<R>): Step & { kind: 'call' } {
  return { kind: 'call', name: script.name, keys: names, args: [...args.map(String), QUESTION] };
}

export function send(...request: string[]): Step {
  return { kind: 'send', request };
}
