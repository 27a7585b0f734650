/**
 * Judges the line of each lock by the data of the server, command by command.
 *
 * - Whoever is new stands behind all others, and whoever was passed over comes back to the place that its ticket says.
 * - Whoever can be served and listens leaves the line only as the owner or by its own command, and a lock that is given back while such a one stands
 *   there has an owner at once.
 * - Who is made the owner by the command of another is still there, and for no longer than it has to claim the lock.
 * - What the line is kept in ends by itself, not before anybody there could be served, and never sooner than it did.
 *
 * In worlds in which locks are taken away data is lost with them: not for those.
 */

import { inboxChannel, lockKeys } from '@holdfast/core';
import { type MemoryServer, SortedSet } from '@holdfast/memory';
import type { Scenario } from '../plan/scenario.js';
import { callsIn, clientOf, type ScriptCall } from './requests.js';
import type { Violation } from './violation.js';
import { watchedLocks, type WatchedKeys } from './watched.js';

/** A step that gives a lock to the next one tries so many. */
const MOST_TRIED = 64;
const FRESH = /^(\d+) \d+(?: |$)/;

/** Those who stand in line, and the owner of the lock, as one command has left them. Times are of the server. */
interface Line {
  readonly owner: string | undefined;
  /** Of the lease of the owner. */
  readonly endsAt: number;
  /** In their order. `untilMs`: it may be served until then. */
  readonly waiters: ReadonlyMap<string, { readonly score: number; readonly untilMs: number }>;
  /** When what is kept of the line ends, and what is kept beside it. */
  readonly ends: readonly number[];
}

const nobody: Line['waiters'] = new Map();

/** See the module comment. */
export class LineJudge {
  readonly #report: (violation: Violation) => void;
  readonly #locks: ReadonlyMap<string, WatchedKeys>;
  readonly #longestClaimMs: number;
  readonly #last = new Map<string, Line>();

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#locks = watchedLocks(scenario);
    this.#longestClaimMs = Math.max(...scenario.processes.map(({ client }) => client.claimLeaseMs));
  }

  /** Nobody stands in line any more. */
  lost(name: string): void {
    this.#last.delete(lockKeys(name).lock);
  }

  /** A server has executed `request`. */
  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    const calls = callsIn(request);
    const own = new Set(calls.map(({ tenure }) => tenure));
    for (const call of calls) {
      const lock = this.#locks.get(call.lock);
      if (lock === undefined) continue;
      const before = this.#last.get(call.lock);
      const after = lineOn(server, lock);
      this.#last.set(call.lock, after);
      // What is refused halfway leaves the rest undone.
      if (before === undefined || server.commands.hindrance !== undefined) continue;
      for (const what of this.#wrongs(server, before, after, call, own))
        this.#report({ rule: 'line', at: now, lock: lock.name, text: `${call.name} of ${call.tenure}: ${what}` });
    }
  }

  *#wrongs(
    server: MemoryServer,
    before: Line,
    after: Line,
    call: ScriptCall,
    own: ReadonlySet<string>,
  ): Generator<string> {
    const { nowMs } = server.keysOf();
    const stood = Math.min(...before.ends) < nowMs ? nobody : before.waiters;
    yield* placed(stood, after.waiters, call, own);
    // Where nobody else stands there it may have ended within this command, and begun anew.
    if ([...stood.keys()].some((tenure) => after.waiters.has(tenure) && !own.has(tenure))) yield* kept(before, after);
    const served = (tenure: string) => server.listeners(inboxChannel(clientOf(tenure))) > 0;
    for (const [tenure, { untilMs }] of stood) {
      if (untilMs <= nowMs || own.has(tenure) || !served(tenure)) continue;
      const isThere = after.waiters.has(tenure);
      if (!isThere && after.owner !== tenure)
        yield `${tenure} could have been served until ${untilMs}, and is passed over at ${nowMs}`;
      const isFreed = before.owner !== undefined && before.endsAt >= nowMs && after.owner === undefined;
      if (isThere && isFreed && stood.size <= MOST_TRIED) yield `${tenure} waits, and the lock is given to nobody`;
    }
    const { owner } = after;
    if (owner === undefined || owner === before.owner || own.has(owner) || owner.startsWith('rest:')) return;
    const untilMs = stood.get(owner)?.untilMs;
    if (untilMs !== undefined && untilMs < nowMs)
      yield `${owner} is given the lock ${nowMs - untilMs} ms after it could be served`;
    if (after.endsAt > nowMs + this.#longestClaimMs) yield `${owner} is given the lock for ${after.endsAt - nowMs} ms`;
  }
}

function* placed(
  before: Line['waiters'],
  after: Line['waiters'],
  { name, tenure, args }: ScriptCall,
  own: ReadonlySet<string>,
): Generator<string> {
  const place = after.get(tenure);
  if (name !== 'ask' || before.has(tenure) || place === undefined) return;
  const ticket = Number(args[3]);
  const line = [...after.keys()];
  const isLast = line.slice(line.indexOf(tenure) + 1).every((behind) => own.has(behind) && !before.has(behind));
  if (ticket === 0 && !isLast) yield 'comes new, and does not stand behind all others';
  if (ticket > 0 && place.score !== ticket) yield `comes back with ticket ${ticket} to ${place.score}`;
}

/** Of a line that stood before, and still stands. */
function* kept(before: Line, after: Line): Generator<string> {
  for (const [place, end] of after.ends.entries()) {
    if (end === Number.POSITIVE_INFINITY) yield 'the line is kept for ever';
    const soonerMs = (before.ends[place] ?? 0) - end;
    if (soonerMs > 0) yield `the line is kept for ${soonerMs} ms less`;
    for (const [tenure, { untilMs }] of after.waiters)
      if (untilMs > end) yield `the line ends ${untilMs - end} ms before ${tenure} could be served`;
  }
}

function lineOn(server: MemoryServer, { lock, queue, fresh }: WatchedKeys): Line {
  const keys = server.keysOf();
  const owned = keys.find(lock);
  const fields = owned?.value instanceof Map ? owned.value : new Map<string, string>();
  const owner = [...fields.keys()].find((field) => field.includes(':'));
  const line = keys.find(queue);
  const entries = keys.find(fresh);
  const ends = [line?.endsAt ?? 0, entries?.endsAt ?? 0];
  const endsAt = owned?.endsAt ?? 0;
  if (!(line?.value instanceof SortedSet)) return { owner, endsAt, ends, waiters: nobody };
  const said = entries?.value instanceof Map ? entries.value : new Map<string, string>();
  const places = line.value;
  const waiters = places.range(0, -1).map((tenure) => {
    const untilMs = Number(FRESH.exec(said.get(tenure) ?? '')?.[1] ?? -1);
    return [tenure, { score: places.score(tenure) ?? 0, untilMs }] as const;
  });
  return { owner, endsAt, ends, waiters: new Map(waiters) };
}
