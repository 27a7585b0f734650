import { beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Clock } from '@holdfast/watchdog';
import { LockLostError } from 'holdfast';
import type { HoldPhase } from '../src/exclusive/hold-phase.js';
import { type HoldKeeper, HoldRecord } from '../src/exclusive/hold-record.js';
import { OpenHolds } from '../src/exclusive/open-holds.js';
import { Scope } from '../src/scopes/scope.js';
import { commonTerms, type HoldTerms } from '../src/tenure/hold-terms.js';

const clock = { now: () => 1_000 } as Clock;
const watched: HoldTerms = { mode: 'watched', leaseMs: 30_000, maxHoldMs: undefined };
const fixed = (leaseMs: number): HoldTerms => ({ mode: 'fixed', leaseMs, maxHoldMs: undefined });

let looks = 0;
let whenLookedAt: () => void = () => undefined;
const lock: HoldKeeper = {
  name: 'pay',
  primitive: 'lock',
  parts: { reporter: { newHoldId: () => 'id' } },
  tenure: { lease: { state: 'held', remainingMs: () => 500.7 } },
  holds: { has: () => false },
  check: () => {
    looks++;
    whenLookedAt();
  },
  release: () => Promise.resolve(),
  abandon: () => undefined,
  extend: () => Promise.resolve(),
};

const onTheWay: HoldPhase = { kind: 'delivering', how: 'asked' };

function newRecord(terms = watched, phase = onTheWay, keeper = lock): HoldRecord {
  const origin = { terms, owner: undefined, kind: 'object', site: undefined, context: undefined } as const;
  return new HoldRecord(keeper, origin, phase);
}

function opened(terms = watched, since = 10): HoldRecord {
  const record = newRecord(terms);
  record.open('asked', since, undefined, undefined);
  return record;
}

beforeEach(() => {
  looks = 0;
  whenLookedAt = () => undefined;
});

describe('the open holds of a lock', () => {
  it('are innermost last, wherever one ends', () => {
    const holds = new OpenHolds();
    const [outer, middle, inner] = [opened(), opened(), opened()];
    for (const record of [outer, middle, inner]) holds.addLast(record);
    expect(holds.innermost).toBe(inner);
    holds.remove(middle);
    expect([...holds]).toEqual([outer, inner]);
    expect(middle.phase.kind).toBe('released');
    holds.remove(inner);
    expect(holds.innermost).toBe(outer);
    holds.remove(outer);
    expect(holds.isEmpty).toBe(true);
  });

  it('need one lease: watched while any of them asked for that, and no fixed one cut short', () => {
    const holds = new OpenHolds();
    expect(commonTerms(holds.all, clock)).toBeUndefined();
    holds.addLast(opened(fixed(5_000)));
    holds.addLast(opened(fixed(8_000)));
    expect(commonTerms(holds.all, clock)).toEqual({ mode: 'fixed', leaseMs: 8_000 });
    const inner = opened();
    holds.addLast(inner);
    expect(commonTerms(holds.all, clock)).toMatchObject({ mode: 'watched', leaseMs: 30_000 });
    inner.lose('scope-ended', 20);
    expect(commonTerms(holds.all, clock)).toEqual({ mode: 'fixed', leaseMs: 8_000 });
    expect(holds.relied).toBe(holds.all[0]);
  });

  const leaseOf = (holds: OpenHolds) => {
    const { mode, leaseMs, renewUntil } = commonTerms(holds.all, clock) ?? {};
    return { mode, leaseMs, renewUntil };
  };
  const anyTerms = fc.oneof(
    fc.record({
      mode: fc.constant('fixed' as const),
      leaseMs: fc.integer({ min: 1, max: 3 }),
      maxHoldMs: fc.constant(undefined),
    }),
    fc.record({
      mode: fc.constant('watched' as const),
      leaseMs: fc.integer({ min: 1, max: 3 }),
      maxHoldMs: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
  );
  const arrival = fc.record({
    kind: fc.constant('comes' as const),
    terms: anyTerms,
    since: fc.integer({ min: 10, max: 13 }),
    promisedUntil: fc.option(fc.integer({ min: 12, max: 17 }), { nil: undefined }),
  });
  const departure = fc.record({ kind: fc.constantFrom('goes' as const, 'is abandoned' as const), at: fc.nat(20) });

  it('are those of a list, whatever comes and goes, and are said to suffice only where their lease stays as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(arrival, departure), { maxLength: 40 }), (steps) => {
        const holds = new OpenHolds();
        const list: HoldRecord[] = [];
        const others = new OpenHolds();
        const elsewhere = { ...lock };
        const foreign = [newRecord(watched, onTheWay, elsewhere), newRecord(watched, onTheWay, elsewhere)];
        for (const one of foreign) others.addLast(one);
        for (const step of steps) {
          const before = leaseOf(holds);
          const record = step.kind === 'comes' ? opened(step.terms, step.since) : list[step.at % list.length];
          if (record === undefined) continue;
          if (step.kind === 'comes') {
            record.promisedUntil = step.promisedUntil;
            holds.addLast(record);
            list.push(record);
          } else if (step.kind === 'goes') {
            holds.remove(record);
            list.splice(list.indexOf(record), 1);
          } else record.lose('scope-ended', 20);
          expect(commonTerms(holds.all, clock)).toEqual(commonTerms(list, clock));
          if (step.kind !== 'is abandoned' && holds.suffice(record, clock)) expect(leaseOf(holds)).toEqual(before);
          expect([holds.all, holds.innermost, holds.depth]).toEqual([list, list.at(-1), list.length]);
          expect(list.map((one) => one.ahead)).toEqual([undefined, ...list.slice(0, -1)].slice(0, list.length));
          expect(holds.relied).toBe(list.find((one) => one.renewable));
          expect([...list, record, ...foreign].map((one) => holds.has(one))).toEqual(
            [...list, record, ...foreign].map((one) => list.includes(one)),
          );
        }
      }),
    );
  });

  it('are all lost before any of them can be asked, and only those count that a call had', () => {
    const holds = new OpenHolds();
    const [outer, coming] = [opened(), newRecord(watched, { kind: 'confirming', how: 're-entered', since: 15 })];
    holds.addLast(outer);
    holds.addLast(coming);
    expect(holds.loseAll('deleted', 30)).toEqual([outer]);
    expect(holds.isEmpty).toBe(true);
    expect([outer.phase, coming.phase]).toEqual([
      { kind: 'lost', how: 'asked', reason: 'deleted', at: 30, told: false },
      { kind: 'withdrawn', how: 're-entered', reason: 'deleted' },
    ]);
  });
});

describe('a hold record', () => {
  it('is given from the moment its call has it, and stays so when it is lost', () => {
    const record = newRecord(watched, { kind: 'confirming', how: 'passed', since: 5 });
    expect(record.given).toBe(false);
    record.deliver();
    expect(record.phase).toEqual({ kind: 'delivering', how: 'passed' });
    expect(record.given).toBe(false);
    record.open('asked', 20, undefined, undefined);
    expect([record.given, record.since]).toEqual([true, 20]);
    record.lose('expired', 30);
    expect([record.given, record.since, record.lostBy(29), record.lostBy(30)]).toEqual([true, 20, false, true]);
  });

  it('looks at the lease before it says that it is held, and tells a loss that this look finds', () => {
    const record = opened();
    expect([record.state, record.remainingMs(), looks > 0]).toEqual(['held', 500, true]);
    const { signal } = record;
    whenLookedAt = () => void record.lose('unreachable', 40);
    expect([record.state, record.remainingMs()]).toEqual(['lost', 0]);
    expect(signal.reason).toMatchObject({ reason: 'unreachable' });
  });

  it('is lost once: the first reason stays, a second loss and a release after it change nothing', async () => {
    const record = opened();
    expect(record.lose('deleted', 30)).toBe(true);
    expect(record.lose('expired', 31)).toBe(false);
    await expect(record.release()).rejects.toThrow(LockLostError);
    expect([record.lossError().reason, record.lossReported]).toEqual(['deleted', true]);
    await record.release();
    await expect(record.settle()).rejects.toThrow(LockLostError);
  });

  it('belongs to the scope whose unlock undoes it until it is over', () => {
    const scope = new Scope('thread', {}, undefined);
    const record = newRecord();
    record.open('asked', 10, scope, undefined);
    expect([...scope.holds]).toEqual([record]);
    record.close();
    expect([...scope.holds]).toEqual([]);
    expect(record.state).toBe('released');
  });
});

describe('a hold that is lost on the way to its call', () => {
  it('is lost to calls inside its scope: none of them may acquire afresh', () => {
    const record = newRecord(watched, { kind: 'confirming', how: 're-entered', since: 5 });
    expect(record.lose('deleted', 20)).toBe(false); // no call relied on it
    expect(record.lost).toBe(true);
    expect(record.lossError()).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    record.close();
    expect(record.lost).toBe(false);
  });
});
