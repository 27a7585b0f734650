/** What a run must be true of. */

import { LONGEST_MS } from '../faults/catalogue.js';
import type { Plan } from '../plan.js';
import { mostWaiters, sharersOf } from '../population.js';
import type { JudgedTrend, Moment } from '../result.js';
import type { Seen } from '../run/soak.js';
import type { Loss } from '../worker/messages.js';
import { atLeast, atMost, type Check, exactly, noneOf } from './check.js';
import { objectsAt } from './objects.js';
import { LEAST_MINUTES } from './trends.js';
import type { Handovers } from './turns.js';

const CLAIM_LEASE_MS = 3_000;
/** A loop that stands still for this long belongs to a process that does not get its share of the processors. */
const BUSY_MS = 250;
/** What is left of a claim lease when its first renewal is due and the longest fault begins. */
const STALL_MS = (CLAIM_LEASE_MS * 2) / 3 - LONGEST_MS;
/** Whose connection for messages is away when its turn comes is passed over, and may be again: one turn in fifteen, where every process has a fault
 * every 2.3 s, so eight times in a row is out of the question. */
const MOST_BYPASSES = 8;
const REASK_MS = 1_500;
/** For a message, a script and a busy event loop. */
const SLACK_MS = 2_000;
/** A schedule for waits and one for leases, and what ioredis sets for a moment. */
const MOST_TIMERS = 8;
/** Few processes have to be left in peace more often. */
const leastFaultsPerSecond = (processes: number): number => Math.min(1, processes / 4);
/**
 * In percent. Commands may be under way at a quiet moment, tables have the size that they once needed, and what was given back in the last ten to
 * twenty seconds is remembered for a failover: four objects each, which are a tenth of all in a short run.
 */
const MORE_OBJECTS = 15;

/** Locks that more than one process wants. */
export function sharedLocks({ locks, processes }: Plan): number[] {
  return Array.from({ length: locks }, (_, lock) => lock).filter((lock) => sharersOf(lock, processes).length > 1);
}

/** All of them. */
export function checksOf(plan: Plan, seen: Seen, handovers: Handovers, trends: readonly JudgedTrend[]): Check[] {
  return [...duringTheRun(plan, seen, handovers), ...alike(seen), ...atTheEnd(seen), ...flat(plan, trends)];
}

function duringTheRun(
  plan: Plan,
  { observer, schedule, moments, longestStallMs }: Seen,
  handovers: Handovers,
): Check[] {
  const { idleMs, waitMs, overlaps, tokensOutOfOrder, leastTurns } = handovers;
  const waiters = mostWaiters(plan.processes);
  const ahead = (waiters + MOST_BYPASSES) * plan.turnMs;
  const idleBoundMs = waiters * (CLAIM_LEASE_MS + REASK_MS) + SLACK_MS;
  const seconds = plan.minutes * 60;
  const turnsDue = Math.floor((seconds * 1_000) / (plan.turnMs + idleBoundMs));
  return [
    noneOf('holds lost without need', falseLosses(observer.losses).map(describe)),
    ...(plan.extent === 'full' ? quietEnough(observer.losses, longestStallMs) : []),
    noneOf('calls that failed', observer.failures),
    noneOf(
      'two holds of one lock at the same time',
      overlaps.map(({ lock, earlier, later }) => `lock ${lock}: ${JSON.stringify([earlier, later])}`),
    ),
    noneOf(
      'fencing tokens that do not rise from turn to turn',
      tokensOutOfOrder.map(({ lock, earlier, later }) => `lock ${lock}: ${JSON.stringify([earlier, later])}`),
    ),
    atMost('longest time a lock that is waited for was free', idleMs.at(-1) ?? 0, idleBoundMs, ' ms'),
    atMost('longest wait', waitMs.at(-1) ?? 0, ahead + waiters * idleBoundMs, ' ms'),
    atLeast('turns of every lock that is waited for', leastTurns, turnsDue),
    atLeast('faults a second', schedule.events.length / seconds, leastFaultsPerSecond(plan.processes)),
    exactly('keys without TTL, at any look', Math.max(0, ...moments.map(({ server }) => server.keysWithoutTtl)), 0),
    exactly('keys of no known kind, at any look', Math.max(0, ...moments.map(({ server }) => server.otherKeys)), 0),
    atMost('timers of any process', Math.max(...moments.flatMap(timersOf)), MOST_TIMERS),
  ];
}

/** No fault here ends a lease. What a machine does that lets processes stand still, many times on the way of one command, may. */
const falseLosses = (losses: readonly Loss[]): Loss[] => losses.filter(({ stalledMs }) => stalledMs < BUSY_MS);

/** A full run wants a machine of its own; the short one, beside other tests, does not judge what a busy machine does. */
function quietEnough(losses: readonly Loss[], longestStallMs: number): Check[] {
  return [
    atMost('holds lost while the machine was too busy', losses.length - falseLosses(losses).length, 0),
    atMost('longest time a process stood still under the faults', longestStallMs, STALL_MS, ' ms'),
  ];
}

const describe = ({ lock, reason, stalledMs }: Loss): string =>
  `${lock}: ${reason}, while no event loop stood still for more than ${Math.round(stalledMs)} ms`;

const timersOf = ({ processes }: Moment): number[] => processes.map(({ timers }) => timers);

/** Before the first fault and after the last the same locks are held and the same number of calls waits. */
function alike({ cameToRest, quiet: { before, after } }: Seen): Check[] {
  const handles = ({ processes }: Moment) =>
    JSON.stringify(
      processes.map(({ handles: of }) =>
        Object.keys(of)
          .sort((a, b) => a.localeCompare(b))
          .map((kind) => [kind, of[kind]]),
      ),
    );
  return [
    {
      what: 'after the faults all is held and waited for again',
      passed: cameToRest,
      seen: cameToRest ? 'yes' : 'not within three minutes',
    },
    exactly('connections after the faults', after.server.connections, before.server.connections),
    exactly('subscriptions after the faults', after.server.subscriptions, before.server.subscriptions),
    exactly('held locks on the server after the faults', after.server.locks, before.server.locks),
    exactly('keys of waiting lines after the faults', after.server.lineKeys, before.server.lineKeys),
    {
      what: 'sockets and other handles after the faults',
      passed: handles(after) === handles(before),
      seen: handles(after) === handles(before) ? 'as before' : `${handles(after)}, not ${handles(before)}`,
    },
    atMost(
      'more objects after the faults than before',
      (objectsAt(after) / objectsAt(before) - 1) * 100,
      MORE_OBJECTS,
      ' %',
    ),
  ];
}

function atTheEnd({ left, farewells, endings, unreturned }: Seen): Check[] {
  return [
    noneOf('permits that are not back', unreturned),
    exactly('keys left, tombstones apart', left.locks + left.lineKeys + left.otherKeys, 0),
    exactly('keys left without TTL', left.keysWithoutTtl, 0),
    exactly('subscriptions left', left.subscriptions, 0),
    exactly('connections left', left.connections, 0),
    exactly('timers left in processes', Math.max(...farewells.map(({ timers }) => timers)), 0),
    noneOf(
      'processes that did not end by themselves with code 0',
      endings.flatMap((ending, index) =>
        ending?.code === 0
          ? []
          : [`process ${index}: ${ending === undefined ? 'still there' : JSON.stringify(ending)}`],
      ),
    ),
  ];
}

function flat({ minutes, extent }: Plan, trends: readonly JudgedTrend[]): Check[] {
  if (extent !== 'full' || minutes < LEAST_MINUTES) return [];
  if (trends.length === 0) return [{ what: 'readings enough for a trend', passed: false, seen: 'too few' }];
  return trends.map(({ what, unit, perMinute, spread, tolerated, tendency }) => ({
    what: `${what}: flat`,
    passed: tendency === 'flat',
    seen: `${tendency}: ${perMinute.toPrecision(3)} ± ${spread.toPrecision(2)} ${unit} in a minute, ${tolerated.toPrecision(3)} tolerated`,
  }));
}
