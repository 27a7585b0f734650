/**
 * Rule `overlap`: the definite intervals of one lock do not overlap, unless the levels nest, or both only read.
 *
 * A sweep over the intervals by their start, with the open ones beside it: O(n log n), because in a right history only nested
 * levels and readers are open together.
 *
 * In a class that takes locks away from live holders an overlap is excused when one of the two is a victim: something took the
 * lock away after it had begun to ask and before the other had it, and it stopped believing within the bound of the class.
 */
import type { Fault, ForceEnd } from '../history/event.js';
import type { History } from '../history/read.js';
import type { Exclusion } from './fault-classes.js';
import { hadByStart, type Level } from './levels.js';
import type { Finding } from './findings.js';

/** When something took a lock away; without a lock, it may have been any. */
export interface Seizure {
  readonly lock: string | undefined;
  readonly from: number;
  readonly to: number;
  /** It took effect by `to`, whoever held the lock. Otherwise it may have had none, or a later one. */
  readonly certain: boolean;
}

/** Everything in the history that takes locks away from their holders, by its beginning. */
export function seizuresOf(history: History, takenBy: readonly string[]): Seizure[] {
  return [...forcesOf(history), ...takingFaultsOf(history, takenBy)].sort((a, b) => a.from - b.from);
}

function* forcesOf(history: History): Generator<Seizure> {
  const ends = new Map<string, ForceEnd>();
  for (const event of history) {
    if (event.f === 'force' && event.type !== 'invoke') ends.set(`${event.worker}/${event.op}`, event);
  }
  for (const event of history) {
    if (event.f !== 'force' || event.type !== 'invoke') continue;
    const end = ends.get(`${event.worker}/${event.op}`);
    if (end?.type === 'fail') continue;
    const certain = end?.type === 'ok';
    yield { lock: event.lock, from: event.at, to: certain ? end.at : Infinity, certain };
  }
}

function* takingFaultsOf(history: History, takenBy: readonly string[]): Generator<Seizure> {
  const lasting = new Map<string, Fault>();
  for (const event of history) {
    if (event.f !== 'fault' || !takenBy.includes(event.code)) continue;
    const { lock, at, state } = event;
    const key = `${event.code} ${event.target ?? ''} ${lock ?? ''}`;
    if (state === 'on') lasting.set(key, event);
    else {
      yield { lock, from: lasting.get(key)?.at ?? at, to: at, certain: false };
      lasting.delete(key);
    }
  }
  for (const { lock, at } of lasting.values()) yield { lock, from: at, to: Infinity, certain: false };
}

export interface ExclusionOptions {
  readonly exclusion: Exclusion;
  readonly seizures: readonly Seizure[];
  /** Lease of a hold that the watchdog renews. */
  readonly watchdogLeaseMs: number;
}

export function* overlaps(levels: readonly Level[], options: ExclusionOptions): Generator<Finding> {
  let open: Level[] = [];
  for (const level of hadByStart(levels)) {
    const start = level.start ?? 0;
    open = open.filter(({ end }) => end > start);
    for (const other of open) {
      if (level.coexistsWith(other) || isExcused(other, level, options)) continue;
      yield {
        rule: 'overlap',
        at: start,
        lock: level.lock,
        between: [other.id, level.id],
        text: `${other.id} held it until ${millis(other.end - start)} after ${level.id} had it, which held it for ${millis(level.end - start)}`,
      };
    }
    open.push(level);
  }
}

const millis = (micros: number): string => `${(micros / 1_000).toFixed(3)} ms`;

const isExcused = (a: Level, b: Level, options: ExclusionOptions): boolean =>
  isToldInTime(a, b.start ?? 0, options) || isToldInTime(b, a.start ?? 0, options);

/** Was it taken away before `begun`, and was its holder told within the bound of the class? */
export function isToldInTime(victim: Level, begun: number, options: ExclusionOptions): boolean {
  const { exclusion, watchdogLeaseMs } = options;
  if (exclusion.kind === 'always') return false;
  const leaseMs = Math.max(victim.acquire.leaseMs ?? watchdogLeaseMs, grantedMs(victim));
  if (victim.end - begun > (leaseMs * exclusion.leaseShare + exclusion.slackMs) * 1_000) return false;
  return isTaken(options, victim, begun);
}

/** The lease as it was told with the lock: a level that asks for a shorter one than its owner already has keeps that of its owner. */
const grantedMs = ({ ok }: Level): number => (ok?.until === undefined ? 0 : (ok.until - ok.at) / 1_000);

/** Did something that the class allows take the lock away after `victim` had begun to ask, and before `begun`? */
export function isTaken({ exclusion, seizures }: ExclusionOptions, victim: Level, begun: number): boolean {
  if (exclusion.kind === 'always') return false;
  return seizures.some(
    ({ lock, from, to }) => (lock === undefined || lock === victim.lock) && from <= begun && to >= victim.acquire.at,
  );
}
