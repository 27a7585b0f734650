import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { type DrivenTime, driveTime, guardLeaks, waitUntil } from '../src/index.js';

const guard = guardLeaks();

/** What a test does, and then the end of the test. */
async function driven(body: (time: DrivenTime) => unknown): Promise<void> {
  const undo: (() => unknown)[] = [];
  await body(driveTime({ cleanup: (last) => undo.push(last) }));
  for (const last of undo.toReversed()) await last();
}

describe('driven time', () => {
  it('stands still until the test moves it, for both clocks', () =>
    driven(async (time) => {
      const [from, wall] = [performance.now(), Date.now()];
      await waitUntil(() => true);
      expect([performance.now(), Date.now(), time.now()]).toEqual([from, wall, from]);
      await time.advance(1_500);
      expect(performance.now() - from).toBe(1_500);
      expect(Date.now() - wall).toBe(1_500);
    }));

  it('has no fractions that sums would round, so what is due at a time is due at that time', () =>
    driven(async (time) => {
      const from = time.now();
      expect(Number.isInteger(from)).toBe(true);
      time.flow();
      await waitUntil(() => time.now() > from + 20);
      expect(Number.isInteger(time.now() * 1_024)).toBe(true);
    }));

  it('runs timers when they fall due, in order, with what they were given and in their own context', () =>
    driven(async (time) => {
      const store = new AsyncLocalStorage<string>();
      const ran: unknown[] = [];
      const note = (what: string) => ran.push([what, performance.now() - from, store.getStore()]);
      const from = performance.now();
      store.run('mine', () => setTimeout(note, 200, 'second'));
      setTimeout(note, 100, 'first');
      clearTimeout(setTimeout(note, 50, 'never'));
      clearTimeout(undefined);
      await time.advance(99);
      expect(ran).toEqual([]);
      await time.advance(1_000);
      expect(ran).toEqual([
        ['first', 100, undefined],
        ['second', 200, 'mine'],
      ]);
    }));

  it('passes in one leap when the process stood still, and what was due runs late', () =>
    driven(async (time) => {
      let ranAt = 0;
      setTimeout(() => (ranAt = performance.now()), 100);
      time.jump(5_000);
      expect(ranAt).toBe(0);
      await time.advance(0);
      expect(ranAt).toBe(time.now());
    }));

  it.each([1, 5])(
    'flows when the test says so, %s times as fast, but for what keeps the process from running',
    (rate) =>
      driven(async (time) => {
        time.flow(rate);
        const from = performance.now();
        let ranAt = 0;
        setTimeout(() => (ranAt = performance.now()), 20);
        const until = process.hrtime.bigint() + 300_000_000n;
        while (process.hrtime.bigint() < until);
        expect(performance.now()).toBe(from);
        await new Promise((resolve) => setImmediate(resolve));
        expect(ranAt).toBe(0);
        await waitUntil(() => ranAt > 0, { what: 'the timer' });
        expect(ranAt).toBe(from + 20);
      }),
  );

  it('leaves waitUntil alone, and timers that were set before', async () => {
    const before = setTimeout(() => undefined, 60_000);
    await driven(async () => {
      clearTimeout(before);
      const never = waitUntil(() => false, { what: 'nothing', timeoutMs: 20 });
      await expect(never).rejects.toThrow('waited 20 ms for nothing');
    });
  });

  it('is over with the test: the globals are what they were', async () => {
    const globals = () => [Reflect.get(performance, 'now'), Reflect.get(Date, 'now'), setTimeout, clearTimeout];
    const before = globals();
    await driven(() => expect(globals().filter((one) => before.includes(one))).toEqual([]));
    expect(globals()).toEqual(before);
  });

  it('is over, and the test has failed, when a timer is left', async () => {
    const before = setTimeout;
    guard.cleanup(() => expect(setTimeout).toBe(before));
    await expect(driven(() => void setTimeout(() => undefined, 60_000))).rejects.toThrow('no driven timer to be set');
  });
});
