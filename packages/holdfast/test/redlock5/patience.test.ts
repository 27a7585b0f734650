/** How often `holdfast/redlock` asks for a lock of whose release no message tells, and what a pause leaves behind. */
import { getEventListeners } from 'node:events';
import { ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Hold, LockClientClosedError, LockLostError, LockUnavailableError, type RLock } from 'holdfast';
import { acquirePatiently } from '../../src/redlock5/patience.js';
import { failureOf } from '../support/outcomes.js';

/** A call for a lock whose questions are answered by `answer`, which is told their number. */
function asking(answer: (question: number) => Hold, retryCount: number, retryDelay: number) {
  const [clock, closing] = [new ManualClock(), new AbortController()];
  let asked = 0;
  const lock = { acquire: async () => answer(++asked) } as unknown as RLock;
  const settings = { driftFactor: 0, retryCount, retryDelay, retryJitter: 0, automaticExtensionThreshold: 500 };
  const patience = { duration: 1_000, settings, clock, closing: closing.signal, onFailure: () => undefined };
  const call = () => acquirePatiently(lock, patience);
  return { call, clock, closing, asked: () => asked };
}

const away = () => {
  throw new LockUnavailableError('Redis is away');
};

describe('a lock of whose release no message tells', () => {
  it('is asked for once more at the end of the time, and then no more', async () => {
    const { call, clock, asked } = asking(away, 3, 100);
    const failure = failureOf(call());
    await clock.advance(300);
    expect(asked()).toBe(4);
    await clock.advance(1_000);
    expect(await failure).toBeInstanceOf(LockUnavailableError);
    expect(asked()).toBe(4);
  });

  it('leaves no listener behind for any of its pauses: whoever closes lives as long as the client', async () => {
    const { call, clock, closing, asked } = asking(away, 20, 100);
    const failure = failureOf(call());
    await clock.advance(1_000);
    expect(asked()).toBeGreaterThan(9);
    expect(getEventListeners(closing.signal, 'abort')).toHaveLength(1);
    await clock.advance(2_000);
    await failure;
    expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0);
  });

  it('is not waited for when the client was closed during a question', async () => {
    const closed = asking(
      (question) => {
        closed.closing.abort();
        if (question > 1) throw new LockClientClosedError();
        return away();
      },
      10,
      60_000,
    );
    const failure = failureOf(closed.call());
    await closed.clock.advance(1);
    expect(closed.asked()).toBe(2);
    expect(await failure).toBeInstanceOf(LockClientClosedError);
  });
});

/** A hold that was handed over, with a claim of which `leftMs` are left. Its extension has no answer. */
function claimed(leftMs = 500) {
  const lost = new AbortController();
  let extensions = 0;
  const hold = {
    signal: lost.signal,
    remainingMs: () => leftMs,
    assertHeld: () => lost.signal.throwIfAborted(),
    release: async () => undefined,
    extend: () => {
      extensions++;
      return new Promise(() => undefined);
    },
  } as unknown as Hold;
  return { hold, lost, extensions: () => extensions };
}

describe('a lock that was handed over', () => {
  it('and is lost before it is raised to its duration, is asked for again', async () => {
    const [first, second] = [claimed(), claimed(1_000)];
    const { call, clock, asked } = asking((question) => (question === 1 ? first : second).hold, 3, 100);
    const outcome = call();
    await clock.advance(50);
    expect([asked(), first.extensions()]).toEqual([1, 1]);
    first.lost.abort(new LockLostError('order', 'unreachable'));
    await clock.advance(100);
    expect(await outcome).toBe(second.hold);
    expect(second.extensions()).toBe(0);
    expect(getEventListeners(first.lost.signal, 'abort')).toHaveLength(0);
  });
});
