/** What tasks do with shared values. */

import type { OtherPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { settledAll } from './settled-all.js';
import { work, workMs } from './working.js';

const FAILED = new Error('no value');

type Value = Extract<OtherPlan, { readonly kind: 'share' }>;

/** One thing that a task does with a shared value: alone, or in a crowd. */
export async function shareStep(desk: Desk, plan: Value): Promise<void> {
  const calls = desk.chance.happens(0.2) ? desk.chance.whole(2, 20) : 1;
  await settledAll(Array.from({ length: calls }, () => share(desk, plan, workMs(desk))));
}

/** It is given a value. */
export async function lastValue(desk: Desk, plan: Value): Promise<void> {
  await share(desk, plan, 0);
}

async function share(desk: Desk, { name, ttlMs }: Value, forMs: number): Promise<void> {
  const since = desk.process.time;
  const judges = desk.judges.shares.filter((judge) => judge.name === name);
  const fails = desk.chance.happens(0.1);
  const value = `${desk.name}:${desk.chance.text(8)}`;
  const asked = desk.client.share(name, {
    ttlMs,
    fn: async (hold) => {
      for (const judge of judges) judge.begins(desk.process.time);
      const entry = desk.witness.enter(desk, name, hold, undefined);
      try {
        await work(desk, hold, forMs);
      } finally {
        desk.witness.leave(entry);
      }
      if (fails) throw FAILED;
      for (const judge of judges) judge.ends(desk.process.time, value);
      return value;
    },
  });
  try {
    const given = await desk.witness.pending(desk, `share ${name}`, asked);
    for (const judge of judges) judge.given(desk.process.time, since, given);
  } catch (error) {
    if (error !== FAILED) throw error;
  }
}
