/** Rounds with elections: to lead for a moment or for long, to give up before, and to resign. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Leadership } from 'holdfast';
import { type FamilyDesk, longestWaitMs, thread } from './desk.js';
import { GIVEN_UP, type Held, type Open } from './journal.js';

type Pattern = (desk: FamilyDesk) => Promise<void>;

const waitMs = longestWaitMs;

/** A leadership as a history knows it. When it ends nobody says beforehand, so it counts to the last moment at which it said that it leads. */
export const heldBy = (leadership: Leadership): Held & Pick<Leadership, 'token'> => ({
  token: leadership.token,
  signal: leadership.signal,
  get state() {
    return leadership.leads ? 'held' : 'lost';
  },
  remainingMs: () => 0,
  release: () => leadership.resign(),
});

const campaign = (desk: FamilyDesk, signal?: AbortSignal) => {
  const election = desk.client.election(desk.random.pick(desk.locks.elections));
  const options = { waitMs, ...(signal === undefined ? {} : { signal }) };
  return desk.journal.acquire(
    election,
    thread(desk, 'leading'),
    async () => heldBy(await election.campaign(options)),
    options,
  );
};

async function lead(desk: FamilyDesk, open: Open<Held> | undefined, forMs: number): Promise<void> {
  if (open === undefined) return;
  const { journal, random } = desk;
  journal.listen(open);
  const endsAt = performance.now() + forMs;
  while (journal.work(open) && performance.now() < endsAt && !desk.stopping()) await pause(random.below(5) + 1);
  await journal.release(open);
}

export const leading: Pattern = async (desk) => lead(desk, await campaign(desk), desk.random.below(4));

export const givenUpCampaign: Pattern = async (desk) => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(GIVEN_UP), desk.random.below(40));
  const open = await campaign(desk, controller.signal);
  clearTimeout(timer);
  await lead(desk, open, desk.random.below(3));
};

/** Across several renewals. */
export const longTerm: Pattern = async (desk) =>
  lead(desk, await campaign(desk), desk.random.next() * 1.5 * desk.times.watchdogTimeoutMs);
