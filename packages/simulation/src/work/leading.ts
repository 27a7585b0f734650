/** What tasks do with elections. */

import type { Leadership } from 'holdfast';
import type { LeaderJudge } from '../judges/leaders.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { workMs } from './working.js';

/** How often each is drawn. */
const shares = { section: 6, resigning: 2, object: 3, givenUp: 2, longTerm: 1, observe: 1 };

/** One thing that a task does with an election. */
export async function electionStep(desk: Desk, { name }: { readonly name: string }): Promise<void> {
  for (const judge of judgesOf(desk, name)) await patterns[desk.chance.weighed(shares)](desk, name, judge);
}

/** It comes to lead. */
export async function lastTerm(desk: Desk, { name }: { readonly name: string }): Promise<void> {
  for (const judge of judgesOf(desk, name)) await section(desk, name, judge, 0);
}

const judgesOf = ({ judges }: Desk, name: string) => judges.leaders.filter((judge) => judge.name === name);

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, name: string, judge: LeaderJudge) => Promise<void>>> =
  {
    section: (desk, name, judge) => section(desk, name, judge, workMs(desk)),
    resigning: (desk, name, judge) =>
      section(desk, name, judge, workMs(desk), async (leadership) => leadership.resign()),
    object: (desk, name, judge) => object(desk, name, judge),
    givenUp: (desk, name, judge) =>
      givenUpAfter(desk, desk.chance.below(40), (signal) => object(desk, name, judge, signal)),
    longTerm: (desk, name, judge) => section(desk, name, judge, desk.chance.between(0.5, 2.5) * desk.leaseMs),
    observe,
  };

async function section(
  desk: Desk,
  name: string,
  judge: LeaderJudge,
  forMs: number,
  more: (leadership: Leadership) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const call = desk.client.election(name).campaign(async (leadership) => {
    const entry = judge.enter(desk.process, leadership);
    desk.witness.hasOther(desk, name);
    try {
      if (forMs > 0) await desk.process.sleep(forMs);
      await more(leadership);
    } finally {
      judge.leave(entry);
    }
  });
  await desk.witness.pending(desk, `campaign ${name}`, call);
}

async function object(desk: Desk, name: string, judge: LeaderJudge, signal?: AbortSignal): Promise<void> {
  const asked = desk.client.election(name).campaign(signal === undefined ? {} : { signal });
  const leadership = await desk.witness.pending(desk, `campaign ${name}`, asked);
  const entry = judge.enter(desk.process, leadership);
  desk.witness.hasOther(desk, name);
  await desk.process.sleep(workMs(desk));
  try {
    await desk.witness.pending(desk, `resign ${name}`, leadership.resign());
  } finally {
    // Its signal has to say so before the next one leads.
    judge.leave(entry);
  }
}

/** For a while. */
async function observe(desk: Desk, name: string, judge: LeaderJudge): Promise<void> {
  const terms: number[] = [];
  const watch = async (signal: AbortSignal) => {
    for await (const leader of desk.client.election(name).observe({ signal })) {
      if (leader !== undefined) terms.push(leader.token);
    }
  };
  try {
    await givenUpAfter(desk, desk.chance.between(10, 500), (signal) =>
      desk.witness.pending(desk, `observe ${name}`, watch(signal)),
    );
  } finally {
    judge.observed(desk.process.time, terms);
  }
}
