import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@holdfast/testkit';

describe('ManualClock', () => {
  it('runs due timers in order of their times, each at its own time', async () => {
    const clock = new ManualClock();
    const seen: [string, number][] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const) {
      clock.setTimer(() => seen.push([name, clock.now()]), ms);
    }
    await clock.advance(25);
    expect(seen).toEqual([
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ]);
    expect([clock.now(), clock.pendingTimers, clock.nextTimerAt]).toEqual([25, 1, 30]);
  });

  it('runs a timer that was set on the way when it falls due within the same advance', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    const tick = (): void => {
      seen.push(clock.now());
      clock.setTimer(tick, 10);
    };
    clock.setTimer(tick, 10);
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
  });

  it('lets code that awaits go on before the first timer and between two', async () => {
    const clock = new ManualClock();
    const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, ms));
    const seen: number[] = [];
    const task = async (): Promise<void> => {
      await Promise.resolve().then(() => undefined); // the first timer is not set yet when advance() is called
      await wait(10);
      seen.push(clock.now());
      await Promise.resolve().then(() => undefined);
      await wait(10);
      seen.push(clock.now());
    };
    const done = task();
    await clock.advance(20);
    await done;
    expect(seen).toEqual([10, 20]);
  });

  it('never runs a cleared timer, also when another due one clears it', async () => {
    const clock = new ManualClock();
    const seen: string[] = [];
    clock.setTimer(() => clock.clearTimer(victim), 5);
    const victim = clock.setTimer(() => seen.push('victim'), 5);
    await clock.advance(10);
    expect(seen).toEqual([]);
    clock.clearTimer(victim);
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets time pass without timers in a jump; they run late at the next advance', async () => {
    const clock = new ManualClock(1_000);
    const seen: number[] = [];
    clock.setTimer(() => seen.push(clock.now()), 10);
    clock.jump(500);
    expect([clock.now(), seen]).toEqual([1_500, []]);
    await clock.advance(0);
    expect(seen).toEqual([1_500]);
  });

  it('reads delays as Node does: unreadable and huge ones mean 1 ms', () => {
    const clock = new ManualClock();
    const due = [0, -5, Number.NaN, 2 ** 31, 2 ** 31 - 1].map((ms) => clock.setTimer(() => undefined, ms).dueAt);
    expect(due).toEqual([1, 1, 1, 1, 2 ** 31 - 1]);
  });

  it('rejects with what a timer throws and keeps the rest', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    clock.setTimer(() => {
      throw new Error('from a timer body');
    }, 1);
    clock.setTimer(() => seen.push(clock.now()), 2);
    await expect(clock.advance(5)).rejects.toThrow('from a timer body');
    expect([clock.now(), seen]).toEqual([1, []]);
    await clock.advance(5);
    expect(seen).toEqual([2]);
  });

  it('refuses a second advance while one is running, and going back', async () => {
    const clock = new ManualClock();
    const first = clock.advance(1);
    await expect(clock.advance(1)).rejects.toThrow(/await it/);
    await first;
    expect(() => clock.jump(-1)).toThrow(RangeError);
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
  });

  it('records ref and unref', () => {
    const timer = new ManualClock().setTimer(() => undefined, 5);
    expect([timer.hasRef, timer.unref().hasRef, timer.ref().hasRef]).toEqual([true, false, true]);
  });
});
