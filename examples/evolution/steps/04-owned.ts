import { setTimeout as sleep } from 'node:timers/promises';
import { Owned } from '../systems/04-owned.js';
import { Watchdog } from '../systems/05-watchdog.js';
import { Reentrant } from '../systems/07-reentrant.js';
import { type Finding, type Interval, millis, overlapMs, seconds, type Stage, type Step } from '../stage.js';
import { renewed } from '../watching.js';

const LONG_MS = 60_000;

export const step: Step = {
  system: 'SET NX PX with an owner, compare and delete',
  flaw: 'work that is longer than the lease is not alone; a nested call waits for itself',
  cure: 'a watchdog (system 5), a count for the owner (system 7)',
  async play(stage) {
    const { a, b } = await outlived(stage);
    const nested = await nestedAlone(stage);
    const kept = await watched(stage);
    const entered = await nestedCounted(stage);
    const here = await inHoldfast(stage);
    return {
      flaw: {
        seen: b[0] <= a[1] && !nested.got,
        text: `two worked at once for ${millis(overlapMs(a, b))}; a nested call waited ${millis(nested.waitedMs)} for its own caller`,
        inShort: `2 inside for ${millis(overlapMs(a, b))}`,
      },
      cure: { seen: kept.seen && entered, text: `${kept.text}; the nested call is let in`, inShort: kept.inShort },
      holdfast: here,
      figures: { outlived: { leaseMs: stage.tempo.shortMs, a, b } },
    };
  },
};

/** A works for two leases, B waits. */
async function outlived(stage: Stage): Promise<{ a: Interval; b: Interval }> {
  const key = stage.name('outlived');
  const { shortMs } = stage.tempo;
  const [first, second] = [new Owned(stage.redis(), key, shortMs), new Owned(stage.redis(), key, LONG_MS)];
  await first.tryLock();
  const beganAt = performance.now();
  const passed = () => performance.now() - beganAt;
  const next = second.tryLock(LONG_MS).then(passed);
  const [bFrom] = await Promise.all([next, sleep(2 * shortMs)]);
  const aTo = passed();
  await sleep(shortMs / 2);
  return { a: [0, aTo], b: [bFrom, passed()] };
}

async function nestedAlone(stage: Stage): Promise<{ got: boolean; waitedMs: number }> {
  const lock = new Owned(stage.redis(), stage.name('nested'), LONG_MS);
  await lock.tryLock();
  const askedAt = performance.now();
  const got = await lock.tryLock(stage.tempo.shortMs);
  return { got, waitedMs: performance.now() - askedAt };
}

async function watched(stage: Stage): Promise<Finding> {
  const { watchdogMs, renewals } = stage.tempo;
  const key = stage.name('watched');
  const holder = stage.whenOver(new Watchdog(stage.redis(), key, watchdogMs), (lock) => lock.stop());
  await holder.tryLock();
  const beganAt = performance.now();
  await renewed(stage.redis(), key, renewals);
  const workedMs = performance.now() - beganAt;
  const other = await new Owned(stage.redis(), key, LONG_MS).tryLock();
  return {
    seen: !other,
    text: `worked ${seconds(workedMs)} on a lease of ${seconds(watchdogMs)}, alone`,
    inShort: `${seconds(workedMs)} alone`,
  };
}

async function nestedCounted(stage: Stage): Promise<boolean> {
  const lock = new Reentrant(stage.redis(), stage.name('counted'), LONG_MS);
  return (await lock.tryLock()) && (await lock.tryLock());
}

async function inHoldfast(stage: Stage): Promise<Finding> {
  const { watchdogMs, renewals } = stage.tempo;
  const name = stage.name('holdfast');
  const [mine, theirs] = [stage.locks().getLock(name), stage.locks().getLock(name)];
  return mine.withLock(async (hold) => {
    const nested = await mine.withLock(() => mine.getHoldCount());
    const beganAt = performance.now();
    await renewed(stage.redis(), name, renewals);
    const worked = seconds(performance.now() - beganAt);
    return {
      seen: nested === 2 && !(await theirs.tryLock()) && hold.state === 'held',
      text: `worked ${worked} on a lease of ${seconds(watchdogMs)}, alone; nested calls count to ${nested}`,
      inShort: `${worked} alone`,
    };
  });
}
