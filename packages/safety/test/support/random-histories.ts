/** Small random histories: some of a lock that works, most of one that does not. */
import * as fc from 'fast-check';
import type { HistoryEvent } from '../../src/history/event.js';
import { type History, historyOf } from '../../src/history/read.js';
import type { LatchAction, Operation } from '../../src/check/linear/operation.js';
import { force, levelEvents, type LevelPlan } from './history-builder.js';

const ends = ['released', 'released', 'released', 'release unknown', 'release refused', 'lost', 'cut off'] as const;

const levelArb = fc.record({
  owner: fc.integer({ min: 0, max: 2 }),
  ask: fc.integer({ min: 0, max: 8 }),
  waited: fc.integer({ min: 0, max: 6 }),
  held: fc.integer({ min: 0, max: 5 }),
  took: fc.integer({ min: 0, max: 3 }),
  depth: fc.constantFrom(1, 1, 1, 2),
  answer: fc.constantFrom('ok', 'ok', 'ok', 'ok', 'ok', 'fail', 'info', 'none'),
  end: fc.constantFrom(...ends),
  token: fc.integer({ min: 1, max: 4 }),
  side: fc.constantFrom('read', 'read', undefined),
});

type RandomLevel = typeof levelArb extends fc.Arbitrary<infer L> ? L : never;

export interface RandomHistory {
  readonly levels: readonly RandomLevel[];
  readonly fenced: boolean;
  /** Of a read-write lock; else every level excludes all others. */
  readonly shared: boolean;
  readonly forcedAt: number | undefined;
}

/** At most `size` levels of at most three owners on one lock. */
export const randomHistory = (size: number): fc.Arbitrary<RandomHistory> =>
  fc.record({
    levels: fc.array(levelArb, { minLength: 1, maxLength: size }),
    fenced: fc.boolean(),
    shared: fc.boolean(),
    forcedAt: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined, freq: 5 }),
  });

/** The events; `label` makes lock and workers its own, so that many histories fit into one file. */
export function eventsOf({ levels, fenced, shared, forcedAt }: RandomHistory, label = ''): History {
  const lock = `x${label}`;
  const plans = levels
    .map((level, index) => planOf(shared ? level : { ...level, side: undefined }, index + 1, fenced))
    .map((plan) => ({ ...plan, lock, worker: `${plan.worker}${label}` }));
  const forces: HistoryEvent[] =
    forcedAt === undefined
      ? []
      : force(forcedAt, forcedAt + 1, lock).map((event) => ({ ...event, worker: `n${label}` }));
  return historyOf(plans.flatMap(levelEvents), forces);
}

function planOf(
  { owner, ask, waited, held, took, depth, answer, end, token, side }: RandomLevel,
  hold: number,
  fenced: boolean,
): LevelPlan {
  const plan = { worker: `w${owner}`, scope: owner, hold, ask, depth, ...(side === undefined ? {} : { side }) };
  const got = ask + waited;
  if (answer === 'none') return plan;
  if (answer !== 'ok') return { ...plan, miss: { at: got, type: answer } };
  const acquired = { ...plan, got, until: got + held + 1, ...(fenced ? { token } : {}) };
  const release = got + held;
  const at = release + took;
  switch (end) {
    case 'released':
      return { ...acquired, release, released: { at, type: 'ok' } };
    case 'release unknown':
      return { ...acquired, release, released: { at, type: 'info' } };
    case 'release refused':
      return { ...acquired, release, released: { at, type: 'fail' } };
    case 'lost':
      return { ...acquired, lost: release, release: at, saysAtRelease: 'lost', released: { at, type: 'fail' } };
    case 'cut off':
      return acquired;
  }
}

const answers = fc.oneof(
  fc.record({
    kind: fc.constant('set'),
    count: fc.integer({ min: 1, max: 3 }),
    begun: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('count'),
    by: fc.constantFrom(undefined, undefined, 'a', 'b'),
    left: fc.constantFrom(undefined, undefined, 0, 0, 1, 2),
  }),
  fc.record({ kind: fc.constant('see') }),
) as fc.Arbitrary<LatchAction>;

/** At most `size` calls on a latch; of some it is not known when they were done, and what was answered. */
export const randomLatchCalls = (size: number): fc.Arbitrary<Operation<LatchAction>[]> =>
  fc.array(
    fc
      .tuple(answers, fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 6 }))
      .map(([action, invokedAt, lasts]) => {
        const open = (action.kind === 'set' ? action.begun : action.kind === 'count' && action.left) === undefined;
        return { id: `at ${invokedAt}`, invokedAt, returnedAt: open ? Infinity : invokedAt + lasts, action };
      }),
    { minLength: 1, maxLength: size },
  );
