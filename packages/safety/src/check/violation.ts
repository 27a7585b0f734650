import type { Fault, HistoryEvent, ServerNote } from '../history/event.js';
import type { History } from '../history/read.js';

/** What can be wrong with a run, and the invariant (reliability catalogue I1 to I18) that it breaks. */
export const rules = {
  sanity: 'the history contradicts itself: nothing else in it counts',
  overlap: 'I1: two scopes held one lock at once',
  'over-issued': 'I1: more permits of a semaphore were held at once than it has',
  'not-computed': 'a shared value was given that nobody had computed',
  'id-shared': 'I1: one id of a permit was given to two callers',
  nesting: 'I4: the depth of an acquisition is not the number of levels open around it',
  'token-shared': 'I2: two tenures have the same fencing token',
  'token-order': 'I3: a later tenure has a smaller fencing token',
  'token-changed': 'I3: a re-entry has another fencing token than the level around it',
  'guard-order': 'a write under an older token was done after one under a later token had been',
  'rest-cut-short': 'somebody had the lock before the time was over for which it was to stay taken',
  'held-after-miss': 'I11: somebody worked under an acquisition that had failed',
  'believed-too-late': 'I12: a hold said that it was held after its deadline, its loss or its release',
  contradiction: 'I12: state, deadline and signal of one hold said different things at once',
  'lost-update': 'I1: two writes under the lock were made from the same value',
  unsettled: 'I14: an operation of a process that lived on never ended',
  'aof-two-owners': 'I1: the server wrote a second owner beside the first',
  'aof-regrant': 'I9, I11: a tenure owned again after its end or its tombstone',
  'aof-no-ttl': 'I7: a key without TTL',
  'aof-count':
    'I4, I13: a hold count moved by more than one, or an operation of a tenure took effect twice or out of order',
  'aof-order': 'fairness: somebody had the lock before one who waited longer',
  'aof-no-grant': 'I4: a holder had what the server never granted, or not so often',
  'aof-deadline': 'I12: a holder believed longer than its lease lasts in the server',
  'aof-unexplained-end': 'I10: a lock was dropped before its lease ended, and nobody released, lost or took it',
  'not-linearizable': 'I1 to I3, counts of latches: no order of the operations explains their answers',
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  /** Microseconds: when it shows. */
  readonly at: number;
  readonly lock?: string;
  /** The levels (`<worker>/<hold>`) or operations that contradict each other. */
  readonly between: readonly string[];
  readonly text: string;
  /** Faults around it, nearest last. */
  readonly faults: readonly string[];
}

const windowMicros = 3_000_000;
const mostFaults = 6;

/** Which faults were on, or had just been, at a time. */
export class FaultsAround {
  readonly #faults: readonly (Fault | ServerNote)[];

  constructor(history: History) {
    this.#faults = history.filter((event: HistoryEvent) => event.f === 'fault' || event.f === 'server');
  }

  at(at: number): readonly string[] {
    return this.#faults
      .filter((fault) => fault.at <= at && fault.at >= at - windowMicros)
      .slice(-mostFaults)
      .map((fault) => {
        const phase = fault.f === 'fault' && fault.state !== 'once' ? ` ${fault.state}` : '';
        const target = fault.target === undefined ? '' : ` of ${fault.target}`;
        return `${fault.code}${phase}${target}, ${((at - fault.at) / 1_000).toFixed(1)} ms before`;
      });
  }
}

/** A violation as lines for people. */
export function describeViolation({ rule, at, lock, between, text, faults }: Violation): string {
  return [
    `${rule} at ${(at / 1_000_000).toFixed(6)} s${lock === undefined ? '' : ` on ${lock}`}: ${text}`,
    `  (${rules[rule]})`,
    ...(between.length > 0 ? [`  between ${between.join(' and ')}`] : []),
    ...faults.map((fault) => `  after ${fault}`),
  ].join('\n');
}
