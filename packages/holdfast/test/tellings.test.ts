import { describe, expect, it, jest } from '@jest/globals';
import { Tellings } from '../src/reports/tellings.js';

describe('what is told when a change is complete', () => {
  it('is told in order, and an exception out of one telling keeps none of the others', () => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const tellings = new Tellings();
    const told: number[] = [];
    tellings.hold();
    tellings.tell(() => told.push(1));
    tellings.tell(() => {
      throw new Error('second');
    });
    tellings.tell(() => told.push(3));
    expect(() => tellings.release()).not.toThrow();
    expect(told).toEqual([1, 3]);
    expect(warning.mock.calls).toEqual([[expect.stringContaining('second'), 'HoldfastWarning']]);
    warning.mockRestore();
  });
});
