import { describe, expect, it } from '@jest/globals';
import { ManualClock, type ManualTimer, seededRandom } from '@holdfast/testkit';
import { type Appointment, type Clock, type Liveness, Schedule, type Timer } from '@holdfast/watchdog';

function setup(liveness: Liveness = 'background') {
  const clock = new ManualClock(1_000);
  const errors: unknown[] = [];
  const timers: ManualTimer[] = [];
  const observed = {
    now: () => clock.now(),
    setTimer: (run: () => void, delayMs: number) => {
      const timer = clock.setTimer(run, delayMs);
      timers.push(timer);
      return timer;
    },
    clearTimer: (timer: ManualTimer) => clock.clearTimer(timer),
  };
  const schedule = new Schedule(observed, liveness, (error) => errors.push(error));
  const ran: { what: string; at: number }[] = [];
  const at = (time: number, what: string) => schedule.at(time, () => ran.push({ what, at: clock.now() }));
  return { clock, errors, timers, schedule, ran, at };
}

describe('Schedule', () => {
  it('runs each appointment once, at its time, in order of time', async () => {
    const { clock, at, ran, schedule } = setup();
    at(1_300, 'c');
    at(1_100, 'a');
    at(1_200, 'b');
    await clock.advance(10_000);
    expect(ran).toEqual([
      { what: 'a', at: 1_100 },
      { what: 'b', at: 1_200 },
      { what: 'c', at: 1_300 },
    ]);
    expect(schedule.size).toBe(0);
  });

  it.each<Liveness>(['background', 'keeps-process-alive'])(
    'works where timers are numbers, as those of jsdom, %s',
    async (liveness) => {
      const clock = new ManualClock(0);
      const timers: ManualTimer[] = [];
      const numbers: Clock = {
        now: () => clock.now(),
        setTimer: (run, delayMs) => timers.push(clock.setTimer(run, delayMs)) as Timer,
        clearTimer: (timer) => clock.clearTimer(timers[(timer as number) - 1] as ManualTimer),
      };
      const schedule = new Schedule(numbers, liveness, () => undefined);
      const ran: string[] = [];
      schedule.at(100, () => ran.push('cancelled')).cancel();
      schedule.at(50, () => ran.push('a'));
      await clock.advance(200);
      schedule.at(300, () => ran.push('b'));
      await clock.advance(200);
      expect(ran).toEqual(['a', 'b']);
    },
  );

  it('runs nothing before its time, also when the time has a fraction', async () => {
    const { clock, at, ran, timers } = setup();
    at(1_100.5, 'a');
    await clock.advance(100);
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(ran).toHaveLength(1);
    expect(timers).toHaveLength(1);
  });

  it('runs what is already past at the next turn, not at once', async () => {
    const { clock, at, ran } = setup();
    at(0, 'past');
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(ran).toHaveLength(1);
  });

  it('never runs what was cancelled', async () => {
    const { clock, at, ran, schedule } = setup();
    const appointments = [1_010, 1_020, 1_030, 1_040].map((time) => at(time, `${time}`));
    appointments[0]?.cancel();
    appointments[2]?.cancel();
    appointments[2]?.cancel();
    expect(schedule.size).toBe(2);
    await clock.advance(100);
    expect(ran.map(({ what }) => what)).toEqual(['1020', '1040']);
  });

  it('runs a moved appointment at the new time only, earlier or later', async () => {
    const { clock, at, ran } = setup();
    at(1_500, 'earlier').move(1_100);
    at(1_050, 'later').move(1_600);
    await clock.advance(1_000);
    expect(ran).toEqual([
      { what: 'earlier', at: 1_100 },
      { what: 'later', at: 1_600 },
    ]);
  });

  it('makes an appointment again when it is moved after it ran or was cancelled', async () => {
    const { clock, at, ran } = setup();
    const first = at(1_010, 'ran');
    const second = at(1_010, 'cancelled');
    second.cancel();
    await clock.advance(20);
    first.move(1_100);
    second.move(1_100);
    await clock.advance(100);
    expect(ran.map(({ what }) => what).sort()).toEqual(['cancelled', 'ran', 'ran']);
  });

  it('refuses a time that is no number', () => {
    const { at } = setup();
    expect(() => at(Number.NaN, 'never')).toThrow(RangeError);
  });

  it('reports what an appointment throws and runs the others', async () => {
    const { clock, at, ran, errors, schedule } = setup();
    schedule.at(1_010, () => {
      throw new Error('mine');
    });
    at(1_010, 'other');
    at(1_020, 'later');
    await clock.advance(100);
    expect(errors).toEqual([new Error('mine')]);
    expect(ran).toHaveLength(2);
  });

  it('goes on when the error handler throws as well', async () => {
    const clock = new ManualClock();
    const schedule = new Schedule(clock, 'background', () => {
      throw new Error('handler');
    });
    let ran = 0;
    schedule.at(10, () => {
      throw new Error('mine');
    });
    schedule.at(20, () => ran++);
    await clock.advance(100);
    expect(ran).toBe(1);
  });

  it('honours a cancellation and a move made by an appointment of the same firing', async () => {
    const { clock, at, ran, schedule } = setup();
    const others: Appointment[] = [];
    schedule.at(1_010, () => {
      others[0]?.cancel();
      others[1]?.move(1_500);
    });
    others.push(at(1_020, 'cancelled'), at(1_020, 'moved'));
    clock.jump(30);
    await clock.advance(0);
    expect(ran).toEqual([]);
    await clock.advance(1_000);
    expect(ran).toEqual([{ what: 'moved', at: 1_500 }]);
  });

  it('gives the event loop its turn between appointments that make each other', async () => {
    const { clock, schedule } = setup();
    let runs = 0;
    const again = () => {
      runs++;
      schedule.at(0, again);
    };
    schedule.at(0, again);
    await clock.advance(10);
    expect(runs).toBe(10);
  });

  it('sets no timer for an appointment that is not the earliest', () => {
    const { at, timers } = setup();
    at(1_100, 'first');
    for (let i = 0; i < 10_000; i++) at(1_100 + i, 'later');
    expect(timers).toHaveLength(1);
    at(1_050, 'earlier');
    expect(timers).toHaveLength(2);
  });

  it('sets no timer for appointments that are made and cancelled over and over', async () => {
    const { clock, schedule, timers } = setup();
    for (let i = 0; i < 10_000; i++) {
      schedule.at(clock.now() + 10_000, () => undefined).cancel();
      clock.jump(0.01);
    }
    expect(timers).toHaveLength(1);
    await clock.advance(60_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('never has more than one timer', async () => {
    const { clock, at, schedule } = setup();
    const random = seededRandom(7);
    for (let i = 0; i < 500; i++) {
      at(clock.now() + random.next() * 5_000, `${i}`);
      if (i % 5 === 0) await clock.advance(random.next() * 200);
      expect(clock.pendingTimers).toBeLessThanOrEqual(1);
      if (schedule.size > 0) expect(clock.pendingTimers).toBe(1);
    }
  });

  it.each([30, 60, 365])('keeps an appointment %i days ahead, which no single timer can express', async (days) => {
    const { clock, at, ran, timers } = setup();
    const time = 1_000 + days * 86_400_000;
    at(time, 'far');
    await clock.advance(days * 86_400_000 - 1);
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(ran).toEqual([{ what: 'far', at: time }]);
    expect(timers.length).toBeLessThan(200);
  });

  it('notices soon after a suspend that an appointment is overdue, although timers stood still', async () => {
    const timers: { run: () => void; delayMs: number }[] = [];
    let now = 0;
    const schedule = new Schedule(
      {
        now: () => now,
        setTimer: (run, delayMs) => {
          timers.push({ run, delayMs });
          return { ref: () => undefined, unref: () => undefined };
        },
        clearTimer: () => undefined,
      },
      'background',
      () => undefined,
    );
    let ranAt: number | undefined;
    schedule.at(10_000, () => {
      ranAt = now;
    });
    const pending = timers.at(-1);
    // The machine sleeps for an hour just after the timer was set; then the timer still has its whole delay to go.
    now = 3_600_000 + (pending?.delayMs ?? 0);
    pending?.run();
    expect(ranAt).toBeLessThanOrEqual(3_600_000 + 1_250);
  });

  it('keeps the process alive exactly while an appointment is pending, if so asked', async () => {
    const { clock, at, timers } = setup('keeps-process-alive');
    const kept = () => timers.some((timer) => timer.hasRef && clock.pendingTimers > 0 && timer.dueAt > clock.now());
    const first = at(1_500, 'a');
    expect(kept()).toBe(true);
    first.cancel();
    expect(kept()).toBe(false);
    at(1_800, 'b');
    expect(kept()).toBe(true);
    await clock.advance(10_000);
    expect(kept()).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('never keeps the process alive in the background', async () => {
    const { clock, at, timers } = setup('background');
    at(1_500, 'a').cancel();
    at(1_800, 'b');
    at(1_100, 'c');
    await clock.advance(300);
    at(5_000, 'd');
    expect(timers.filter((timer) => timer.hasRef)).toEqual([]);
  });

  it('leaves nothing after clear, also from inside a firing, and can be used again', async () => {
    const { clock, at, ran, schedule } = setup();
    schedule.at(1_010, () => schedule.clear());
    at(1_010, 'same firing');
    at(1_020, 'later');
    clock.jump(10);
    await clock.advance(100);
    expect(ran).toEqual([]);
    expect(schedule.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    at(clock.now() + 5, 'again');
    await clock.advance(5);
    expect(ran.map(({ what }) => what)).toEqual(['again']);
  });

  it.each([1, 2, 3, 4, 5])('agrees with a sorted list under random use (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { clock, schedule, errors } = setup();
    const expected = new Map<number, number>();
    const live = new Map<number, Appointment>();
    const make = (id: number, time: number) => {
      expected.set(id, time);
      live.set(
        id,
        schedule.at(time, () => {
          expect(expected.get(id)).toBeLessThanOrEqual(clock.now());
          expect([...expected.values()].every((other) => other >= (expected.get(id) ?? Number.NaN))).toBe(true);
          expected.delete(id);
        }),
      );
    };
    for (let id = 0; id < 400; id++) {
      make(id, Math.floor(clock.now() + 1 + random.next() * 1_000));
      const victim = Math.floor(random.next() * id);
      if (expected.has(victim) && random.next() < 0.3) {
        live.get(victim)?.cancel();
        expected.delete(victim);
      } else if (expected.has(victim) && random.next() < 0.5) {
        const time = Math.floor(clock.now() + 1 + random.next() * 1_000);
        live.get(victim)?.move(time);
        expected.set(victim, time);
      }
      if (random.next() < 0.3) await clock.advance(Math.floor(random.next() * 50));
      expect(schedule.size).toBe(expected.size);
      expect([...expected.values()].every((time) => time > clock.now())).toBe(true);
    }
    await clock.advance(2_000);
    expect(expected.size).toBe(0);
    // A failed expectation inside an appointment ends up here.
    expect(errors).toEqual([]);
  });
});
