import { describe, expect, it } from '@jest/globals';
import { DueWheel } from '../../src/soak/worker/due-wheel.js';

describe('the wheel of what falls due', () => {
  it('gives everything once, not before its time, the earliest first', () => {
    const wheel = new DueWheel<string>(1_000);
    wheel.add('second', 1_950);
    wheel.add('first', 1_350);
    wheel.add('third', 5_000);
    expect(wheel.take(1_200)).toEqual([]);
    expect(wheel.take(2_000)).toEqual(['first', 'second']);
    expect(wheel.take(4_900)).toEqual([]);
    expect(wheel.take(9_000)).toEqual(['third']);
    expect(wheel.take(90_000)).toEqual([]);
  });

  it('gives what was due before it came at the next time', () => {
    const wheel = new DueWheel<string>(1_000);
    wheel.take(2_000);
    wheel.add('late', 1_500);
    expect(wheel.take(2_100)).toEqual(['late']);
  });
});
