import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Clock, systemClock } from '@holdfast/watchdog';

/** A machine whose clocks the test moves. */
class Machine {
  monotonic = 5_000;
  wall = 1_700_000_000_000;
  boot: number | undefined = 60_000;

  clock(): Clock {
    jest.spyOn(performance, 'now').mockImplementation(() => this.monotonic);
    jest.spyOn(Date, 'now').mockImplementation(() => this.wall);
    return systemClock(() => this.boot);
  }

  run(ms: number): void {
    this.monotonic += ms;
    this.wall += ms;
    if (this.boot !== undefined) this.boot += ms;
  }

  suspend(ms: number): void {
    this.wall += ms;
    if (this.boot !== undefined) this.boot += ms;
  }
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('systemClock', () => {
  it('follows the monotonic clock while the machine runs', () => {
    const machine = new Machine();
    const clock = machine.clock();
    const start = clock.now();
    machine.run(12_345);
    expect(clock.now()).toBe(start + 12_345);
  });

  it('jumps by the time the machine was suspended', () => {
    const machine = new Machine();
    const clock = machine.clock();
    const start = clock.now();
    machine.run(100);
    machine.suspend(3_600_000);
    machine.run(50);
    expect(clock.now()).toBe(start + 3_600_150);
    machine.run(1_000);
    machine.suspend(60_000);
    expect(clock.now()).toBe(start + 3_661_150);
  });

  it('ignores a wall clock that is set forward when the boot-time clock saw no suspend', () => {
    const machine = new Machine();
    const clock = machine.clock();
    const start = clock.now();
    machine.wall += 3_600_000;
    machine.run(10);
    expect(clock.now()).toBe(start + 10);
  });

  it('counts only the suspend when the wall clock is set forward as well', () => {
    const machine = new Machine();
    const clock = machine.clock();
    const start = clock.now();
    machine.suspend(20_000);
    machine.wall += 3_600_000;
    expect(clock.now()).toBe(start + 20_000);
  });

  it('takes the stricter reading where there is no boot-time clock: a gain of the wall clock counts as time passed', () => {
    const machine = new Machine();
    machine.boot = undefined;
    const clock = machine.clock();
    const start = clock.now();
    machine.wall += 40_000;
    machine.run(10);
    expect(clock.now()).toBe(start + 40_010);
    machine.run(10);
    expect(clock.now()).toBe(start + 40_020);
  });

  it('counts a gain that came in steps too small to notice one by one', () => {
    const machine = new Machine();
    machine.boot = undefined;
    const clock = machine.clock();
    const start = clock.now();
    for (let i = 0; i < 6; i++) {
      machine.suspend(100);
      clock.now();
    }
    expect(clock.now()).toBe(start + 600);
  });

  it('takes no half second that the wall clock gains for a suspend: clocks are slewed', () => {
    const machine = new Machine();
    machine.boot = undefined;
    const clock = machine.clock();
    const start = clock.now();
    machine.wall += 500;
    expect(clock.now()).toBe(start);
    machine.wall += 1;
    expect(clock.now()).toBe(start + 501);
  });

  it.each([
    ['only after it was made', undefined, 60_000],
    ['when it was made, and later no more', 60_000, undefined],
  ])('does without a boot-time clock that can be read %s', (_, first, later) => {
    const machine = new Machine();
    machine.boot = first;
    const clock = machine.clock();
    const start = clock.now();
    machine.boot = later;
    machine.suspend(20_000);
    expect(clock.now()).toBe(start + 20_000);
  });

  it('does not go back where the boot-time clock is read less finely than before', () => {
    const machine = new Machine();
    const clock = machine.clock();
    machine.suspend(20_000);
    const before = clock.now();
    machine.boot = (machine.boot ?? 0) - 10;
    machine.wall += 3_600_000;
    expect(clock.now()).toBe(before);
  });

  it('ignores a wall clock that is set back, and still notices a suspend after it', () => {
    const machine = new Machine();
    const clock = machine.clock();
    const start = clock.now();
    machine.wall -= 86_400_000;
    expect(clock.now()).toBe(start);
    machine.suspend(10_000);
    expect(clock.now()).toBe(start + 10_000);
  });

  it('never goes backwards, whatever the wall clock does', () => {
    const machine = new Machine();
    const clock = machine.clock();
    let last = clock.now();
    for (let i = 0; i < 1_000; i++) {
      machine.run(i % 7);
      if (i % 3 === 0) machine.wall += (i % 11) * 1_000 - 5_000;
      if (i % 50 === 0) machine.suspend(700);
      const now = clock.now();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  it('agrees with performance.now() on this machine', () => {
    const clock = systemClock();
    const before = performance.now();
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(performance.now());
  });

  it('runs timers in the async context it was made in, not in that of the code that set them', async () => {
    const storage = new AsyncLocalStorage<string>();
    const clock = storage.run('maker', () => systemClock());
    const seen = await new Promise((resolve) => {
      storage.run('somebody', () => clock.setTimer(() => resolve(storage.getStore()), 1));
    });
    expect(seen).toBe('maker');
  });

  it('does not run a timer that was cleared', async () => {
    const clock = systemClock();
    let ran = false;
    clock.clearTimer(
      clock.setTimer(() => {
        ran = true;
      }, 1),
    );
    await new Promise<void>((resolve) => {
      clock.setTimer(resolve, 5);
    });
    expect(ran).toBe(false);
  });
});
