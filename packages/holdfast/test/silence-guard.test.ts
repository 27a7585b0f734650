import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { ConnectionTools } from '../src/connection/connection-tools.js';
import { ServerCheck } from '../src/connection/server-check.js';
import { SilenceGuard } from '../src/connection/silence-guard.js';

const silenceMs = 300;
/** Before silence is believed, so much more is waited. */
const ONCE_MORE_MS = 50;

/** A guard whose clock is driven by hand; its looks end in real turns of the event loop. */
function setUp() {
  let now = 0;
  let silences = 0;
  const timers: { time: number; action: () => void }[] = [];
  const tools: ConnectionTools = {
    at(time, action) {
      const timer = { time, action };
      timers.push(timer);
      return {
        cancel: () => void timers.splice(timers.indexOf(timer), 1),
        move: (to) => void Object.assign(timer, { time: to }),
      };
    },
    after: (ms, action) => tools.at(now + ms, action),
    now: () => now,
    random: Math.random,
    nextTurn: (run) => void setImmediate().then(run),
    silenceMs,
    serverCheck: new ServerCheck('node', () => undefined),
    onError: () => undefined,
  };
  const guard = new SilenceGuard(tools, () => silences++);
  return {
    guard,
    timers,
    silences: () => silences,
    /** The clock goes on, and what is due is called; whether it is judged yet is another matter. */
    pass: (ms: number) => {
      now += ms;
      for (const timer of timers.filter(({ time }) => time <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.action();
      }
      return now;
    },
    judged: async () => {
      for (let turn = 0; turn < 3; turn++) await setImmediate();
    },
  };
}

describe('a connection counts as silent', () => {
  it('when it has owed an answer for so long, and said nothing', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    pass(silenceMs - 1);
    await judged();
    expect(silences()).toBe(0);
    pass(1);
    await judged();
    pass(ONCE_MORE_MS - 1);
    await judged();
    expect(silences()).toBe(0);
    pass(1);
    await judged();
    expect(silences()).toBe(1);
  });

  it('not when the answer comes just then: the command may have been written as late', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    pass(silenceMs);
    await judged();
    guard.answered(silenceMs + 1);
    pass(ONCE_MORE_MS);
    await judged();
    expect(silences()).toBe(0);
  });

  it('not when it is over: what was owed comes on no connection any more', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    guard.forget();
    pass(silenceMs);
    await judged();
    pass(silenceMs);
    await judged();
    expect([silences(), guard.silentMs(2 * silenceMs)]).toEqual([0, 0]);
  });

  it('not when it has answered since a doubt, and the loop then stands still for as long as it may be silent', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    const doubted = pass(silenceMs);
    guard.answered(doubted + 1);
    guard.sent(doubted + 1);
    pass(ONCE_MORE_MS + silenceMs);
    await judged();
    expect(silences()).toBe(0);
  });

  it('not while it answers some of what it owes', async () => {
    const { guard, pass, judged, silences } = setUp();
    for (let command = 0; command < 10; command++) guard.sent(0);
    for (let answer = 0; answer < 5; answer++) {
      guard.answered(pass(silenceMs - 1));
      await judged();
    }
    expect(silences()).toBe(0);
  });

  it('not when the answer had come, and the loop was only late to read it', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    guard.answered(pass(10 * silenceMs));
    await judged();
    expect(silences()).toBe(0);
  });

  it('not when it is closed between the look and the judgement, nor is it looked at again', async () => {
    const { guard, pass, judged, silences, timers } = setUp();
    guard.sent(0);
    pass(silenceMs);
    pass(ONCE_MORE_MS);
    guard.close();
    await judged();
    expect(silences()).toBe(0);
    expect(timers).toEqual([]);
  });
});

describe('a loop that stood still', () => {
  it('while nothing was owed is no reason to believe in silence sooner afterwards', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    guard.answered(1);
    pass(silenceMs + 100);
    guard.sent(silenceMs + 100);
    await judged();
    pass(silenceMs + 100);
    await judged();
    expect(silences()).toBe(0);
  });

  it('between the moment at which a command was counted and its look gives the answer time to come', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    pass(silenceMs + 100);
    await judged();
    expect(silences()).toBe(0);
    pass(silenceMs / 2 - 1);
    await judged();
    expect(silences()).toBe(0);
    pass(1);
    await judged();
    expect(silences()).toBe(1);
  });

  it('until it was closed is not looked at again', async () => {
    const { guard, pass, judged, silences, timers } = setUp();
    guard.sent(0);
    guard.close();
    pass(silenceMs + 100);
    await judged();
    expect(silences()).toBe(0);
    expect(timers).toEqual([]);
  });

  it('again and again hides no silence: the second look in a row is believed, however late it is', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    for (let look = 0; look < 2; look++) {
      pass(2 * silenceMs);
      await judged();
    }
    expect(silences()).toBe(1);
  });

  it('behind its look, before it has judged, is no silence: what it looked at counts', async () => {
    const { guard, pass, judged, silences } = setUp();
    guard.sent(0);
    pass(silenceMs - 50);
    guard.answered(silenceMs - 50);
    guard.sent(silenceMs - 50);
    pass(50);
    pass(2 * silenceMs);
    await judged();
    expect(silences()).toBe(0);
  });
});
