/** Histories of a lock that works, each with something in it that a careless checker would take for a violation. */
import type { FaultClassName } from '../../src/check/fault-classes.js';
import type { History } from '../../src/history/read.js';
import { fault, force, type LevelPlan, story } from './history-builder.js';

export interface Story {
  readonly history: History;
  readonly faultClass?: FaultClassName;
}

/** a, b, a, b: each asks while the other holds. */
export const inTurn: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, ask: 0, got: 1, release: 10, stores: [[5, 1]] },
  { worker: 'b', hold: 1, ask: 2, got: 11, release: 20, stores: [[15, 2]] },
  { worker: 'a', hold: 2, ask: 12, got: 21, release: 30, stores: [[25, 3]] },
  { worker: 'b', hold: 2, ask: 22, got: 31, release: 40, stores: [[35, 4]] },
];

/** a at depth 3, then b. */
export const nested: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, scope: 1, ask: 0, got: 1, release: 30 },
  { worker: 'a', hold: 2, scope: 1, depth: 2, ask: 2, got: 3, release: 20 },
  { worker: 'a', hold: 3, scope: 1, depth: 3, ask: 4, got: 5, release: 10 },
  { worker: 'b', hold: 1, ask: 6, got: 32, release: 40 },
];

/** Two branches below a parent that holds the lock, one after the other. */
export const branches: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, ask: 0, got: 1, release: 50 },
  { worker: 'a', hold: 2, inside: 1, depth: 2, ask: 2, got: 3, release: 20 },
  { worker: 'a', hold: 3, inside: 1, depth: 2, ask: 2, got: 22, release: 40 },
  { worker: 'b', hold: 1, ask: 6, got: 52, release: 60 },
];

/** a stops, its fixed lease runs out, b has it, a wakes and is told. */
export const stopped: readonly LevelPlan[] = [
  {
    worker: 'a',
    hold: 1,
    leaseMs: 100,
    ask: 0,
    got: 2,
    until: 99,
    lost: 300,
    release: 301,
    saysAtRelease: 'lost',
    released: { at: 302, type: 'fail' },
  },
  { worker: 'b', hold: 1, ask: 10, got: 110, release: 200 },
];

/** a stops when it has its answer and its caller has not, its lease runs out, b has it, a wakes and tells its caller so at once. */
export const lostOnItsWay: readonly LevelPlan[] = [
  {
    worker: 'a',
    hold: 1,
    ask: 0,
    got: 200,
    saysWhenGot: 'lost',
    release: 201,
    saysAtRelease: 'lost',
    released: { at: 202, type: 'fail' },
  },
  { worker: 'b', hold: 1, ask: 10, got: 110, release: 300 },
];

/** The watchdog renews a: its deadline moves. */
export const renewed: readonly LevelPlan[] = [
  {
    worker: 'a',
    hold: 1,
    ask: 0,
    got: 1,
    until: 1_000,
    samples: [
      [500, 'held', 1_400],
      [900, 'suspect', 1_400],
      [1_300, 'held', 2_200],
    ],
    release: 2_000,
  },
  { worker: 'b', hold: 1, ask: 10, got: 2_002, release: 2_050 },
];

export const fenced: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, scope: 1, token: 5, ask: 0, got: 1, release: 10 },
  { worker: 'a', hold: 2, scope: 1, depth: 2, token: 5, ask: 2, got: 3, release: 6 },
  { worker: 'b', hold: 1, token: 7, ask: 2, got: 12, release: 20 },
  { worker: 'a', hold: 3, scope: 3, token: 8, ask: 22, got: 23, release: 30 },
];

/** b is refused, then its next call has it. */
export const refused: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, ask: 0, got: 1, release: 10 },
  { worker: 'b', hold: 1, ask: 2, miss: { at: 5, type: 'fail' } },
  { worker: 'b', hold: 2, ask: 6, miss: { at: 8, type: 'info' } },
  { worker: 'b', hold: 3, ask: 9, got: 12, release: 20 },
];

/** a is killed with the lock; b has it when the lease has run out. */
export const killed: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, ask: 0, got: 1, until: 1_000, samples: [[400, 'held', 1_000]] },
  { worker: 'b', hold: 1, ask: 10, got: 1_001, release: 1_050 },
];

/** Force unlock at 100: a is told at 110, b has it at 102. */
export const forced: readonly LevelPlan[] = [
  {
    worker: 'a',
    hold: 1,
    ask: 0,
    got: 1,
    lost: 110,
    release: 120,
    saysAtRelease: 'lost',
    released: { at: 121, type: 'fail' },
  },
  { worker: 'b', hold: 1, ask: 10, got: 102, release: 200 },
];

export const goodStories = {
  'two processes in turn': { history: story(inTurn) },
  'levels nest': { history: story(nested) },
  'branches below a parent take turns': { history: story(branches) },
  'a process that was stopped past its deadline is told when it wakes': { history: story(stopped) },
  'one that was stopped before its caller had the answer is told with the answer': { history: story(lostOnItsWay) },
  'a renewed lease': { history: story(renewed) },
  'tokens have gaps, and a re-entry keeps its own': { history: story(fenced) },
  'refused calls': { history: story(refused) },
  'a killed process says nothing any more': { history: story(killed, [fault(500, 'sigkill', { target: 'a' })]) },
  'the end of a file is lost with its process': {
    history: story(
      [
        // Its release is lost; b had the lock long before the deadline of a.
        { worker: 'a', hold: 1, ask: 0, got: 1, samples: [[50, 'held']] },
        { worker: 'b', hold: 1, ask: 10, got: 60, release: 100 },
      ],
      [fault(55, 'sigkill', { target: 'a' })],
    ),
  },
  'a process is killed while it asks and while it releases': {
    history: story(
      [
        { worker: 'a', hold: 1, ask: 0, got: 1, release: 10, released: 'never' },
        { worker: 'a', hold: 2, scope: 9, lock: 'y', ask: 10 },
        { worker: 'b', hold: 1, ask: 2, got: 12, release: 20 },
      ],
      [fault(11, 'sigkill', { target: 'a' })],
    ),
  },
  'a release without answer': {
    history: story([
      { worker: 'a', hold: 1, ask: 0, got: 1, release: 10, released: { at: 500, type: 'info' } },
      { worker: 'b', hold: 1, ask: 2, got: 12, release: 20 },
    ]),
  },
  'an explicit owner comes again': {
    history: story([
      { worker: 'a', hold: 1, scope: 1, ask: 0, got: 1, release: 10 },
      { worker: 'a', hold: 2, scope: 1, depth: 2, ask: 5, got: 6, release: 20 },
      { worker: 'a', hold: 3, scope: 1, ask: 30, got: 31, release: 40 },
    ]),
  },
  'force unlock, and the victim is told by message': {
    history: story(forced, force(100, 101)),
    faultClass: 'force-unlock',
  },
  'a lock deleted from outside, and the victim is told at its next renewal': {
    history: story(
      [
        {
          worker: 'a',
          hold: 1,
          leaseMs: 3_000,
          ask: 0,
          got: 1,
          lost: 1_100,
          release: 1_120,
          saysAtRelease: 'lost',
          released: { at: 1_121, type: 'fail' },
        },
        { worker: 'b', hold: 1, ask: 10, got: 102, release: 2_000 },
      ],
      [fault(100, 'del', { lock: 'x' })],
    ),
    faultClass: 'force-unlock',
  },
  'a clock jump ends the lease of a level that asked for a shorter one than its owner had': {
    history: story(
      [
        { worker: 'a', hold: 1, scope: 1, ask: 0, got: 1, lost: 30_001, release: 30_003, saysAtRelease: 'lost' },
        {
          worker: 'a',
          hold: 2,
          scope: 1,
          depth: 2,
          leaseMs: 285,
          ask: 2,
          got: 3,
          until: 30_001,
          lost: 30_001,
          release: 30_002,
          saysAtRelease: 'lost',
        },
        { worker: 'b', hold: 1, ask: 10, got: 102, release: 200 },
      ],
      [fault(100, 'clock-jump', { state: 'on' }), fault(101, 'clock-jump', { state: 'off' })],
    ),
    faultClass: 'clock-jumps',
  },
  'the answer to a victim of a force unlock comes after that to the next owner': {
    history: story(
      [
        {
          worker: 'a',
          hold: 1,
          token: 6,
          ask: 0,
          got: 12,
          lost: 20,
          release: 21,
          saysAtRelease: 'lost',
          released: { at: 22, type: 'fail' },
        },
        { worker: 'b', hold: 1, token: 7, ask: 2, got: 10, release: 30 },
      ],
      force(3, 4),
    ),
    faultClass: 'force-unlock',
  },
  'a failover loses a grant': {
    history: story(
      [
        {
          worker: 'a',
          hold: 1,
          ask: 0,
          got: 1,
          lost: 9_000,
          release: 9_001,
          saysAtRelease: 'lost',
          released: { at: 9_002, type: 'fail' },
        },
        { worker: 'b', hold: 1, ask: 10, got: 2_500, release: 9_500 },
      ],
      [fault(500, 'failover', { state: 'on', target: 's1' }), fault(2_000, 'failover', { state: 'off', target: 's1' })],
    ),
    faultClass: 'loss-of-data',
  },
} as const satisfies Record<string, Story>;
