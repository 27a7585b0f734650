/** Rounds with countdown latches: to begin one, to count down, by name or not, and to wait until it is open. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FamilyDesk } from './desk.js';

type Pattern = (desk: FamilyDesk) => Promise<void>;

/** More than most rounds have callers at once: so that one count too many shows. */
const MOST = 8;

const latchOf = ({ client, random, locks }: FamilyDesk) => client.getCountDownLatch(random.pick(locks.latches));

const beginning: Pattern = async (desk) => {
  const latch = latchOf(desk);
  const count = desk.random.below(MOST) + 1;
  const begun = await desk.journal.latch(latch.name, { call: 'set', count }, async () => ({
    done: await latch.trySetCount(count),
  }));
  if (begun?.done !== true) return;
  // Whoever begins a round waits for its end, as a rule.
  if (desk.random.next() < 0.7) await wait(desk, latch);
};

const counting: Pattern = async (desk) => {
  const latch = latchOf(desk);
  const by = desk.random.next() < 0.3 ? { by: desk.task } : {};
  await desk.journal.latch(latch.name, { call: 'count', ...by }, async () => ({ left: await latch.countDown(by) }));
  await pause(desk.random.below(3));
};

const waiting: Pattern = async (desk) => wait(desk, latchOf(desk));

async function wait({ journal, random }: FamilyDesk, latch: ReturnType<typeof latchOf>): Promise<void> {
  const waitMs = random.pick([0, 20, 500]);
  await journal.latch(latch.name, { call: 'await' }, async () => ({ done: await latch.await(waitMs) }));
}

/** Counts down what is left of the latch with this number, and waits until it is open. Answers its name when it was not in time. */
export async function openLatch(desk: FamilyDesk, index: number, waitMs: number): Promise<string | undefined> {
  const { client, journal, locks } = desk;
  const endsAt = performance.now() + waitMs;
  const remainingMs = () => Math.max(0, Math.ceil(endsAt - performance.now()));
  const latch = client.getCountDownLatch(locks.latches[index % locks.latches.length] ?? '');
  const count = () => journal.latch(latch.name, { call: 'count' }, async () => ({ left: await latch.countDown() }));
  for (let answer = await count(); answer?.left !== 0 && remainingMs() > 0; answer = await count()) {
    // Redis could not be reached: not again at once.
    if (answer === undefined) await pause(50);
  }
  const opened = await journal.latch(latch.name, { call: 'await' }, async () => ({
    done: await latch.await(remainingMs()),
  }));
  return opened?.done === true ? undefined : latch.name;
}

/** By how often they come. */
export const latches: readonly (readonly [number, Pattern])[] = [
  [8, beginning],
  [24, counting],
  [6, waiting],
];
