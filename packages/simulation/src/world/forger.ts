/**
 * Somebody who may look at the locks of a server and publish there.
 *
 * A grant that is the first to name a tenure, and lasts no longer than a claim, is believed by design: whoever can read the queue and publish can forge
 * that one (SECURITY.md). So it forges everything else.
 */

import { inboxChannel, lockKeys } from '@holdfast/core';
import { SortedSet } from '@holdfast/memory';
import { clientOf } from '../judges/requests.js';
import type { ForgeryKind, ForgeryPlan, LaterPlan, ScenarioClass } from '../plan/scenario.js';
import { asOperator } from './operator.js';
import { Phase } from './timeline.js';
import type { World } from './world.js';

/** However late a message is, it says that it lasts longer than every claim; and than every lease that anybody asks for. */
const LONG_MS = [1e9, 2 ** 45];
/** What lasts for so many claims is longer than one, where messages are only as late as in peace. */
const CLAIMS = 1.5;
/** Shorter than every claim. */
const SHORT_MS = 500;
const FLOOD = 60;
const FLOOD_EVERY_MS = 2;
const GIBBERISH = ['gibberish', '1 grant', '1 lost', '1', '', 'x'.repeat(9_000)];

/** Who a message is for, and what it says. */
type Forged = readonly [tenure: string, message: string];

/** Those of whom the server knows, by their tenures. */
interface Known {
  readonly waiters: readonly string[];
  readonly owners: readonly string[];
  /** How long a grant to this tenure says that it lasts: for longer than may be believed. */
  readonly longMs: (tenure: string, which: number) => number;
  /** Server time. */
  readonly nowMs: number;
}

const grant = (tenure: string, nowMs: number, lastsMs: number): Forged => [
  tenure,
  `1 grant ${tenure} ${nowMs + lastsMs} ${nowMs} 0 -`,
];

/** Its client and its number, and nothing else. */
const guessed = (tenure: string): string => tenure.split('.', 1).join();

const oneOf = <T>(items: readonly T[], which: number): T[] =>
  items.slice(which % Math.max(1, items.length)).slice(0, 1);

const forgeries: Readonly<Record<ForgeryKind, (known: Known, which: number) => Forged[]>> = {
  'long grant': ({ waiters, longMs, nowMs }, which) =>
    oneOf(waiters, which).map((tenure) => grant(tenure, nowMs, longMs(tenure, which))),
  'second grant': ({ waiters, longMs, nowMs }, which) =>
    oneOf(waiters, which).flatMap((tenure) => [
      grant(tenure, nowMs, longMs(tenure, which)),
      grant(tenure, nowMs, SHORT_MS),
    ]),
  // The number of a tenure can be guessed, the rest of its id not.
  'guessed grant': ({ waiters, owners, nowMs }, which) =>
    oneOf([...waiters, ...owners], which).map((tenure) =>
      grant(which % 2 === 0 ? guessed(tenure) : `${clientOf(tenure)}:${which % 200}.aaaaaaaaaa`, nowMs, SHORT_MS),
    ),
  loss: ({ owners }) => owners.map((tenure) => [tenure, `1 lost ${tenure} force-unlocked`]),
  'higher number': ({ waiters, owners }, which) =>
    oneOf([...waiters, ...owners], which).map((tenure) => [tenure, `2 anything ${tenure} at all`]),
  gibberish: ({ waiters, owners }, which) =>
    oneOf([...waiters, ...owners], which).map((tenure) => [tenure, GIBBERISH[which % GIBBERISH.length] ?? '']),
  flood: ({ waiters }, which) =>
    oneOf(waiters, which).flatMap((tenure) =>
      Array.from({ length: FLOOD }, (): Forged => [tenure, `2 anything ${tenure} at all`]),
    ),
};

/** See the module comment. */
export class Forger {
  readonly #plan: LaterPlan;
  readonly #world: World;
  readonly #class: ScenarioClass;

  constructor(plan: LaterPlan, world: World, kind: ScenarioClass) {
    this.#plan = plan;
    this.#world = world;
    this.#class = kind;
  }

  begin(): void {
    for (const forgery of this.#plan.forgeries)
      if (forgery.at < this.#world.workMs) this.#at(forgery.at, () => this.#forge(forgery));
  }

  #forge({ kind, which }: ForgeryPlan): void {
    const forged = forgeries[kind](this.#known(), which);
    const everyMs = kind === 'flood' ? FLOOD_EVERY_MS : 0;
    for (const [place, [tenure, message]] of forged.entries()) {
      const publish = () => asOperator(this.#world.server.master, ['publish', inboxChannel(clientOf(tenure)), message]);
      if (place === 0 || everyMs === 0) publish();
      else this.#at(this.#world.timeline.now + place * everyMs, publish);
    }
  }

  #known(): Known {
    const { lock, queue } = lockKeys(this.#plan.name);
    const keys = this.#world.server.master.keysOf();
    const owned = keys.find(lock)?.value;
    const line = keys.find(queue)?.value;
    return {
      owners: owned instanceof Map ? [...owned.keys()].filter((field) => field.includes(':')) : [],
      waiters: line instanceof SortedSet ? line.range(0, -1) : [],
      longMs: (tenure, which) => {
        const longs = [...LONG_MS, ...this.#leaseBeyondClaim(tenure)];
        return longs[which % longs.length] ?? 0;
      },
      nowMs: keys.nowMs,
    };
  }

  /** A grant that is longer than the lease of a call is given back for that alone; one of just that lease is not. */
  #leaseBeyondClaim(tenure: string): number[] {
    const life = this.#world.lives.find(({ client }) => client.clientId === clientOf(tenure));
    if (this.#class !== 'calm' || life === undefined) return [];
    const { watchdogTimeoutMs, claimLeaseMs } = life.plan.client;
    return watchdogTimeoutMs >= CLAIMS * claimLeaseMs ? [watchdogTimeoutMs] : [];
  }

  #at(time: number, run: () => void): void {
    this.#world.timeline.at(time, Phase.timer, undefined, run);
  }
}
