import { describe, expect, it } from '@jest/globals';
import { faultClasses } from '../src/check/fault-classes.js';
import { checkLinearizability } from '../src/check/linearizability.js';
import { latchCall, story } from './support/history-builder.js';

const faultClass = faultClasses['crash-and-network'];

const begun = latchCall(0, 1, { call: 'set', count: 2 }, { done: true });
const counted = (ask: number, left: number, by?: string) =>
  latchCall(ask, ask + 3, { call: 'count', ...(by === undefined ? {} : { by }) }, { left });
const goesOn = (ask: number, done: number) => latchCall(ask, done, { call: 'await' }, { done: true });
/** Its process was killed, or Redis did not answer: the call may have counted. */
const unanswered = (ask: number) => counted(ask, 0).slice(0, 1);

describe('nothing is wrong with a latch', () => {
  it.each([
    ['that opens when two have counted, for who waits', [begun, counted(2, 1), goesOn(3, 20), counted(6, 0)]],
    ['that one name counts once', [begun, counted(2, 1, 'a'), counted(6, 1, 'a'), counted(10, 0, 'b'), goesOn(14, 15)]],
    ['that somebody may have counted', [begun, unanswered(2), counted(6, 0), goesOn(12, 15)]],
    [
      'whose next round begins before a waiter hears of its end',
      [
        begun,
        counted(2, 1),
        goesOn(3, 40),
        counted(6, 0),
        latchCall(10, 11, { call: 'set', count: 5 }, { done: true }),
        latchCall(12, 13, { call: 'set', count: 5 }, { done: false }),
      ],
    ],
    ['for which somebody waits in vain', [begun, latchCall(2, 9, { call: 'await' }, { done: false })]],
  ])('%s', (_, calls) => {
    const { violations } = checkLinearizability(story([], calls.flat()), { faultClass });
    expect(violations).toEqual([]);
  });
});

describe('something is wrong with a latch', () => {
  it.each([
    ['when a waiter goes on at 1', [begun, counted(2, 1), goesOn(6, 9)]],
    ['when one call counts twice', [begun, counted(2, 0)]],
    [
      'when one call counts twice, seen by the next',
      [latchCall(0, 1, { call: 'set', count: 4 }, { done: true }), counted(2, 3), counted(6, 1)],
    ],
    ['when a name counts twice', [begun, counted(2, 1, 'a'), counted(6, 0, 'a')]],
    ['when a count is forgotten', [begun, counted(2, 1), counted(6, 1)]],
    ['when a round begins inside another one', [begun, latchCall(2, 3, { call: 'set', count: 2 }, { done: true })]],
    ['when no round can begin although it is open', [latchCall(2, 3, { call: 'set', count: 2 }, { done: false })]],
    [
      'when a waiter goes on who asked after the next round had begun',
      [
        begun,
        counted(2, 1),
        counted(6, 0),
        latchCall(10, 11, { call: 'set', count: 5 }, { done: true }),
        goesOn(12, 40),
      ],
    ],
  ])('%s', (_, calls) => {
    const { violations } = checkLinearizability(story([], calls.flat()), { faultClass });
    expect(violations.map(({ rule }) => rule)).toEqual(['not-linearizable']);
  });
});

it('is found to be wrong without trying each set of the calls that were not answered', () => {
  const rounds = Array.from({ length: 30 }, (_, round) => {
    const from = 20 * round;
    return [
      latchCall(from, from + 1, { call: 'set', count: 3 }, { done: true }),
      unanswered(from + 2),
      counted(from + 4, 2),
      counted(from + 8, 1),
      counted(from + 12, 0),
    ];
  });
  const wrong = latchCall(700, 701, { call: 'set', count: 3 }, { done: false });
  const { operations, steps, undecided, violations } = checkLinearizability(story([], [...rounds.flat(2), ...wrong]), {
    faultClass,
  });
  expect(undecided).toEqual([]);
  expect(violations.map(({ between }) => between)).toEqual([['caller op 700 set 3, answered false']]);
  expect(steps).toBeLessThan(operations ** 2);
});
