/**
 * Judges a lock that processes of a later version use as well, and for which somebody may forge messages. That nobody has it beside another is judged as
 * for every lock.
 *
 * - Whoever stands in line and can be served now, however much its entry says, leaves the line only as the owner or by its own command.
 * - In peace nobody asks more often than a few times in a `reaskMs`, whatever it is told; and where nothing is forged, who has heard a grant that it may
 *   believe does not ask about it, however much it says.
 */

import { inboxChannel, lockKeys } from '@holdfast/core';
import { type MemoryServer, SortedSet } from '@holdfast/memory';
import type { ClientPlan, LaterPlan, Scenario } from '../plan/scenario.js';
import { FIRST_MS } from './peace.js';
import { callsIn, clientOf } from './requests.js';
import type { Violation } from './violation.js';

/** Of its own: the first, the next, one when the lease that it was told is over. Because of messages: two in each of two periods. And some room. */
const MOST_ASKS = 12;
/** Clocks differ by a hundredth. */
const CLOCKS = 0.98;

/** Who stands in line, and until when it may be served; in server time. */
interface Line {
  readonly untils: ReadonlyMap<string, number>;
  readonly endsAt: number;
}

/** A tenure that was made the owner by somebody else, and has to hear of it. */
interface Granted {
  readonly tenure: string;
  /** It lasts no longer than a claim of its client. */
  readonly isCredible: boolean;
  heardAt: number | undefined;
}

const nobody: Line = { untils: new Map(), endsAt: Number.POSITIVE_INFINITY };

/** See the module comment. */
export class LaterJudge {
  readonly name: string;
  readonly #keys: ReturnType<typeof lockKeys>;
  readonly #report: (violation: Violation) => void;
  readonly #isCalm: boolean;
  readonly #isForged: boolean;
  /** Where Redisson's messages wake, each release makes everybody ask. */
  readonly #isInLine: boolean;
  readonly #clients = new Map<string, ClientPlan>();
  /** When a tenure asked for the first time: whose inbox was not open yet asks about every grant. */
  readonly #began = new Map<string, number>();
  /** World times at which a tenure has asked, the latest last. */
  readonly #asks = new Map<string, number[]>();
  #line = nobody;
  #owner: string | undefined;
  #granted: Granted | undefined;

  constructor({ name, forgeries }: LaterPlan, scenario: Scenario, report: (violation: Violation) => void) {
    this.name = name;
    this.#keys = lockKeys(name);
    this.#report = report;
    this.#isCalm = scenario.class === 'calm';
    this.#isForged = forgeries.length > 0;
    this.#isInLine = scenario.wakeup === 'queue';
  }

  /** A life of a process has begun. */
  began(clientId: string, plan: ClientPlan): void {
    this.#clients.set(clientId, plan);
  }

  /** The server has lost what it knew, or a part of it. */
  taken(): void {
    this.#line = nobody;
    this.#owner = undefined;
    this.#granted = undefined;
  }

  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    const calls = callsIn(request).filter(({ lock }) => lock === this.#keys.lock);
    if (calls.length === 0) return;
    const own = new Set(calls.map(({ tenure }) => tenure));
    const owner = this.#ownerOn(server);
    const line = this.#lineOn(server);
    const { nowMs } = server.keysOf();
    const before = this.#line;
    for (const [tenure, until] of before.endsAt < nowMs ? [] : before.untils) {
      const isServed = line.untils.has(tenure) || own.has(tenure) || owner === tenure;
      if (isServed || until < nowMs || server.listeners(inboxChannel(clientOf(tenure))) === 0) continue;
      this.#fail(now, 'skipped', `${tenure} stood in line until ${until}, and is passed over at ${nowMs}`);
    }
    this.#line = line;
    if (owner !== this.#owner)
      this.#granted = owner === undefined || own.has(owner) ? undefined : this.#grant(server, owner);
    this.#owner = owner;
    if (!this.#isCalm || !this.#isInLine) return;
    for (const { name, tenure } of calls) if (name === 'ask' && tenure !== owner) this.#count(now, tenure);
  }

  /** A client hears this in its inbox. */
  heard(now: number, message: string): void {
    const granted = this.#granted;
    if (granted !== undefined && message.startsWith(`1 grant ${granted.tenure} `)) granted.heardAt ??= now;
  }

  /** A client sends this. */
  sent(now: number, request: readonly string[]): void {
    const granted = this.#granted;
    if (granted?.heardAt === undefined || !granted.isCredible || !this.#isCalm || this.#isForged) return;
    // One that was sent before, and whose script was not known, is sent again in full.
    if ((this.#began.get(granted.tenure) ?? 0) < FIRST_MS || request[0]?.toLowerCase() !== 'evalsha') return;
    const asks = callsIn(request).some(({ name, tenure }) => name === 'ask' && tenure === granted.tenure);
    if (asks)
      this.#fail(
        now,
        'message',
        `${granted.tenure} asks for what it heard at ${granted.heardAt.toFixed(1)} that it has`,
      );
  }

  #grant(server: MemoryServer, tenure: string): Granted {
    const keys = server.keysOf();
    const lastsMs = (keys.find(this.#keys.lock)?.endsAt ?? keys.nowMs) - keys.nowMs;
    return {
      tenure,
      isCredible: lastsMs <= (this.#clients.get(clientOf(tenure))?.claimLeaseMs ?? 0),
      heardAt: undefined,
    };
  }

  #ownerOn(server: MemoryServer): string | undefined {
    const value = server.keysOf().find(this.#keys.lock)?.value;
    return value instanceof Map ? [...value.keys()].find((field) => field.includes(':')) : undefined;
  }

  #lineOn(server: MemoryServer): Line {
    const keys = server.keysOf();
    const queue = keys.find(this.#keys.queue);
    const fresh = keys.find(this.#keys.fresh);
    if (!(queue?.value instanceof SortedSet) || !(fresh?.value instanceof Map)) return nobody;
    const entries = fresh.value;
    // Only what an entry says first is promised to stay as it is.
    const untilOf = (tenure: string) => Number(/^(\d+) \d+(?: |$)/.exec(entries.get(tenure) ?? '')?.[1] ?? -1);
    const untils = new Map(queue.value.range(0, -1).map((tenure) => [tenure, untilOf(tenure)]));
    return { untils, endsAt: Math.min(queue.endsAt, fresh.endsAt) };
  }

  #count(now: number, tenure: string): void {
    const plan = this.#clients.get(clientOf(tenure));
    if (plan === undefined) return;
    if (!this.#began.has(tenure)) this.#began.set(tenure, now);
    const asks = (this.#asks.get(tenure) ?? []).filter((at) => at > now - CLOCKS * plan.reaskMs);
    asks.push(now);
    this.#asks.set(tenure, asks);
    if (asks.length <= MOST_ASKS) return;
    this.#fail(now, 'message', `${tenure} has asked ${asks.length} times in ${plan.reaskMs} ms`);
  }

  #fail(at: number, rule: 'skipped' | 'message', text: string): void {
    this.#report({ rule, at, lock: this.name, text });
  }
}
