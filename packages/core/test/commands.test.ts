import { describe, expect, it } from '@jest/globals';
import * as core from '../src/index.js';

const keys = core.lockKeys('x', { keyPrefix: 'app:' });
const granting = { claimMs: 3_000, trust: true };
const tenure = 'a:1';

const asking = { tenure, leaseMs: 30_000, freshMs: 9_000, ticket: 17, freshTtlMs: 8_000, ...granting };
const releasing = { tenure, seq: 2, tombstoneMs: 5_000, ...granting };

// What a client does for each lock is done to one shape of object; a copy with more properties has cost a fifth of the whole cycle once.
it('the commands of a lock have one shape, whatever may leave together with them', () => {
  const byTime = { tokens: 'time' } as const;
  const commands: core.Command<unknown>[] = [
    core.ask(keys, asking),
    core.again(keys, { tenure, seq: 2, leaseMs: 0 }),
    core.release(keys, releasing),
    core.askFenced(keys, { ...asking, ...byTime }),
    core.minting('release', core.release(keys, releasing), keys, byTime),
  ];
  for (const command of commands) expect(Object.keys(command)).toEqual(Object.keys(commands[0] as object));
});

describe('encoding', () => {
  it.each<[core.Command<unknown>, string[], (string | number)[]]>([
    [
      core.ask(keys, asking),
      ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}', 'holdfast_dead:{app:x}:a:1'],
      ['a:1', 30_000, 9_000, 17, 8_000, 3_000, 1],
    ],
    [core.again(keys, { tenure, seq: 2, leaseMs: 0 }), ['x'], ['a:1', 2, 0]],
    [core.handoff(keys, { tenure, seq: 2, leaseMs: 7 }), ['x', 'holdfast_queue:{app:x}'], ['a:1', 2, 7]],
    [
      core.release(keys, { ...releasing, trust: false }),
      ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}', 'holdfast_dead:{app:x}:a:1'],
      ['a:1', 2, 5_000, 3_000, 0, 'redisson_lock__channel:{app:x}', '-'],
    ],
    [
      core.cancel(keys, { tenure, tombstoneMs: 0, end: 'unused', ...granting }),
      ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}', 'holdfast_dead:{app:x}:a:1'],
      ['a:1', 0, 3_000, 1, 'redisson_lock__channel:{app:x}', 'unused'],
    ],
    [
      core.rest(keys, { tenure, seq: 2, tombstoneMs: 0, restMs: 9, trust: true }),
      ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}', 'holdfast_dead:{app:x}:a:1'],
      ['a:1', 2, 0, 9, 1, 'redisson_lock__channel:{app:x}'],
    ],
    [
      core.force(keys, { request: 'a:9', tombstoneMs: 5_000, ...granting }),
      ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}', 'holdfast_dead:{app:x}:a:9'],
      [5_000, 3_000, 1, 'redisson_lock__channel:{app:x}'],
    ],
    [
      core.renew([
        { keys, tenure, leaseMs: 30_000 },
        { keys: core.lockKeys('y'), tenure: 'a:2', leaseMs: 0 },
      ]),
      ['x', 'y'],
      ['a:1', 30_000, 'a:2', 0],
    ],
    [
      core.minting('serve', core.serve(keys, granting), keys, { tokens: 'count' }),
      ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}', 'redisson_lock_token:{app:x}'],
      [3_000, 1, 'count'],
    ],
    [
      core.handoffFenced(keys, { tenure, seq: 2, leaseMs: 7, tokens: 'time' }),
      ['x', 'holdfast_queue:{app:x}', 'redisson_lock_token:{app:x}'],
      ['a:1', 2, 7, 'time'],
    ],
    [core.inspect(keys), ['x', 'holdfast_queue:{app:x}', 'holdfast_fresh:{app:x}'], []],
    [core.peek(keys, { tenure }), ['x'], ['a:1']],
  ])('puts keys and arguments in the order of the script', (command, expectedKeys, expectedArgs) => {
    expect(command.keys).toEqual(expectedKeys);
    expect(command.args).toEqual(expectedArgs);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, core.MAX_TIME_MS + 1])(
    'refuses a lease of %d ms before any I/O',
    (leaseMs) => {
      expect(() => core.ask(keys, { ...asking, leaseMs })).toThrow(RangeError);
      expect(() => core.handoff(keys, { tenure, seq: 2, leaseMs })).toThrow(RangeError);
      if (leaseMs !== 0) expect(() => core.renew([{ keys, tenure, leaseMs }])).toThrow(RangeError);
    },
  );

  it.each(['1000', null, undefined, {}, 10n])('refuses a lease of %p, which is no number', (leaseMs) => {
    expect(() => core.ask(keys, { ...asking, leaseMs: leaseMs as unknown as number })).toThrow(TypeError);
  });

  it.each([0, 1.5, -1, Number.MAX_SAFE_INTEGER + 1])('refuses step number %d', (seq) => {
    expect(() => core.release(keys, { ...releasing, seq })).toThrow(RangeError);
    expect(() => core.again(keys, { tenure, seq, leaseMs: 0 })).toThrow(RangeError);
  });

  it.each([
    ['begin', -1, 0],
    ['add', -(2 ** 31) - 1, -(2 ** 31)],
    ['total', 2 ** 31 + 1, 2 ** 31],
  ] as const)('refuses a number of permits (%s %d) before any I/O, and takes %d', (how, wrong, good) => {
    const of = (permits: number) =>
      core.permits.count(core.semaphoreKeys('x'), {
        change: { how, permits },
        request: 'a:1',
        tombstoneMs: 1,
        ...granting,
      });
    for (const permits of [wrong, 1.5, Number.NaN]) expect(() => of(permits)).toThrow(RangeError);
    expect(() => of('1' as unknown as number)).toThrow(TypeError);
    expect(of(good).args).toContain(good);
  });

  it('takes a ticket of server microseconds exactly', () => {
    const ticket = 1_795_207_659_985_601;
    expect(core.ask(keys, { ...asking, ticket }).args).toContain(ticket);
  });

  it.each(['', 'a', 'a:', ':1', 'seq', 'a b:1', 'a\n:1', 'a:1\u0000', '\ud800:1', 'a::1', 'a:1:'])(
    'refuses tenure id %j',
    (bad) => {
      expect(() => core.peek(keys, { tenure: bad })).toThrow(RangeError);
      expect(() => core.ask(keys, { ...asking, tenure: bad })).toThrow(RangeError);
      expect(() => core.force(keys, { request: bad, tombstoneMs: 1, ...granting })).toThrow(RangeError);
    },
  );

  it.each(['a:1', 'worker-7:V1StGXR8_Z5j:12', 'a:b:c:d', 'büro:x:1'])('takes tenure id %j', (good) => {
    expect(core.peek(keys, { tenure: good }).args).toEqual([good]);
  });
});

describe('decoding', () => {
  const ask = core.ask(keys, asking);
  const again = core.again(keys, { tenure, seq: 2, leaseMs: 0 });
  const handoff = core.handoff(keys, { tenure, seq: 2, leaseMs: 7 });
  const askFenced = core.askFenced(keys, { ...asking, tokens: 'time' });
  const handoffFenced = core.handoffFenced(keys, { tenure, seq: 2, leaseMs: 7, tokens: 'time' });
  const release = core.release(keys, releasing);
  const rest = core.rest(keys, { tenure, seq: 2, tombstoneMs: 0, restMs: 9, trust: true });
  const cancel = core.cancel(keys, { tenure, tombstoneMs: 0, end: 'unused', ...granting });
  const force = core.force(keys, { request: 'a:9', tombstoneMs: 1, ...granting });
  const renew = core.renew([
    { keys, tenure, leaseMs: 1 },
    { keys, tenure, leaseMs: 1 },
  ]);
  const inspect = core.inspect(keys);
  const peek = core.peek(keys, { tenure });

  const replies: [core.Command<unknown>, unknown[], unknown][] = [
    [
      ask,
      ['acquired', 1, 1, 30, 0, '', '-'],
      { kind: 'acquired', holdCount: 1, seq: 1, remainingMs: 30, others: 0, inherited: 'nothing' },
    ],
    [
      ask,
      ['mine', 2, 5, 30, 4, 99, 'expired 88', '-'],
      {
        kind: 'mine',
        holdCount: 2,
        seq: 5,
        remainingMs: 30,
        others: 4,
        nowMs: 99,
        inherited: { reason: 'expired', since: 88 },
      },
    ],
    [
      askFenced,
      ['acquired', 1, 1, 30, 0, '', 1_795_207_659_985_601],
      {
        kind: 'acquired',
        holdCount: 1,
        seq: 1,
        remainingMs: 30,
        others: 0,
        inherited: 'nothing',
        token: 1_795_207_659_985_601,
      },
    ],
    [handoffFenced, ['passed', 7, 1, 99, 5], { kind: 'passed', remainingMs: 7, others: 1, nowMs: 99, token: 5 }],
    [handoffFenced, ['lost'], { kind: 'lost' }],
    [
      ask,
      ['wait', 30, 2, 1_795_207_659_985_601, 99, 0],
      {
        kind: 'wait',
        remainingMs: 30,
        position: 2,
        ticket: 1_795_207_659_985_601,
        nowMs: 99,
        foreign: false,
        resting: false,
      },
    ],
    [ask, ['busy', -1, 1, 3], { kind: 'busy', remainingMs: undefined, foreign: true, resting: false, left: 3 }],
    [ask, ['busy', 9, 2, 0], { kind: 'busy', remainingMs: 9, foreign: false, resting: true, left: 0 }],
    [ask, ['dead'], { kind: 'dead' }],
    [again, ['held', 2, 30], { kind: 'held', holdCount: 2, remainingMs: 30 }],
    [again, ['lost'], { kind: 'lost' }],
    [handoff, ['passed', 7, 1, 99], { kind: 'passed', remainingMs: 7, others: 1, nowMs: 99 }],
    [handoff, ['lost'], { kind: 'lost' }],
    [release, ['held', 1], { kind: 'held', holdCount: 1 }],
    [release, ['granted', 'b:1'], { kind: 'granted', to: 'b:1' }],
    [release, ['released'], { kind: 'released', left: 0 }],
    [release, ['unserved', 3], { kind: 'released', left: 3 }],
    [release, ['notHeld'], { kind: 'notHeld' }],
    [rest, ['resting'], { kind: 'resting', left: 0 }],
    [rest, ['held', 2], { kind: 'held', holdCount: 2 }],
    [rest, ['notHeld'], { kind: 'notHeld' }],
    [cancel, ['cancelled', 1, 0], { kind: 'cancelled', wasGranted: true, left: 0 }],
    [force, ['forced', 'b:1', 0], { kind: 'forced', ownerBefore: 'b:1', alsoBefore: [], left: 0 }],
    [force, ['forced', '', 0], { kind: 'forced', ownerBefore: undefined, alsoBefore: [], left: 0 }],
    [
      renew,
      [99, ['renewed', 30], ['lost', 'taken']],
      {
        nowMs: 99,
        outcomes: [
          { kind: 'renewed', remainingMs: 30 },
          { kind: 'lost', reason: 'taken' },
        ],
      },
    ],
    [
      renew,
      [99, ['held', -1], ['refused', 'OOM']],
      {
        nowMs: 99,
        outcomes: [
          { kind: 'held', remainingMs: undefined },
          { kind: 'refused', message: 'OOM' },
        ],
      },
    ],
    [
      inspect,
      [99, 30, ['a:1', '2', '5'], ['b:1', '17'], ['b:1', '88 30000']],
      {
        owner: { id: 'a:1', holdCount: 2, foreign: false, resting: false },
        remainingMs: 30,
        seq: 5,
        queue: [{ tenure: 'b:1', ticket: 17, freshUntilMs: 88, leaseMs: 30_000 }],
        nowMs: 99,
      },
    ],
    [peek, [-2, 0], { locked: false, holdCount: 0, remainingMs: undefined }],
    [peek, [30, 2], { locked: true, holdCount: 2, remainingMs: 30 }],
  ];

  const withStringNumbers = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withStringNumbers);
    return typeof value === 'number' ? `${value}` : value;
  };

  it.each(replies)('reads each reply into its type (%#)', (command, raw, expected) => {
    expect(command.decode(raw)).toEqual(expected);
  });

  it.each<[core.Command<unknown>, string, unknown]>([
    [ask, 'acquired', { kind: 'acquired', holdCount: 1, seq: 1, remainingMs: asking.leaseMs, others: 0 }],
    [
      askFenced,
      'acquired 7',
      { kind: 'acquired', holdCount: 1, seq: 1, remainingMs: asking.leaseMs, others: 0, token: 7 },
    ],
    [ask, 'dead', { kind: 'dead' }],
    [release, 'released', { kind: 'released', left: 0 }],
  ])('reads a word that comes alone (%#)', (command, word, expected) => {
    expect(command.decode(word)).toEqual(expected);
  });

  it.each([again, handoff, release, cancel, force, renew, inspect, peek])(
    'takes no other operation’s word for its own (%#)',
    (command) => {
      for (const word of ['acquired', 'mine', 'held', 'granted', 'passed', 'renewed'])
        expect(() => command.decode(word)).toThrow(core.ProtocolError);
    },
  );

  it.each(replies)("reads it alike when ioredis' stringNumbers is on (%#)", (command, raw, expected) => {
    expect(command.decode(withStringNumbers(raw))).toEqual(expected);
  });

  it.each(replies)('takes no item less, more, or of another type (%#)', (command, raw) => {
    const hostile: unknown[] = [raw.slice(0, -1), [...raw, 0], []];
    const junk = [null, undefined, {}, 1.5, Number.NaN, '1e3', '0x1', ' 1', '9'.repeat(20), true, -3];
    for (let index = 0; index < raw.length; index++) {
      if (typeof raw[index] === 'number') for (const item of junk) hostile.push(raw.with(index, item));
      else for (const item of [null, undefined, 7, {}, true]) hostile.push(raw.with(index, item));
    }
    for (const reply of hostile) expect(() => command.decode(reply)).toThrow(core.ProtocolError);
  });

  it.each(replies)('takes what cannot be counted for a very long lease, or for no answer (%#)', (command, raw) => {
    for (const [index, known] of raw.entries()) {
      for (const item of typeof known === 'number' ? [2 ** 53, '9223372036854775807'] : []) {
        let reply: unknown;
        try {
          reply = command.decode(raw.with(index, item));
        } catch (error) {
          expect(error).toBeInstanceOf(core.ProtocolError);
          continue;
        }
        expect(reply).toMatchObject({ remainingMs: Number.MAX_SAFE_INTEGER });
      }
    }
  });

  it.each([null, undefined, 'OK', 1, 0, true, {}, Buffer.from('OK'), new Error('x'), { 0: 'dead', length: 1 }])(
    'takes %p for no reply at all',
    (raw) => {
      for (const [command] of replies) {
        expect(() => command.decode(raw)).toThrow(
          expect.objectContaining({ name: 'ProtocolError', code: 'HOLDFAST_PROTOCOL' }),
        );
      }
    },
  );

  it('names the operation, and never what the reply held', () => {
    expect(() => ask.decode(['acquired', 'my secret', 1, 1, 1, '', '-'])).toThrow(
      /^unexpected reply to ask: item 1 must be/,
    );
    expect(() => ask.decode(['my secret'])).not.toThrow(/secret/);
  });
});
