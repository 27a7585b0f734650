/** Makes the stored result of what a run has seen. */

import { checksOf, sharedLocks } from '../judge/checks.js';
import { judgedTrends } from '../judge/trends.js';
import { quantile } from '../judge/turns.js';
import type { Plan } from '../plan.js';
import type { Load, SoakResult, Spread } from '../result.js';
import type { Overview } from '../run/observer.js';
import type { Seen } from '../run/soak.js';
import type { Sample } from '../worker/messages.js';

/** What the run itself cannot see. */
export type Setting = Pick<SoakResult, 'commit' | 'startedAt' | 'circumstances'>;

export function outcomeOf(plan: Plan, setting: Setting, seen: Seen): SoakResult {
  const { quiet, overviews, moments, observer, schedule } = seen;
  const handovers = observer.turns.handovers(sharedLocks(plan), seen.startedAt);
  const trends = judgedTrends(moments);
  const checks = checksOf(plan, seen, handovers, trends);
  const { command, seed, minutes, processes, locks, turnMs } = plan;
  return {
    command,
    ...setting,
    seed,
    minutes,
    processes,
    locks,
    waiters: locks,
    turnMs,
    setUpSeconds: seen.setUpSeconds,
    quiet,
    moments,
    trends,
    turns: {
      handovers: handovers.count,
      inTurn: handovers.inTurn,
      idleMs: spreadOf(handovers.idleMs),
      waitMs: spreadOf(handovers.waitMs),
      leastOfALock: handovers.leastTurns,
      mostOfALock: handovers.mostTurns,
    },
    faults: tally(schedule.events.map(({ fault }) => [fault, 1])),
    faultEvents: schedule.events,
    losses: observer.losses,
    failures: observer.failures,
    errors: tally(quiet.after.processes.flatMap(({ errors }) => Object.entries(errors))),
    suspicions: quiet.after.processes.reduce((sum, one) => sum + one.suspicions, 0),
    renewals: tally(quiet.after.processes.flatMap(({ renewals }) => Object.entries(renewals))) as Sample['renewals'],
    longestStallMs: seen.longestStallMs,
    load: { quiet: load(overviews.settled, overviews.quiet), faults: load(overviews.quiet, overviews.last) },
    checks,
    passed: checks.every(({ passed }) => passed),
  };
}

function spreadOf(ascending: readonly number[]): Spread {
  return { median: quantile(ascending, 0.5), p99: quantile(ascending, 0.99), most: ascending.at(-1) ?? 0 };
}

function tally(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of entries) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

function load(before: Overview, after: Overview): Load {
  const seconds = (after.atMs - before.atMs) / 1_000;
  return {
    scriptsPerSecond: (after.scripts - before.scripts) / seconds,
    redisCpuPercent: (after.redisCpuUs - before.redisCpuUs) / seconds / 1e4,
    proxiesCpuPercent: (after.proxiesCpuUs - before.proxiesCpuUs) / seconds / 1e4,
    processesCpuPercent: (after.cpuUs - before.cpuUs) / seconds / 1e4,
  };
}
