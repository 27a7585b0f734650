import { gather, type Kind } from '../crowd.js';
import { type Finding, requests, type Stage, type Step } from '../stage.js';
import { comesTrue, requestsTo } from '../watching.js';

export const step: Step = {
  system: 'pub/sub in place of spinning',
  flaw: 'each release wakes everybody, and all but one ask in vain',
  cure: 'the release makes one of them the owner, and tells only that one (holdfast)',
  async play(stage) {
    const waiters = Math.max(...stage.tempo.crowds);
    const herd = await handover(stage, 'notified (9)', waiters);
    const one = await handover(stage, 'holdfast', 1);
    const named = await handover(stage, 'holdfast', waiters);
    return {
      flaw: {
        seen: herd >= waiters,
        text: `${waiters} processes wait: ${herd} requests for one handover`,
        inShort: `${requests(herd)} a handover`,
      },
      cure: {
        seen: named < waiters,
        text: `${waiters} processes wait: ${named} for one handover; 1 waits: ${one}`,
        inShort: requests(named),
      },
      holdfast: await tasks(stage),
      figures: { handover: { waiters, herd, named } },
    };
  },
};

/** What processes ask again every 1.5 s, in case a message was lost, is no part of a handover. */
const seldom = { reaskMs: 30_000, claimLeaseMs: 40_000 };
/** How many tasks of one process. */
const TASKS = 100;

/** Requests from a release until the next has the lock, and all who were woken have asked. */
async function handover(stage: Stage, kind: Kind, waiters: number): Promise<number> {
  const admin = await stage.server.admin();
  const crowd = await gather(stage, kind, waiters, seldom);
  const before = await requestsTo(admin);
  await crowd.holder.unlock();
  await crowd.first;
  if (kind !== 'holdfast') {
    await comesTrue(async () => (await requestsTo(admin)) > before + waiters, 'all who were woken to ask');
  }
  const asked = (await requestsTo(admin)) - before;
  await crowd.disperse();
  return asked;
}

/** All of them tasks of one process. */
async function tasks(stage: Stage): Promise<Finding> {
  const admin = await stage.server.admin();
  const name = stage.name('tasks');
  const hold = await stage.locks().getLock(name).acquire();
  const others = stage.locks().getLock(name);
  const before = await requestsTo(admin);
  const all = Promise.all(Array.from({ length: TASKS }, () => others.withLock(() => undefined)));
  await comesTrue(async () => (await admin.zcard(`holdfast_queue:{${name}}`)) === 1, 'the process to wait');
  await hold.release();
  await all;
  const asked = (await requestsTo(admin)) - before;
  return {
    seen: asked < TASKS,
    text: `${TASKS} tasks of one process get it, one after the other, with ${requests(asked)} in all`,
    inShort: `${requests(asked)} for ${TASKS} tasks`,
  };
}
