/** Histories with one thing wrong, each made from a good one by one change. */
import type { FaultClassName } from '../../src/check/fault-classes.js';
import type { Rule } from '../../src/check/violation.js';
import type { HistoryEvent } from '../../src/history/event.js';
import type { History } from '../../src/history/read.js';
import { branches, fenced, forced, inTurn, killed, nested, refused, renewed, stopped } from './good-stories.js';
import { fault, force, type LevelPlan, story } from './history-builder.js';

export interface BrokenStory {
  readonly name: string;
  readonly rule: Rule;
  readonly history: History;
  readonly faultClass?: FaultClassName;
}

/** The plan with one of its levels changed. */
function but(plans: readonly LevelPlan[], index: number, change: Partial<LevelPlan>): LevelPlan[] {
  return plans.map((plan, i) => (i === index ? { ...plan, ...change } : plan));
}

const without = (plans: readonly LevelPlan[], index: number): LevelPlan[] => plans.filter((_, i) => i !== index);

const edited = (history: History, edit: (event: HistoryEvent, index: number) => readonly object[]): History =>
  history.flatMap((event, index) => edit(event, index) as HistoryEvent[]);

const fixedLease: readonly LevelPlan[] = [
  { worker: 'a', hold: 1, leaseMs: 100, ask: 0, got: 5, until: 99, samples: [[50, 'held']], release: 90 },
];

export const brokenStories: readonly BrokenStory[] = [
  // I1
  {
    name: 'a waiter has it a moment before the release begins',
    rule: 'overlap',
    history: story(but(inTurn, 1, { got: 9.999 })),
  },
  { name: 'two have it at the same instant', rule: 'overlap', history: story(but(inTurn, 1, { ask: 0, got: 1 })) },
  {
    name: 'one holds through the whole section of another',
    rule: 'overlap',
    history: story(but(inTurn, 0, { release: 50 })),
  },
  {
    name: 'two tasks of one process',
    rule: 'overlap',
    history: story(but(inTurn, 1, { worker: 'a', hold: 9, got: 5 })),
  },
  {
    name: 'the same hold number in two processes is no excuse',
    rule: 'overlap',
    history: story(but(inTurn, 1, { scope: 1, got: 5 })),
  },
  {
    name: 'a duplicated release frees a nested lock early',
    rule: 'overlap',
    history: story(but(nested, 3, { got: 25 })),
  },
  {
    name: 'another has it while only an inner level is open',
    rule: 'overlap',
    history: story(but(but(nested, 0, { release: 4.5 }), 3, { got: 7 })),
  },
  {
    name: 'two branches below one parent are inside at once',
    rule: 'overlap',
    history: story(but(branches, 2, { got: 19 })),
  },
  {
    name: 'a lease ends early, and its holder is not told',
    rule: 'overlap',
    history: story(but(stopped, 1, { got: 80 })),
  },
  {
    name: 'a believer stays for as long as its lease was renewed',
    rule: 'overlap',
    history: story(but(renewed, 1, { got: 1_999 })),
  },
  {
    name: 'a lock goes on while its holder is suspect',
    rule: 'overlap',
    history: story(but(renewed, 1, { got: 899, release: 950 })),
  },
  {
    name: 'a killed holder had a sample after another had it',
    rule: 'overlap',
    history: story(but(killed, 1, { got: 300 })),
  },
  {
    name: 'a stopped holder wakes and says that it is held',
    rule: 'overlap',
    history: story(
      but(stopped, 0, { leaseMs: undefined, lost: undefined, saysAtRelease: 'held' } as unknown as Partial<LevelPlan>),
    ),
  },
  { name: 'force unlock in a run that has none', rule: 'overlap', history: story(forced, force(100, 101)) },
  {
    name: 'the victim of a force unlock is told too late',
    rule: 'overlap',
    faultClass: 'force-unlock',
    history: story(
      but(but(forced, 0, { lost: 25_000, release: 25_010, released: { at: 25_020, type: 'fail' } }), 1, {
        release: 26_000,
      }),
      force(100, 101),
    ),
  },
  {
    name: 'force unlock of another lock excuses nothing',
    rule: 'overlap',
    faultClass: 'force-unlock',
    history: story(forced, force(100, 101, 'y')),
  },
  {
    name: 'a force unlock that came after both had it',
    rule: 'overlap',
    faultClass: 'force-unlock',
    history: story(forced, force(105, 106)),
  },
  {
    name: 'a force unlock that was over before the victim asked',
    rule: 'overlap',
    faultClass: 'force-unlock',
    history: story(but(but(forced, 0, { ask: 60, got: 61 }), 1, { ask: 62 }), force(30, 40)),
  },
  {
    name: 'a partition takes no lock away',
    rule: 'overlap',
    faultClass: 'loss-of-data',
    history: story(forced, [fault(50, 'partition')]),
  },
  {
    name: 'a failover that was over long before',
    rule: 'overlap',
    faultClass: 'loss-of-data',
    history: story(but(but(forced, 0, { ask: 60, got: 61 }), 1, { ask: 62 }), [
      fault(10, 'failover', { state: 'on' }),
      fault(20, 'failover', { state: 'off' }),
    ]),
  },
  { name: 'both wrote the same value', rule: 'lost-update', history: story(but(inTurn, 2, { stores: [[25, 2]] })) },

  // I2 to I4
  { name: 'a re-entry counted as a fresh acquisition', rule: 'nesting', history: story(but(nested, 1, { depth: 1 })) },
  { name: 'a level is counted twice', rule: 'nesting', history: story(but(nested, 2, { depth: 4 })) },
  { name: 'a re-entry into nothing', rule: 'nesting', history: story(without(nested, 0)) },
  {
    name: 'a re-entry after the release of what it was inside',
    rule: 'nesting',
    history: story(but(but(nested, 0, { release: 1.5, released: { at: 1.6, type: 'ok' } }), 1, { ask: 2 })),
  },
  { name: 'a token goes down', rule: 'token-order', history: story(but(fenced, 3, { token: 6 })) },
  { name: 'a token is given twice', rule: 'token-shared', history: story(but(fenced, 2, { token: 5 })) },
  { name: 'a re-entry takes a new token', rule: 'token-changed', history: story(but(fenced, 1, { token: 6 })) },

  // I11
  {
    name: 'a call that timed out holds all the same',
    rule: 'held-after-miss',
    history: story(but(refused, 1, { samples: [[12, 'held']] })),
  },
  {
    name: 'a call of unknown fate writes',
    rule: 'held-after-miss',
    history: story(but(refused, 2, { stores: [[9, 1]] })),
  },
  { name: 'a call that failed releases', rule: 'held-after-miss', history: story(but(refused, 1, { release: 7 })) },

  // I12
  {
    name: 'a fixed lease is believed after its end',
    rule: 'believed-too-late',
    history: story(but(fixedLease, 0, { samples: [[106, 'held', 200]] })),
  },
  {
    name: 'held after it was told of its loss',
    rule: 'believed-too-late',
    history: story(but(stopped, 0, { samples: [[300.5, 'held']] })),
  },
  {
    name: 'held after its release began',
    rule: 'believed-too-late',
    history: story(but(inTurn, 0, { samples: [[10.5, 'held']] })),
  },
  {
    name: 'suspect after its release began',
    rule: 'believed-too-late',
    history: story(but(inTurn, 0, { samples: [[10.5, 'suspect']] })),
  },
  {
    name: 'the signal is aborted and the state says held',
    rule: 'contradiction',
    history: edited(story(renewed), (event) => [
      event.f === 'work' && event.state === 'held' ? { ...event, aborted: true } : event,
    ]),
  },
  {
    name: 'lost, and yet time remains',
    rule: 'contradiction',
    history: edited(story(stopped), (event) => [
      event.f === 'release' && event.type === 'invoke' && event.worker === 'a'
        ? { ...event, until: event.at + 5_000 }
        : event,
    ]),
  },

  // I14
  { name: 'a release never ends', rule: 'unsettled', history: story(but(inTurn, 0, { released: 'never' })) },
  {
    name: 'an acquisition never ends',
    rule: 'unsettled',
    history: story([...inTurn, { worker: 'a', hold: 5, ask: 12 }]),
  },

  // The history itself
  {
    name: 'an operation ends twice',
    rule: 'sanity',
    history: edited(story(inTurn), (event) => (event.type === 'ok' ? [event, event] : [event])),
  },
  {
    name: 'a call answers first no, then yes',
    rule: 'sanity',
    history: story(but(refused, 1, { got: 6, release: 7 })),
  },
  {
    name: 'an answer without a question',
    rule: 'sanity',
    history: edited(story(inTurn), (event, index) => (index === 0 ? [] : [event])),
  },
  {
    name: 'a question is asked twice',
    rule: 'sanity',
    history: edited(story(inTurn), (event, index) => (index === 0 ? [event, event] : [event])),
  },
  {
    name: 'a hold is released twice',
    rule: 'sanity',
    history: edited(story(inTurn), (event) =>
      event.f === 'release' && event.type === 'invoke' ? [event, { ...event, op: event.op + 100 }] : [event],
    ),
  },
  {
    name: 'a hold changes its lock',
    rule: 'sanity',
    history: edited(story(renewed), (event) => [event.f === 'work' ? { ...event, lock: 'y' } : event]),
  },
];
