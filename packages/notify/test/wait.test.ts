import { describe, expect, it, jest } from '@jest/globals';
import { AbortHub, quietWait, Wait } from '../src/index.js';
import { ManualTimers } from './support/manual-timers.js';

function parts() {
  return { timers: new ManualTimers(), aborts: new AbortHub(), controller: new AbortController() };
}

describe('Wait', () => {
  it('settles once: the first settlement wins and says so', async () => {
    const resolved = new Wait<string>();
    expect(resolved.settled).toBe(false);
    expect([resolved.resolve('first'), resolved.resolve('second'), resolved.reject(new Error('third'))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(resolved.settled).toBe(true);
    await expect(resolved.promise).resolves.toBe('first');

    const rejected = new Wait<string>();
    expect([rejected.reject(new Error('first')), rejected.resolve('second')]).toEqual([true, false]);
    await expect(rejected.promise).rejects.toThrow('first');
  });

  it('is no unhandled rejection, which would fail this test, when it is a quiet one', async () => {
    quietWait<void>().reject(new Error('without a handler'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  });

  it.each(['resolve', 'reject'] as const)('keeps neither timer nor abort listener after %s', (settle) => {
    const { timers, aborts, controller } = parts();
    const onExpire = jest.fn();
    const onAbort = jest.fn();
    const wait = new Wait<number>({
      timers,
      expiresAt: 100,
      aborts,
      signal: controller.signal,
      handler: { onExpire, onAbort },
    });
    expect([timers.size, aborts.size]).toEqual([1, 1]);
    wait.promise.catch(() => undefined);
    wait[settle](1);
    expect([timers.size, aborts.size]).toEqual([0, 0]);
    timers.advanceTo(100);
    controller.abort();
    wait.expireAt(200);
    expect(timers.size).toBe(0);
    expect(onExpire).not.toHaveBeenCalled();
    expect(onAbort).not.toHaveBeenCalled();
  });

  it('lets the handler decide what an expired wait settles with', async () => {
    const { timers } = parts();
    const wait = new Wait<string>({ timers, expiresAt: 100, handler: { onExpire: (w) => w.resolve('timed out') } });
    timers.advanceTo(99);
    expect(wait.settled).toBe(false);
    timers.advanceTo(100);
    await expect(wait.promise).resolves.toBe('timed out');
  });

  it('goes on waiting when the handler moves the expiry', async () => {
    const { timers } = parts();
    const times: number[] = [];
    const wait = new Wait<string>({
      timers,
      expiresAt: 100,
      handler: {
        onExpire(w) {
          times.push(timers.now);
          if (timers.now < 300) w.expireAt(timers.now + 100);
          else w.resolve('enough');
        },
      },
    });
    for (const time of [100, 200, 300, 400]) timers.advanceTo(time);
    await expect(wait.promise).resolves.toBe('enough');
    expect(times).toEqual([100, 200, 300]);
    expect(timers.size).toBe(0);
  });

  it('moves its expiry earlier, later, away and back with one timer at most', () => {
    const { timers } = parts();
    const wait = new Wait<void>({ timers, handler: { onExpire: (w) => w.resolve() } });
    expect(timers.size).toBe(0);
    wait.expireAt(100);
    wait.expireAt(300);
    expect(timers.size).toBe(1);
    timers.advanceTo(200);
    expect(wait.settled).toBe(false);
    wait.expireAt(Infinity);
    expect(timers.size).toBe(0);
    wait.expireAt(250);
    timers.advanceTo(250);
    expect(wait.settled).toBe(true);
  });

  it('rejects an aborted wait with the reason of the signal when nothing else was said', async () => {
    const { aborts, controller } = parts();
    const wait = new Wait<void>({ aborts, signal: controller.signal });
    const reason = new Error('shutting down');
    controller.abort(reason);
    await expect(wait.promise).rejects.toBe(reason);
  });

  it('hands the reason to the abort handler, and lets it decide', async () => {
    const { timers, aborts, controller } = parts();
    const wait = new Wait<unknown>({
      timers,
      aborts,
      signal: controller.signal,
      handler: { onExpire: () => undefined, onAbort: (w, reason) => w.resolve(reason) },
    });
    controller.abort('why');
    await expect(wait.promise).resolves.toBe('why');
  });

  it('is aborted at once by a signal that has aborted before, and then takes no timer', async () => {
    const { timers, aborts } = parts();
    const reason = new Error('too late');
    const wait = new Wait<void>({
      timers,
      expiresAt: 100,
      aborts,
      signal: AbortSignal.abort(reason),
      handler: { onExpire: () => undefined },
    });
    expect(wait.settled).toBe(true);
    expect([timers.size, aborts.size]).toEqual([0, 0]);
    await expect(wait.promise).rejects.toBe(reason);
  });

  it('turns an error of a handler into the rejection of the wait', async () => {
    const { timers, aborts, controller } = parts();
    const fail = () => {
      throw new Error('broken handler');
    };
    const handler = { onExpire: fail, onAbort: fail };
    const expired = new Wait<void>({ timers, expiresAt: 1, handler });
    const aborted = new Wait<void>({ timers, aborts, signal: controller.signal, handler });
    expect(() => timers.advanceTo(1)).not.toThrow();
    expect(() => controller.abort()).not.toThrow();
    await expect(expired.promise).rejects.toThrow('broken handler');
    await expect(aborted.promise).rejects.toThrow('broken handler');
  });
});
