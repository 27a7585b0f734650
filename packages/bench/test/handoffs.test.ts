import { describe, expect, it } from '@jest/globals';
import { passage, type Section } from '../src/measure/handoffs.js';

const section = (process: number, askedAt: number, enteredAt: number, leftAt: number): Section => ({
  process,
  askedAt,
  enteredAt,
  leftAt,
});

describe('the passage of a lock', () => {
  it('counts as handoffs only those to another process that was waiting', () => {
    const { handoffs, kept } = passage([
      section(0, 0, 1, 2),
      section(1, 0, 5, 6), // waited: 3 ms
      section(1, 6, 7, 8), // the releaser again
      section(0, 20, 21, 22), // came later: the lock had been free
    ]);
    expect(handoffs.total).toBe(1);
    expect(handoffs.buckets()).toEqual(single(3_000));
    expect(kept).toBe(1);
  });

  it('does not depend on the order in which processes report', () => {
    const sections = [section(0, 0, 1, 2), section(1, 0, 3, 4), section(2, 0, 5, 6)];
    expect(passage([...sections].reverse()).handoffs.total).toBe(2);
    expect(passage([...sections].reverse()).mostInside).toBe(1);
  });

  it('sees two inside, however short the second is', () => {
    expect(passage([section(0, 0, 1, 10), section(1, 0, 5, 5)]).mostInside).toBe(2);
    expect(passage([section(0, 0, 1, 10), section(1, 0, 2, 9), section(2, 0, 3, 4)]).mostInside).toBe(3);
  });

  it('takes entering at the moment of leaving for exclusion', () => {
    expect(passage([section(0, 0, 1, 2), section(1, 0, 2, 3)]).mostInside).toBe(1);
  });

  it('of nothing is nothing', () => {
    expect(passage([])).toMatchObject({ kept: 0, mostInside: 0 });
  });
});

function single(microseconds: number) {
  const { handoffs } = passage([section(0, 0, 0, 0), section(1, 0, microseconds / 1_000, microseconds / 1_000)]);
  return handoffs.buckets();
}
