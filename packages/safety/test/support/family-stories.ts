/** Histories of read-write locks, guards and locks that rest: good ones, and each with one thing wrong. */
import { fault, force, guarded, type LevelPlan, story, shared as sharedValue } from './history-builder.js';
import type { Story } from './good-stories.js';
import type { BrokenStory } from './broken-stories.js';

/** a and b read together, then c writes, then a reads again, inside what d reads of its own. */
const shared: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, scope: 1, side: 'read', ask: 0, got: 1, release: 20 },
  { worker: 'b', hold: 1, side: 'read', ask: 2, got: 3, release: 30 },
  { worker: 'a', hold: 2, scope: 1, side: 'read', depth: 2, ask: 4, got: 5, release: 10 },
  { worker: 'c', hold: 1, ask: 6, got: 31, release: 40, stores: [[35, 1]] },
  { worker: 'a', hold: 3, scope: 3, side: 'read', ask: 32, got: 41, release: 60 },
];

/** a writes and reads inside, gives the writing back first; b reads beside it from then on, and c writes when both have gone. */
const downgraded: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, scope: 1, ask: 0, got: 1, release: 20 },
  { worker: 'a', hold: 2, scope: 1, side: 'read', depth: 2, ask: 2, got: 3, release: 50 },
  { worker: 'b', hold: 1, side: 'read', ask: 4, got: 21, release: 40 },
  { worker: 'c', hold: 1, ask: 5, got: 51, release: 60 },
];

/** A reader that is stopped for longer than its lease is told when it wakes; the writer came in meanwhile. */
const stoppedReader: readonly LevelPlan[] = [
  {
    worker: 'a',
    hold: 1,
    side: 'read',
    leaseMs: 100,
    ask: 0,
    got: 2,
    until: 99,
    lost: 300,
    release: 301,
    saysAtRelease: 'lost',
    released: { at: 302, type: 'fail' },
  },
  { worker: 'b', hold: 1, side: 'read', ask: 3, got: 4, release: 90 },
  { worker: 'c', hold: 1, ask: 10, got: 110, release: 200 },
];

/** a has it from 1 on and gives it back at 5, to rest until 101 at least. */
const rested: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, minHoldMs: 100, ask: 0, got: 1, release: 5 },
  { worker: 'b', hold: 1, ask: 2, got: 102, release: 120 },
];

const two: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, token: 5, ask: 0, got: 1, release: 10 },
  { worker: 'b', hold: 1, token: 7, ask: 2, got: 12, release: 40 },
];

/** a is stopped while it leads, and told when it wakes; b leads from the end of its lease on, in a later term. */
const cutOff: readonly LevelPlan[] = [
  {
    worker: 'a',
    hold: 1,
    token: 5,
    ask: 0,
    got: 1,
    until: 1,
    samples: [
      [90, 'held', 90],
      [300, 'lost'],
    ],
    lost: 299,
  },
  { worker: 'b', hold: 1, token: 6, ask: 2, got: 120, release: 400 },
];

/** Three permits: one and two are had together, and two more when two have come back. */
const pooled: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, permits: 1, ask: 0, got: 1, release: 40 },
  { worker: 'b', hold: 1, permits: 2, ask: 2, got: 3, release: 20 },
  { worker: 'c', hold: 1, permits: 2, ask: 4, got: 21, release: 30 },
  { worker: 'a', hold: 2, permits: 3, ask: 5, got: 41, release: 50 },
];

export const goodFamilyStories: Readonly<Record<string, Story>> = {
  'readers overlap, and a writer is alone': { history: story(shared) },
  'a writer that goes on as a reader lets other readers in': { history: story(downgraded) },
  'a stopped reader is told when it wakes': { history: story(stoppedReader) },
  'a leader that was cut off is told before the next one leads': { history: story(cutOff) },
  'permits are had together as long as there are enough': { history: story(pooled) },
  'permits that were taken away by a stranger, whose holder is told in time': {
    history: story(
      pooled.map((plan) => (plan.worker === 'c' ? { ...plan, got: 10 } : plan)),
      [fault(8, 'del', { state: 'once', lock: 'x' })],
    ),
    faultClass: 'loss-of-data',
  },
  'permits with ids': {
    history: story([
      { worker: 'a', hold: 1, permits: 2, ids: ['c:1', 'c:2'], ask: 0, got: 1, release: 5 },
      { worker: 'b', hold: 1, permits: 1, ids: ['c:3'], ask: 2, got: 3, release: 9 },
    ]),
  },
  'a lease of permits that was made shorter': {
    history: story([
      {
        worker: 'a',
        hold: 1,
        permits: 3,
        ask: 0,
        got: 1,
        until: 500,
        samples: [
          [10, 'held', 110],
          [300, 'lost'],
        ],
      },
      { worker: 'b', hold: 1, permits: 1, ask: 2, got: 112, release: 120 },
    ]),
  },
  'a shared value': {
    history: story([], [sharedValue('a', 1, 'computed', 'a/1'), sharedValue('b', 2, 'given', 'a/1')]),
  },
  'a lock rests': { history: story(rested) },
  'a lock whose rest was cut short by a forced unlock': {
    history: story(
      rested.map((plan) => (plan.worker === 'b' ? { ...plan, got: 50 } : plan)),
      force(30, 31),
    ),
    faultClass: 'force-unlock',
  },
  'a lock that was lost does not rest': {
    history: story([
      {
        worker: 'a',
        hold: 1,
        minHoldMs: 100,
        ask: 0,
        got: 1,
        until: 20,
        lost: 20,
        release: 25,
        saysAtRelease: 'lost',
        released: { at: 26, type: 'fail' },
      },
      { worker: 'b', hold: 1, ask: 2, got: 22, release: 30 },
    ]),
  },
  'a late write of an older token is refused': {
    history: story(two, [
      guarded('a', 5, 2, 4, 'written'),
      guarded('b', 7, 14, 16, 'written'),
      guarded('a', 5, 18, 20, 'stale'),
      guarded('b', 7, 22, 24, 'written'),
    ]),
  },
  'two writes that cross': {
    history: story(two, [guarded('a', 5, 2, 18, 'written'), guarded('b', 7, 14, 16, 'written')]),
  },
};

const but = (plans: readonly LevelPlan[], index: number, change: Partial<LevelPlan>): LevelPlan[] =>
  plans.map((plan, at) => (at === index ? { ...plan, ...change } : plan));

export const brokenFamilyStories: readonly BrokenStory[] = [
  {
    name: 'two permits more than there are',
    rule: 'over-issued',
    history: story(pooled.map((plan) => (plan.worker === 'c' ? { ...plan, got: 10 } : plan))),
  },
  {
    name: 'one permit more than there are, between holders that come and go',
    rule: 'over-issued',
    history: story([...pooled, { worker: 'd', hold: 1, permits: 1, ask: 6, got: 22, release: 23 }]),
  },
  {
    name: 'an id that was given to two callers',
    rule: 'id-shared',
    history: story([
      { worker: 'a', hold: 1, permits: 1, ids: ['c:1'], ask: 0, got: 1, release: 5 },
      { worker: 'b', hold: 1, permits: 2, ids: ['c:2', 'c:1'], ask: 6, got: 7, release: 9 },
    ]),
  },
  {
    name: 'a value that nobody has computed',
    rule: 'not-computed',
    history: story([], [sharedValue('a', 1, 'computed', 'a/1'), sharedValue('b', 2, 'given', 'a/2')]),
  },
  { name: 'a writer beside a reader', rule: 'overlap', history: story(but(shared, 3, { got: 29 })) },
  { name: 'a reader beside a writer', rule: 'overlap', history: story(but(shared, 4, { got: 39 })) },
  { name: 'a reader that turns out to write', rule: 'overlap', history: story(but(shared, 1, { side: undefined })) },
  {
    name: 'a reader comes in while the one that goes on still writes',
    rule: 'overlap',
    history: story(but(downgraded, 2, { got: 19 })),
  },
  {
    name: 'a writer comes in while the one that goes on still reads',
    rule: 'overlap',
    history: story(but(downgraded, 3, { got: 49 })),
  },
  {
    name: 'a writer comes in before the lease of a stopped reader is over',
    rule: 'overlap',
    history: story(but(stoppedReader, 2, { got: 98 })),
  },
  {
    name: 'a killed reader had a sample after a writer came in',
    rule: 'overlap',
    history: story(
      [
        { worker: 'a', hold: 1, side: 'read', ask: 0, got: 1, samples: [[50, 'held']] },
        { worker: 'b', hold: 1, ask: 2, got: 40, release: 60 },
      ],
      [fault(51, 'sigkill', { target: 'a' })],
    ),
  },
  {
    name: 'a leader that was cut off has not been told when the next one leads',
    rule: 'overlap',
    history: story([
      { worker: 'a', hold: 1, token: 5, ask: 0, got: 1, until: 1, samples: [[121, 'held', 121]] },
      ...cutOff.slice(1),
    ]),
  },
  {
    name: 'a leader that resigns is told later',
    rule: 'believed-too-late',
    history: story(but(cutOff, 1, { samples: [[400.2, 'held']] })),
  },
  { name: 'a term is no higher', rule: 'token-shared', history: story(but(cutOff, 1, { token: 5 })) },
  { name: 'a rest is cut short', rule: 'rest-cut-short', history: story(but(rested, 1, { got: 97 })) },
  {
    name: 'a forced unlock after the fact excuses no short rest',
    rule: 'rest-cut-short',
    faultClass: 'force-unlock',
    history: story(but(rested, 1, { got: 50 }), force(60, 61)),
  },
  {
    name: 'an older token writes after a later one',
    rule: 'guard-order',
    history: story(two, [guarded('b', 7, 14, 16, 'written'), guarded('a', 5, 17, 20, 'written')]),
  },
];
