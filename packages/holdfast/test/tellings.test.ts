import { describe, expect, it } from '@jest/globals';
import { Tellings } from '../src/reports/tellings.js';

describe('what is told when a change is complete', () => {
  it('is told in order, and an exception out of one telling keeps none of the others', () => {
    const failures: unknown[] = [];
    const tellings = new Tellings((error) => failures.push(error));
    const told: number[] = [];
    tellings.hold();
    tellings.tell(() => told.push(1));
    tellings.tell(() => {
      throw new Error('second');
    });
    tellings.tell(() => told.push(3));
    expect(() => tellings.release()).not.toThrow();
    expect(told).toEqual([1, 3]);
    expect(failures).toEqual([new Error('second')]);
  });
});
