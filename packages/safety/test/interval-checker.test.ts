import { describe, expect, it } from '@jest/globals';
import { faultClasses } from '../src/check/fault-classes.js';
import { checkIntervals } from '../src/check/intervals.js';
import { describeViolation } from '../src/check/violation.js';
import { brokenStories } from './support/broken-stories.js';
import { brokenFamilyStories, goodFamilyStories } from './support/family-stories.js';
import { goodStories, type Story } from './support/good-stories.js';
import { fault, story } from './support/history-builder.js';

describe('the interval checker', () => {
  it.each(Object.entries<Story>({ ...goodStories, ...goodFamilyStories }))(
    'finds nothing in: %s',
    (_, { history, faultClass = 'crash-and-network' }) => {
      expect(checkIntervals(history, { faultClass: faultClasses[faultClass] }).violations).toEqual([]);
    },
  );

  it.each([...brokenStories, ...brokenFamilyStories])(
    'finds $rule: $name',
    ({ history, rule, faultClass = 'crash-and-network' }) => {
      const { violations } = checkIntervals(history, { faultClass: faultClasses[faultClass] });
      expect(violations.map((violation) => violation.rule)).toContain(rule);
    },
  );

  it('has seen at least thirty ways in which a history is broken', () => {
    expect(brokenStories.length).toBeGreaterThanOrEqual(30);
    expect(new Set(brokenStories.map(({ name }) => name)).size).toBe(brokenStories.length);
  });

  it('names the two holds, the lock and the faults around a violation', () => {
    const history = story(
      [
        { worker: 'a', hold: 1, lock: 'ledger', ask: 0, got: 1, release: 20 },
        { worker: 'b', hold: 7, lock: 'ledger', ask: 2, got: 15, release: 30 },
      ],
      [fault(10, 'partition', { state: 'on', target: 'redis' })],
    );
    const [violation] = checkIntervals(history, { faultClass: faultClasses['crash-and-network'] }).violations;
    expect(violation).toMatchObject({ rule: 'overlap', lock: 'ledger', between: ['a/1', 'b/7'] });
    const text = violation === undefined ? '' : describeViolation(violation);
    expect(text).toContain('a/1 held it until 5.000 ms after b/7 had it');
    expect(text).toContain('partition on of redis, 5.0 ms before');
  });

  it('counts what it judged', () => {
    const { counts } = checkIntervals(goodStories['two processes in turn'].history, { faultClass: faultClasses.none });
    expect(counts).toMatchObject({ locks: 1, holds: 4, crossProcess: 3, misses: 0, ambiguous: 0, lost: 0 });
  });

  it('costs little more than sorting, also for one busy lock on which many wait', () => {
    const holds = Array.from({ length: 20_000 }, (_, i) => {
      const got = Math.max(i, 1);
      return { worker: `w${i % 8}`, hold: i + 1, ask: Math.max(0, i - 3_000), got, release: got + 0.9 };
    });
    const history = story(holds.slice(1));
    const before = process.cpuUsage();
    expect(checkIntervals(history, { faultClass: faultClasses.none }).violations).toEqual([]);
    const { user } = process.cpuUsage(before);
    // About 0.3 s; the square of 20,000 would be minutes.
    expect(user / 1_000).toBeLessThan(6_000);
  });
});
