import { afterEach, expect, it, jest } from '@jest/globals';
import { Budget } from '../src/run/budget.js';

afterEach(() => {
  jest.useRealTimers();
});

it('a run has all rounds at first, one in its last third, none when its time is over', () => {
  jest.useFakeTimers();
  const budget = new Budget(1_000);
  expect(budget.rounds(3)).toBe(3);
  jest.advanceTimersByTime(750);
  expect(budget.rounds(3)).toBe(1);
  jest.advanceTimersByTime(250);
  expect(budget.rounds(3)).toBe(0);
});
