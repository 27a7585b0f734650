/**
 * Tempers: worlds of the ordinary classes whose conditions are turned one way, so that something becomes frequent there which is rare elsewhere.
 *
 * A temper changes what the seed has drawn, or draws more from a stream of its own: the same seed and the same temper are the same world. What must hold
 * is the same as everywhere.
 */

import type { Chance } from '../world/chance.js';
import type { FaultTerms } from './draw-faults.js';
import type { FaultWeights } from './faults.js';
import { type Habits, type PatternName, usualHabits } from './habits.js';
import type { ClientPlan, Scenario, ScenarioClass, TaskPlan } from './scenario.js';

/** See the module comment. What it does not say is as the seed draws it. */
export interface Temper {
  readonly class?: ScenarioClass;
  readonly habits?: Partial<Habits>;
  readonly faults?: Partial<FaultTerms>;
  /** At the servers of a lock by majority. */
  readonly atNode?: FaultWeights;
  turn?(scenario: Scenario, chance: Chance): Scenario;
}

export type TemperName =
  | 'copies'
  | 'leases'
  | 'dead'
  | 'clocks'
  | 'counters'
  | 'forced'
  | 'robbed'
  | 'limits'
  | 'turns'
  | 'stalls'
  | 'pauses'
  | 'refusals'
  | 'readers'
  | 'patient'
  | 'crossing'
  | 'crowded'
  | 'reborn';

const having = (scenario: Scenario, client: (plan: ClientPlan) => Partial<ClientPlan>): Scenario => ({
  ...scenario,
  processes: scenario.processes.map((plan) => ({ ...plan, client: { ...plan.client, ...client(plan.client) } })),
});

const tasksOf = (count: number, process: string, pauseMs: number): TaskPlan[] =>
  Array.from({ length: count }, (_, task) => ({ name: `${process}t${task}`, steps: 100_000, pauseMs }));

const never = Object.fromEntries(Object.keys(usualHabits).map((name) => [name, 0])) as Record<PatternName, number>;

/** These, and nothing else. */
const only = (habits: Partial<Habits>): Habits => ({ ...never, ...habits });

/** By their names. */
export const tempers: Readonly<Record<TemperName, Temper>> = {
  // Commands run long after the client has sent them again, and answers are lost.
  copies: {
    class: 'broken',
    habits: { nested: 8, counted: 6, nestedGivenUp: 6, nestedLease: 2, crowd: 1 },
    faults: { weights: { late: 8, 'reply-lost': 6, reset: 2 }, every: [15, 40], longestMs: 120 },
  },
  // About as long as the work.
  leases: {
    class: 'broken',
    habits: { fixedLease: 12, nestedLease: 8, longHold: 3, crowd: 1 },
    faults: {
      weights: { stall: 4, stop: 2, partition: 4, late: 3, 'reply-lost': 3 },
      every: [60, 150],
      longestMs: 600,
    },
    turn: (scenario, chance) => having(scenario, () => ({ watchdogTimeoutMs: chance.pick([200, 300, 500]) })),
  },
  // Processes die while many of their calls stand in line, and connections without a word.
  dead: {
    class: 'broken',
    habits: { section: 4, crowd: 12, nested: 1 },
    faults: { weights: { kill: 8, dead: 3, stop: 1 }, every: [150, 400] },
    turn: (scenario, chance) => ({
      ...scenario,
      kind: chance.pick(['fair', 'fair', 'plain']),
      locks: scenario.locks.slice(0, chance.whole(1, 2)),
    }),
  },
  // The wall clock of the server is set back.
  clocks: {
    class: 'broken',
    habits: { givenUp: 6, crowd: 4 },
    faults: { weights: { 'clock-back': 8, reset: 2, 'script-flush': 1 }, every: [60, 200] },
    turn: (scenario, chance) => ({ ...scenario, kind: chance.pick(['fair', 'fenced', 'plain']) }),
  },
  // What the server keeps beside a lock is lost: the counter of its tokens, its line, the scripts.
  counters: {
    class: 'broken',
    faults: { weights: { 'counter-lost': 6, 'queue-lost': 4, 'script-flush': 2, 'reply-lost': 2 }, every: [60, 200] },
    // Where tokens are counted, as Redisson's messages have it, they are lost with their counter.
    turn: (scenario) => ({ ...scenario, kind: 'fenced', wakeup: 'queue' }),
  },
  // Locks are forced again and again.
  forced: {
    class: 'taken',
    faults: { weights: { force: 8, 'reply-lost': 1 }, every: [40, 150] },
    turn: (scenario, chance) => ({ ...scenario, lag: undefined, locks: scenario.locks.slice(0, chance.whole(1, 2)) }),
  },
  // Locks are deleted under their holders.
  robbed: {
    class: 'taken',
    habits: { longHold: 6, section: 8 },
    faults: { weights: { del: 6, partition: 8, 'reply-lost': 1 }, every: [20, 60], longestMs: 300 },
    turn: (scenario, chance) =>
      having({ ...scenario, lag: undefined, locks: scenario.locks.slice(0, 1) }, () => ({
        reaskMs: chance.pick([20, 50, 150]),
      })),
  },
  // Clients may have little at once.
  limits: {
    class: 'calm',
    habits: { nested: 8, crowd: 2, fixedLease: 4 },
    turn: (scenario, chance) =>
      having(scenario, () => ({
        limits: {
          waiters: chance.whole(4, 40),
          locks: chance.whole(3, 8),
          depth: chance.whole(2, 4),
          // As long as any that is asked for: the last turns need theirs.
          leaseMs: 3_000,
        },
      })),
  },
  // Every process always wants the same lock, for a moment.
  turns: {
    class: 'calm',
    habits: { longHold: 0, fixedLease: 0, crowd: 4 },
    turn: (scenario, chance) => ({
      ...scenario,
      locks: scenario.locks.slice(0, 1),
      shared: [],
      others: [],
      processes: scenario.processes.map((plan) => ({ ...plan, tasks: tasksOf(chance.whole(3, 6), plan.name, 0) })),
    }),
  },
  // Processes and servers stand still, and nothing else breaks. Not `stall`: so many of them, one after the other, would go on when the work is long over.
  stalls: {
    class: 'broken',
    habits: only({ section: 3, shortWait: 12, triedImperative: 4, givenUp: 3, nested: 1, fixedLease: 1, longHold: 1 }),
    faults: { weights: { 'stall-inside': 8, stop: 8, 'server-stop': 2 }, every: [40, 150] },
  },
  // Processes stand still, for longer than they wait for an answer, and nothing else happens.
  pauses: {
    class: 'broken',
    habits: { section: 8, crowd: 3, longHold: 3, twoLocks: 0 },
    faults: { weights: { 'stall-inside': 8, stop: 4 }, every: [60, 200], longestMs: 2_000 },
    turn: (scenario) => ({ ...scenario, locks: scenario.locks.slice(0, 2) }),
  },
  // The server refuses for a moment, again and again.
  refusals: {
    class: 'broken',
    habits: { nested: 8, counted: 3, nestedLease: 6, imperative: 6, nestedGivenUp: 3, crowd: 1 },
    faults: { weights: { oom: 5, noperm: 4, busy: 3 }, every: [15, 40], longestMs: 60 },
  },
  // Read-write locks, and little else.
  readers: {
    turn: (scenario, chance) => ({
      ...scenario,
      locks: scenario.locks.slice(0, 1),
      shared: ['catalogue', '{catalogue}'].slice(0, chance.whole(1, 2)),
      others: [],
    }),
  },
  // Nobody asks again by itself for longer than the world waits for a turn: who is not woken starves. What nobody could wake for does not happen.
  patient: {
    class: 'broken',
    faults: { weights: { reset: 6, 'clients-killed': 3, 'script-flush': 2 }, every: [60, 200] },
    turn: (scenario) =>
      having(scenario, () => ({
        claimLeaseMs: 400_000,
        reaskMs: 300_000,
      })),
  },
  // Calls and releases of one hold are on their way at once, the server refuses some, and others arrive long after they were sent again.
  crossing: {
    class: 'broken',
    habits: { crossed: 14, nestedGivenUp: 4, nestedLease: 3, object: 3, crowd: 0, longHold: 0 },
    faults: { weights: { late: 6, 'reply-lost': 3, oom: 5, noperm: 4 }, every: [10, 30], longestMs: 120 },
  },
  // Hundreds of calls of one process for one lock, each of which computes for a moment.
  crowded: {
    class: 'calm',
    habits: only({ busyCrowd: 6, section: 2, nested: 1, shortWait: 1 }),
    turn: (scenario) => ({ ...scenario, locks: scenario.locks.slice(0, 1), shared: [], others: [] }),
  },
  // The servers of a lock by majority lose their data, and seem to have been running for long; for `--with majority`.
  reborn: {
    class: 'broken',
    faults: { weights: { reset: 1 }, every: [1_000] },
    atNode: { reborn: 6, reset: 3, 'reply-lost': 2, partition: 3 },
  },
};

/** Every temper that there is. */
export const temperNames = Object.keys(tempers) as readonly TemperName[];
