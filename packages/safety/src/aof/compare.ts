/**
 * A history against what the servers did: rules `aof-no-grant`, `aof-deadline`, `aof-unexplained-end`, and the flaws of the replay.
 *
 * Levels whose tenure is not known (`AcquireOk.tenure`, from `client.inspect`) are not compared; the counts say how many were.
 */
import { keySlot } from '@holdfast/core';
import type { FaultClass } from '../check/fault-classes.js';
import { seizuresOf } from '../check/exclusion.js';
import { type Level, levelsOf } from '../check/levels.js';
import { FaultsAround, type Violation } from '../check/violation.js';
import type { History } from '../history/read.js';
import { tenureOf } from './keys.js';
import type { TenureStory, Timeline } from './timeline.js';

export interface AofVerdict {
  readonly violations: readonly Violation[];
  /** Levels with a known tenure. */
  readonly compared: number;
  readonly tenures: number;
}

interface Comparison {
  readonly rule: Violation['rule'];
  readonly text: string;
}

/** `timelines`: of every server that kept locks. What a migration of slots moves from one to the other is not understood. */
export function compareWithAof(history: History, timelines: readonly Timeline[], faultClass: FaultClass): AofVerdict {
  const violations: Violation[] = [];
  const faults = new FaultsAround(history);
  const offset = wallOffset(history);
  const stories = new Map(timelines.flatMap(({ tenures }) => [...tenures]));
  const seizures = seizuresOf(history, faultClass.exclusion.kind === 'always' ? [] : faultClass.exclusion.takenBy);
  const killed = new Set(
    history.flatMap((event) => (event.f === 'fault' && event.code === 'sigkill' ? [event.target] : [])),
  );
  for (const timeline of timelines) violations.push(...flawsIn(timeline, faults, offset));
  let compared = 0;
  for (const [lock, levels] of levelsOf(history)) {
    const taken = seizures.some((seizure) => seizure.lock === undefined || seizure.lock === lock);
    for (const [tenure, ofTenure] of byTenure(levels)) {
      compared += ofTenure.length;
      const story = stories.get(`${lock} ${tenure}`);
      const excused = taken || ofTenure.some(({ acquire }) => killed.has(acquire.worker));
      for (const { rule, text } of differences(ofTenure, story, { tenure, offset, excused })) {
        const at = ofTenure[0]?.start ?? 0;
        violations.push({
          rule,
          lock,
          at,
          between: [...ofTenure.map(({ id }) => id), tenure],
          text,
          faults: faults.at(at),
        });
      }
    }
  }
  return {
    violations: violations.filter(({ rule }) => faultClass.suspended[rule] === undefined),
    compared,
    tenures: stories.size,
  };
}

/**
 * What is wrong with what servers did to the locks of a history, whoever held them. Nothing where locks are taken away: a waiter that was granted one
 * may then own it again, and rightly. Nor of locks whose slots move: no file tells all of them.
 */
export function flawsOf(
  history: History,
  timelines: readonly Timeline[],
  faultClass: FaultClass,
): readonly Violation[] {
  if (faultClass.exclusion.kind !== 'always') return [];
  // The names of an epoch nearly collide: with the slot of `a` the lock `{a}` has moved too.
  const moved = new Set(
    history.flatMap((event) =>
      event.f === 'fault' && event.code === 'slot-move' && event.lock !== undefined ? [keySlot(event.lock)] : [],
    ),
  );
  const locks = new Set([...levelsOf(history).keys()].filter((lock) => !moved.has(keySlot(lock))));
  const [faults, offset] = [new FaultsAround(history), wallOffset(history)];
  const flaws = timelines.flatMap((timeline) => flawsIn(timeline, faults, offset));
  const judged = flaws.filter(({ rule, lock = '' }) => locks.has(lock) && faultClass.suspended[rule] === undefined);
  // A master and its replicas tell the same.
  return [...new Map(judged.map((flaw) => [`${flaw.rule} ${flaw.text}`, flaw])).values()];
}

function flawsIn({ flaws }: Timeline, faults: FaultsAround, offset: number | undefined): Violation[] {
  return flaws.map(({ rule, lock, tenures, second, text }) => {
    const at = offset === undefined ? 0 : second * 1_000_000 - offset;
    return { rule, lock, at, between: tenures, text, faults: faults.at(at) };
  });
}

function* differences(
  levels: readonly Level[],
  story: TenureStory | undefined,
  { tenure, offset, excused }: { tenure: string; offset: number | undefined; excused: boolean },
): Generator<Comparison> {
  const depth = Math.max(...levels.map(({ acquire }) => acquire.depth));
  if (story === undefined || story.count < depth) {
    const text = `a holder had it ${depth} deep as ${tenure}, which the server counted ${story?.count ?? 0}`;
    yield { rule: 'aof-no-grant', text };
    return;
  }
  // A claim or a renewal may still move it, so only the latest deadline can be compared with the latest end.
  const until = Math.max(...levels.flatMap(({ samples }) => samples.map((sample) => sample.until ?? 0)));
  if (offset !== undefined && until + offset > (story.latestEndMs + clockSlackMs) * 1_000) {
    const lateMs = (until + offset) / 1_000 - story.latestEndMs;
    yield {
      rule: 'aof-deadline',
      text: `its deadline was ${lateMs.toFixed(1)} ms after the last end of its lease in the server`,
    };
  }
  const firstHeld = Math.min(...levels.map(({ start }) => start ?? Infinity));
  for (const second of story.regrantedAt) {
    if (offset === undefined || firstHeld + offset >= second * 1_000_000) continue;
    yield {
      rule: 'aof-regrant',
      text: `${tenure} owned the lock again after it had been held and its lease had run out`,
    };
  }
  const ended = levels.some(({ release, lost }) => release !== undefined || lost !== undefined);
  if (story.end === 'deleted' && !ended && !excused) {
    yield {
      rule: 'aof-unexplained-end',
      text: `the server dropped ${tenure} before its lease ended; nobody released, lost or took it`,
    };
  }
}

/** Reading two clocks one after the other, and Redis' own clock, which it reads once per event loop turn. */
const clockSlackMs = 3;

function byTenure(levels: readonly Level[]): Map<string, Level[]> {
  const groups = new Map<string, Level[]>();
  for (const level of levels) {
    if (level.ok?.tenure === undefined) continue;
    const tenure = tenureOf(level.ok.tenure);
    const group = groups.get(tenure);
    if (group === undefined) groups.set(tenure, [level]);
    else group.push(level);
  }
  return groups;
}

/** Wall clock minus monotonic clock in microseconds, when the history says; the smallest, in case it was read late. */
function wallOffset(history: History): number | undefined {
  const offsets = history.flatMap((event) =>
    event.f === 'server' && event.wall !== undefined ? [event.wall - event.at] : [],
  );
  return offsets.length === 0 ? undefined : Math.min(...offsets);
}
