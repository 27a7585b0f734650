// Processes that all want one lock, in four of the systems: what they ask of Redis while they wait, and how late the next one is woken.
import type { Hold, LockClientOptions } from 'holdfast';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load, Stage } from './stage.js';
import { Owned } from './systems/04-owned.js';
import { Spin } from './systems/08-spin.js';
import { Notified } from './systems/09-notified.js';
import { comesTrue, requestsTo } from './watching.js';

const LONG_MS = 60_000;

interface Contender {
  lock(): Promise<void>;
  unlock(): Promise<void>;
}

/** The systems that wait, each contender with connections of its own. */
const kinds = {
  'polling (4)': (stage: Stage, key: string) => waiting(new Owned(stage.redis(), key, LONG_MS)),
  'spinning (8)': (stage: Stage, key: string) => waiting(new Spin(stage.redis(), key, LONG_MS)),
  'notified (9)': (stage: Stage, key: string) => waiting(new Notified(stage.redis(), stage.redis(), key, LONG_MS)),
  holdfast: (stage: Stage, key: string, options: Partial<LockClientOptions> = {}): Contender => {
    const client = stage.locks({ watchdogTimeoutMs: LONG_MS, ...options });
    let hold: Hold | undefined;
    return {
      lock: async () => {
        await client.connect();
        hold = await client.getLock(key).acquire();
      },
      unlock: async () => hold?.release(),
    };
  },
} satisfies Record<string, (stage: Stage, key: string, options?: Partial<LockClientOptions>) => Contender>;

export type Kind = keyof typeof kinds;
export const allKinds = Object.keys(kinds) as Kind[];

function waiting(lock: { tryLock(waitMs: number): Promise<boolean>; unlock(): Promise<unknown> }): Contender {
  return {
    lock: async () => {
      if (!(await lock.tryLock(LONG_MS))) throw new Error('not even in a minute');
    },
    unlock: async () => void (await lock.unlock()),
  };
}

/** How much one asks until it asks no more, or no more often: pauses have grown; subscribed, and asked again. */
const untilItWaits = { 'polling (4)': 1, 'spinning (8)': 10, 'notified (9)': 3 };

/** Lets so many wait, and counts requests until `over`. */
export async function loadOf(
  stage: Stage,
  kind: Kind,
  waiters: number,
  over: (count: () => Promise<number>) => Promise<unknown>,
): Promise<Load> {
  const admin = await stage.server.admin();
  const crowd = await gather(stage, kind, waiters);
  const [before, beganAt] = [await requestsTo(admin), performance.now()];
  const count = async () => (await requestsTo(admin)) - before;
  await over(count);
  const load = { kind, waiters, requests: await count(), windowMs: performance.now() - beganAt };
  await crowd.disperse();
  return load;
}

/** One holds the lock, and so many wait for it. */
export async function gather(
  stage: Stage,
  kind: Kind,
  waiters: number,
  options?: Partial<LockClientOptions>,
): Promise<{ holder: Contender; first: Promise<void>; disperse(): Promise<void> }> {
  const admin = await stage.server.admin();
  const key = stage.name('crowd');
  const holder = kinds[kind](stage, key);
  await holder.lock();
  const before = await requestsTo(admin);
  const others = Array.from({ length: waiters }, () => kinds[kind](stage, key, options));
  const turns = others.map((other) => other.lock());
  const allWait = async () =>
    kind === 'holdfast'
      ? (await admin.zcard(`holdfast_queue:{${key}}`)) === waiters
      : (await requestsTo(admin)) >= before + untilItWaits[kind] * waiters;
  await comesTrue(allWait, 'all of them to wait');
  const first = Promise.race(turns);
  return {
    holder,
    first,
    async disperse() {
      await holder.unlock().catch(() => undefined);
      await Promise.all(others.map(async (other, index) => turns[index]?.then(() => other.unlock())));
    },
  };
}

/** From the call that releases to the next owner, each time with one that has waited for a while. */
export async function delaysOf(stage: Stage, kind: Kind, handovers: number): Promise<number[]> {
  const delays: number[] = [];
  const key = stage.name('delay');
  let [holder, next] = [kinds[kind](stage, key), kinds[kind](stage, key)];
  await holder.lock();
  for (let made = 0; made < handovers; made++) {
    const turn = next.lock();
    // Long enough for the longest pause of one that spins; not the same each time, or a poll would always be caught at the same moment.
    await sleep(300 + 37 * (made % 7));
    const releasedAt = performance.now();
    const release = holder.unlock();
    await turn;
    delays.push(performance.now() - releasedAt);
    await release;
    [holder, next] = [next, holder];
  }
  await holder.unlock();
  return delays.sort((a, b) => a - b);
}
