/** Rounds with elections: to lead for a moment or for long, inside a function or until it resigns, and to give up before. */
import { setTimeout as pause } from 'node:timers/promises';
import { type CampaignOptions, type Leadership, LockNotHeldError } from 'holdfast';
import { type FamilyDesk, longestWaitMs, thread } from './desk.js';
import { GIVEN_UP, type Held, type Open } from './journal.js';

type Pattern = (desk: FamilyDesk) => Promise<void>;

const waitMs = longestWaitMs;

/** What a history asks of a leadership. */
type Leading = Pick<Leadership, 'token' | 'leads' | 'signal' | 'resign'>;

/**
 * A leadership as a history knows it. When it ends nobody says beforehand, so it counts to the last moment at which it had not been told in both ways: `leads`
 * is false, and its signal has aborted.
 */
export const heldBy = (leadership: Leading): Held & Pick<Leadership, 'token'> => ({
  token: leadership.token,
  signal: leadership.signal,
  get state() {
    const { leads, signal } = leadership;
    if (leads || !signal.aborted) return 'held';
    return signal.reason instanceof LockNotHeldError ? 'released' : 'lost';
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

async function lead({ journal, random, stopping }: FamilyDesk, open: Open<Held>, forMs: number): Promise<void> {
  journal.listen(open);
  const endsAt = performance.now() + forMs;
  while (journal.work(open) && performance.now() < endsAt && !stopping()) await pause(random.below(5) + 1);
}

async function leadAndResign(desk: FamilyDesk, open: Open<Held> | undefined, forMs: number): Promise<void> {
  if (open === undefined) return;
  await lead(desk, open, forMs);
  const resigned = desk.journal.release(open);
  // It has to be told before anybody else can be.
  desk.journal.work(open);
  await resigned;
}

/** Leads as long as a function runs. */
export const leadingInside: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const election = client.election(random.pick(locks.elections));
  const lock = {
    name: election.name,
    withLock: (options: CampaignOptions, section: (held: Held) => Promise<void>) =>
      election.campaign(options, (leadership) => section(heldBy(leadership))),
  };
  await journal.section(lock, thread(desk, 'leading'), { waitMs }, (open) => lead(desk, open, random.below(4)));
};

export const leading: Pattern = async (desk) => leadAndResign(desk, await campaign(desk), desk.random.below(4));

export const givenUpCampaign: Pattern = async (desk) => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(GIVEN_UP), desk.random.below(40));
  const open = await campaign(desk, controller.signal);
  clearTimeout(timer);
  await leadAndResign(desk, open, desk.random.below(3));
};

/** Across several renewals. */
export const longTerm: Pattern = async (desk) =>
  leadAndResign(desk, await campaign(desk), desk.random.next() * 1.5 * desk.times.watchdogTimeoutMs);
