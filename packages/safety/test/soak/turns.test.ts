import { describe, expect, it } from '@jest/globals';
import { quantile, TurnBook } from '../../src/soak/judge/turns.js';

const MS = 1_000;

/** Lock, asked, held, left, in milliseconds; a token where it has one. */
const records = (...turns: readonly (readonly [number, number, number, number, number?])[]): number[] =>
  turns.flatMap(([lock, asked, held, left, token = 0]) => [lock, asked * MS, held * MS, left * MS, token]);

describe('the book of turns', () => {
  it('finds no fault with turns that follow each other', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 10], [1, 11, 32, 40]));
    book.add(1, records([1, 5, 12, 30]));
    const { count, overlaps, idleMs, waitMs, inTurn, leastTurns, mostTurns } = book.handovers([1], 0);
    expect(overlaps).toEqual([]);
    expect(idleMs).toEqual([2, 2]);
    expect(waitMs).toEqual([7, 21]);
    expect([count, inTurn, leastTurns, mostTurns]).toEqual([2, 2, 3, 3]);
  });

  it('finds two at the same time, also behind a turn that ended early', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 100]));
    book.add(1, records([1, 5, 20, 30]));
    book.add(2, records([1, 5, 50, 120]));
    expect(book.handovers([1], 0).overlaps.map(({ earlier, later }) => [earlier.process, later.process])).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });

  it('finds a fencing token that does not rise', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 10, 4], [1, 11, 32, 40, 9], [1, 41, 60, 70, 8]));
    book.add(1, records([1, 5, 12, 30, 6], [1, 33, 42, 50, 9]));
    const { tokensOutOfOrder } = book.handovers([1], 0);
    expect(tokensOutOfOrder.map(({ earlier, later }) => [earlier.token, later.token])).toEqual([
      [9, 9],
      [9, 8],
    ]);
  });

  it('tells locks apart', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 100]));
    book.add(1, records([2, 5, 20, 30]));
    expect(book.handovers([1, 2], 0).overlaps).toEqual([]);
  });

  it('knows a lock that nobody ever got', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 10]));
    expect(book.handovers([1, 2], 0).leastTurns).toBe(0);
  });

  it('counts who was served before somebody that had asked earlier', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 10]));
    book.add(1, records([1, 3, 30, 40]));
    book.add(2, records([1, 4, 11, 20]));
    const { count, inTurn } = book.handovers([1], 0);
    expect([count, inTurn]).toEqual([2, 1]);
  });

  it('counts a wait from the moment when turns began', () => {
    const book = new TurnBook();
    book.add(0, records([1, 0, 0, 110]));
    book.add(1, records([1, 5, 112, 120]));
    expect(book.handovers([1], 100 * MS).waitMs).toEqual([12]);
  });
});

it('a quantile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, i) => i);
  expect([
    quantile(values, 0),
    quantile(values, 0.5),
    quantile(values, 0.99),
    quantile(values, 1),
    quantile([], 0.5),
  ]).toEqual([0, 50, 99, 99, 0]);
});
