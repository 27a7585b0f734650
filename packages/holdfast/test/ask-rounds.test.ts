import { ManualClock } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { describe, expect, it } from '@jest/globals';
import { AskRounds } from '../src/tenure/ask-rounds.js';

const R = 1_600;
/** An ask may be so much early. */
const EARLY = R / 8;

function setUp() {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const waits = new Schedule(clock, 'keeps-process-alive', (error) => errors.push(error));
  /** The asks of each round, with their times. */
  const rounds: [name: string, at: number][][] = [];
  let round: [string, number][] | undefined;
  const together = <T>(work: () => T): T => {
    round = [];
    rounds.push(round);
    return work();
  };
  const askRounds = new AskRounds({ clock, waits, sender: { together }, reaskMs: R });
  const at = (time: number, name: string, more?: () => void) =>
    askRounds.at(time, () => {
      round?.push([name, clock.now()]);
      more?.();
    });
  return { clock, waits, rounds, at, errors };
}

describe('asks whose period is over', () => {
  it('are made with those that are due within an eighth of it, and none is late', async () => {
    const { clock, rounds, at } = setUp();
    at(R + EARLY + 1, 'c');
    at(R, 'a');
    at(R + EARLY, 'b');
    await clock.advance(R - 1);
    expect(rounds).toEqual([]);
    await clock.advance(2 * R);
    expect(rounds).toEqual([
      [
        ['a', R],
        ['b', R],
      ],
      [['c', R + EARLY + 1]],
    ]);
  });

  it('stay together from then on, and none is made more often than once in seven eighths of a period', async () => {
    const { clock, rounds, at } = setUp();
    const again = (name: string) => at(clock.now() + R, name, () => again(name));
    const names = Array.from({ length: 100 }, (_, index) => `${index}`);
    for (const name of names) {
      again(name);
      await clock.advance(R / names.length);
    }
    await clock.advance(10 * R);
    const lastPeriod = rounds.filter((round) => (round[0]?.[1] ?? 0) > 10 * R);
    expect(lastPeriod.length).toBeLessThanOrEqual(8);
    expect(lastPeriod.flat().length).toBe(100);
    for (const name of names) {
      const times = rounds.flat().flatMap(([who, time]) => (who === name ? [time] : []));
      const pauses = times.slice(1).map((time, index) => time - (times[index] as number));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(R - EARLY);
      expect(Math.max(...pauses)).toBe(R);
      expect(pauses.slice(1).every((pause) => pause === R)).toBe(true);
    }
  });

  it('are as many as are due, but no early one joins a round of 256', async () => {
    const { clock, rounds, at } = setUp();
    for (let index = 0; index < 300; index++) at(R, 'due');
    at(R + 1, 'later');
    for (let index = 0; index < 300; index++) at(2 * R + index / 10, 'later');
    await clock.advance(4 * R);
    expect(rounds.map(({ length }) => length)).toEqual([300, 1, 256, 44]);
  });

  it('are made although one of them throws, and that is told', async () => {
    const { clock, rounds, at, errors } = setUp();
    at(R, 'a', () => {
      throw new Error('a bug');
    });
    at(R + 1, 'b');
    at(R + 2, 'c');
    await clock.advance(R + 2);
    expect(rounds.flat().map(([name]) => name)).toEqual(['a', 'b', 'c']);
    expect(errors).toEqual([expect.objectContaining({ message: 'a bug' })]);
  });

  it('that are called off are not made, by others of their round neither, and leave nothing that keeps the process alive', async () => {
    const { clock, waits, rounds, at } = setUp();
    at(R, 'a', () => second.cancel());
    const second = at(R + 1, 'b');
    const third = at(R + 2, 'c');
    third.cancel();
    third.cancel();
    await clock.advance(R);
    expect(rounds).toEqual([[['a', R]]]);
    expect(waits.size).toBe(0);
    at(3 * R, 'd').cancel();
    expect(waits.size).toBe(0);
    at(3 * R, 'e');
    await clock.advance(2 * R);
    expect(rounds.flat().map(([name]) => name)).toEqual(['a', 'e']);
  });
});
