/** What tasks do with latches. */

import type { LatchJudge } from '../judges/latches.js';
import type { Desk } from './desk.js';

/** How often each is drawn. */
const shares = { begin: 3, count: 8, countAs: 4, wait: 6, look: 1 };

/** One thing that a task does with a latch. */
export async function latchStep(desk: Desk, { name }: { readonly name: string }): Promise<void> {
  for (const judge of judgesOf(desk, name)) await patterns[desk.chance.weighed(shares)](desk, name, judge);
}

/** Counts what is left, after which it is open. */
export async function lastCount(desk: Desk, { name }: { readonly name: string }): Promise<void> {
  const latch = desk.client.getCountDownLatch(name);
  while ((await desk.witness.pending(desk, `countDown ${name}`, latch.countDown())) > 0);
  for (const judge of judgesOf(desk, name)) await wait(desk, name, judge, 10_000);
}

const judgesOf = ({ judges }: Desk, name: string) => judges.latches.filter((judge) => judge.name === name);

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, name: string, judge: LatchJudge) => Promise<void>>> =
  {
    begin: async (desk, name) => {
      const begun = desk.client.getCountDownLatch(name).trySetCount(desk.chance.whole(1, 5));
      if (await desk.witness.pending(desk, `trySetCount ${name}`, begun)) desk.witness.hasOther(desk, name);
    },
    count: async (desk, name) => {
      await desk.witness.pending(desk, `countDown ${name}`, desk.client.getCountDownLatch(name).countDown());
    },
    countAs: async (desk, name) => {
      const counted = desk.client.getCountDownLatch(name).countDown({ by: desk.process.name });
      await desk.witness.pending(desk, `countDown ${name}`, counted);
    },
    wait: (desk, name, judge) => wait(desk, name, judge, desk.chance.pick([0, 10, 300, 2_000])),
    look: async (desk, name) => {
      await desk.witness.pending(desk, `getCount ${name}`, desk.client.getCountDownLatch(name).getCount());
    },
  };

async function wait(desk: Desk, name: string, judge: LatchJudge, waitMs: number): Promise<void> {
  const since = desk.process.time;
  const asked = desk.client.getCountDownLatch(name).await(waitMs);
  const isOpen = await desk.witness.pending(desk, `await ${name}`, asked);
  judge.answered(desk.process.time, since, isOpen);
}
