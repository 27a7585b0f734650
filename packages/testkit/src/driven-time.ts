import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Answers } from './answers.js';
import { ManualClock, ManualTimer } from './manual-clock.js';
import { replace } from './replace.js';
import { waitUntil } from './wait-until.js';

/** What closes when a test has ended may take as long, as for the leak check. */
const graceMs = 2_000;

/** In one turn of the event loop, when time flows. */
const longestStepMs = 10;

/**
 * Times are whole multiples of this power of two, so that sums and differences of them are exact. With the fractions of a real clock,
 * `start + 10_000` would now and then, when it passes a power of two, be a rounding error later than ten steps of 1_000: a timer that is due
 * would not have fired.
 */
const gridMs = 2 ** -10;
const onGrid = (ms: number) => Math.ceil(ms / gridMs) * gridMs;

/** The time of the process while a test drives it. */
export interface DrivenTime {
  /** Milliseconds, as `performance.now()` reads them. */
  now(): number;
  /**
   * Time goes on by `ms`, and timers run as they fall due, each at its own time; see {@link ManualClock.advance}. Before each step Redis
   * answers what connections of ioredis have asked it, and handshakes end: a client would take a server for silent that has had no time to
   * speak. A server that does not answer is not waited for.
   */
  advance(ms: number): Promise<void>;
  /** Time has passed and nothing could run: the process stood still. What fell due runs at the next `advance`. */
  jump(ms: number): void;
  /**
   * From now on time passes by itself, but only while this process runs: of what the machine keeps from it a few milliseconds count. For
   * tests whose two sides are both in this process.
   *
   * @param rate - how many times as fast as it really does; above 1 only where no server is in another process, whose answers would seem that much slower.
   */
  flow(rate?: number): void;
}

/**
 * From now on, until the test has ended, time in this process passes when the test says so: `performance.now()`, `Date.now()`, `setTimeout`
 * and `clearTimeout` of all code that the test loads, the clients under test and ioredis among it. However slow the machine is, no deadline
 * passes by itself, and how often something happens in a time can be counted.
 *
 * Not driven: what runs elsewhere (Redis and its clock, sockets, other processes), `setInterval`, `setImmediate`, `node:timers`, timers that
 * were set before, and `waitUntil`. A lease in Redis that shall not end while the test runs has to be long.
 *
 * Call it before clients are opened: they are closed before time goes on by itself again. Fails the test that leaves a timer set for
 * more than two seconds.
 */
export function driveTime(kit: { cleanup(undo: () => unknown): void }): DrivenTime {
  const realNow = performance.now.bind(performance);
  const startMs = Math.ceil(realNow());
  let flowing: Promise<void> | undefined;
  const answers = new Answers();
  const clock = new ManualClock(startMs, () => (flowing === undefined ? answers.come() : nextTurn()));
  const wallMs = Date.now() - startMs;
  const restore = [
    () => answers.stop(),
    replace(performance, 'now', () => clock.now()),
    replace(Date, 'now', () => Math.floor(wallMs + clock.now())),
  ];
  const set = (run: (...given: unknown[]) => void, delayMs = 1, ...given: unknown[]) =>
    clock.setTimer(
      AsyncResource.bind(() => run(...given)),
      delayMs,
    );
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const clear = (timer: unknown) => {
    if (timer instanceof ManualTimer) clock.clearTimer(timer);
    else realClear(timer as NodeJS.Timeout);
  };
  restore.push(
    replace(globalThis, 'setTimeout', Object.assign(set, { __promisify__: realSet.__promisify__ }) as never),
    replace(globalThis, 'clearTimeout', clear),
  );
  let isOver = false;
  const flow = async (rate: number) => {
    let last = realNow();
    while (!isOver) {
      await sleep(1);
      const now = realNow();
      const step = onGrid(Math.min((now - last) * rate, longestStepMs));
      await clock.advance(step);
      last = now;
    }
  };
  kit.cleanup(async () => {
    isOver = true;
    try {
      await flowing;
      await clock.advance(graceMs);
      await waitUntil(() => clock.pendingTimers === 0, { what: 'no driven timer to be set', timeoutMs: graceMs });
    } finally {
      for (const undo of restore) undo();
    }
  });
  return {
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    jump: (ms) => clock.jump(ms),
    flow: (rate = 1) => {
      flowing ??= flow(rate);
      flowing.catch(() => undefined); // told in the end
    },
  };
}
