import type { ConnectionTools } from '../../src/connection/connection-tools.js';
import { ServerCheck } from '../../src/connection/server-check.js';

/** More than any timer that ends needs. */
const MOST_ROUNDS = 1_000;

/** Tools of connections whose clock is driven by hand. */
export interface DrivenTools {
  readonly tools: ConnectionTools;
  /** The clock times at which something is due. */
  due: () => number[];
  /** The clock goes on by this. Nothing is called. */
  stall: (ms: number) => void;
  /** Calls what is due, in order, and what that makes due, until there is nothing more. */
  passAll: () => 'no timer is left' | 'there is always another timer';
}

export function drivenTools(silenceMs = 300): DrivenTools {
  let now = 0;
  const timers: { time: number; action: () => void }[] = [];
  const remove = (timer: (typeof timers)[number]) => {
    const index = timers.indexOf(timer);
    if (index >= 0) timers.splice(index, 1);
  };
  const at: ConnectionTools['at'] = (time, action) => {
    const timer = { time, action };
    timers.push(timer);
    const move = (to: number) => {
      remove(timer);
      timers.push(Object.assign(timer, { time: to }));
    };
    return { cancel: () => remove(timer), move };
  };
  return {
    tools: {
      at,
      after: (ms, action) => at(now + ms, action),
      now: () => now,
      random: Math.random,
      nextTurn: (run) => void setImmediate(run),
      silenceMs,
      serverCheck: new ServerCheck('node', () => undefined),
      onError: () => undefined,
    },
    due: () => timers.map(({ time }) => time),
    stall: (ms) => {
      now += ms;
    },
    passAll: () => {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const [first] = timers.toSorted((a, b) => a.time - b.time);
        if (first === undefined) return 'no timer is left';
        remove(first);
        now = Math.max(now, first.time);
        first.action();
      }
      return 'there is always another timer';
    },
  };
}
