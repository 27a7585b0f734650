import { describe, expect, it } from '@jest/globals';
import { faultClasses } from '../src/check/fault-classes.js';
import { checkLinearizability } from '../src/check/linearizability.js';
import { fenced, mutex, reentrant } from '../src/check/linear/models.js';
import type { Action, Operation } from '../src/check/linear/operation.js';
import { readWrite } from '../src/check/linear/read-write.js';
import { search } from '../src/check/linear/search.js';
import { brokenStories } from './support/broken-stories.js';
import { goodStories, type Story } from './support/good-stories.js';
import { story } from './support/history-builder.js';

/** Broken for a client that only sees the answers, too: no time stamp inside a section is needed to tell. */
const brokenByAnswers = [
  'one holds through the whole section of another',
  'two tasks of one process',
  'a duplicated release frees a nested lock early',
  'a lease ends early, and its holder is not told',
  'a believer stays for as long as its lease was renewed',
  'a re-entry counted as a fresh acquisition',
  'a level is counted twice',
  'a re-entry into nothing',
  'a token goes down',
  'a token is given twice',
  'a re-entry takes a new token',
];

describe('the linearizability checker', () => {
  it.each(Object.entries<Story>(goodStories))('explains: %s', (_, { history, faultClass = 'crash-and-network' }) => {
    for (const unknown of ['keep', 'leave-out'] as const) {
      const verdict = checkLinearizability(history, { faultClass: faultClasses[faultClass], unknown });
      expect(verdict.violations).toEqual([]);
      expect(verdict.undecided).toEqual([]);
    }
  });

  it.each(brokenByAnswers)('finds no explanation for: %s', (wanted) => {
    const { history } = brokenStories.find(({ name }) => name === wanted) ?? { history: [] };
    const { violations } = checkLinearizability(history, { faultClass: faultClasses['crash-and-network'] });
    expect(violations.map(({ rule }) => rule)).toEqual(['not-linearizable']);
  });

  it('names the operation that cannot be explained, and the state it met', () => {
    const history = story([
      { worker: 'a', hold: 1, lock: 'ledger', ask: 0, got: 1, release: 20 },
      { worker: 'b', hold: 7, lock: 'ledger', ask: 2, got: 15, release: 30 },
    ]);
    const [violation] = checkLinearizability(history, { faultClass: faultClasses.none }).violations;
    expect(violation).toMatchObject({ lock: 'ledger', between: ['b/7 acquire at depth 1'] });
    expect(violation?.text).toContain('the state there was "a/1"');
  });

  it('does not give the writing of one back too soon, who reads inside it while the lock is forced from its readers', () => {
    const operations: Operation[] = [
      { id: 'write', invokedAt: 1, returnedAt: 2, action: { kind: 'acquire', owner: 'a', depth: 1, certain: true } },
      {
        id: 'read',
        invokedAt: 3,
        returnedAt: 4,
        action: { kind: 'acquire', owner: 'a', depth: 2, certain: true, side: 'read' },
      },
      { id: 'writer forced', invokedAt: 5, returnedAt: 15, action: { kind: 'force', from: 'writer' } },
      { id: 'readers forced', invokedAt: 5, returnedAt: 15, action: { kind: 'force', from: 'readers' } },
      { id: 'goes on reading', invokedAt: 10, returnedAt: 11, action: { kind: 'release', owner: 'a', certain: true } },
      {
        id: 'end',
        invokedAt: 20,
        returnedAt: 21,
        action: { kind: 'release', owner: 'a', certain: true, side: 'read' },
      },
    ];
    // The readers first, then the release, then the writer: neither finds anybody.
    expect(search(readWrite, operations).kind).toBe('linearizable');
  });

  it('says so when its budget does not suffice', () => {
    const { history } = goodStories['two processes in turn'];
    const verdict = checkLinearizability(history, { faultClass: faultClasses.none, budget: 3 });
    expect(verdict).toMatchObject({ undecided: ['x'], violations: [] });
  });

  it('needs hardly more steps than there are operations, however many wait', () => {
    const levels = Array.from({ length: 3_000 }, (_, i) => ({
      worker: `w${i % 60}`,
      hold: i + 1,
      ask: Math.max(0, i - 60),
      got: i + 1,
      release: i + 1.8,
      released: { at: i + 2.5, type: 'ok' as const },
    }));
    const { operations, steps, violations } = checkLinearizability(story(levels), { faultClass: faultClasses.none });
    expect(violations).toEqual([]);
    expect(steps).toBeLessThan(2 * operations);
  });
});

describe('the search', () => {
  const operation = (invokedAt: number, returnedAt: number, action: Action): Operation => ({
    id: `at ${invokedAt}`,
    invokedAt,
    returnedAt,
    action,
  });
  const acquire = (owner: string, depth = 1, token?: number): Action => ({
    kind: 'acquire',
    owner,
    depth,
    certain: true,
    ...(token === undefined ? {} : { token }),
  });
  const release = (owner: string): Action => ({ kind: 'release', owner, certain: true });

  it('goes back on a wrong guess', () => {
    // b returned first, and yet a must have had it first: b never gave it back.
    const operations = [operation(0, 10, acquire('a')), operation(0, 9, acquire('b')), operation(1, 10, release('a'))];
    expect(search(mutex, operations).kind).toBe('linearizable');
    expect(search(mutex, [...operations, operation(20, 21, acquire('c'))]).kind).toBe('not-linearizable');
  });

  it('lets what never returned take effect later or not at all', () => {
    const lost: Operation = operation(5, Infinity, { kind: 'release', owner: 'a', certain: false });
    const history = [operation(0, 1, acquire('a')), lost, operation(50, 51, acquire('b'))];
    expect(search(reentrant, history).kind).toBe('linearizable');
    expect(search(reentrant, [operation(0, 1, acquire('a')), lost, operation(2, 3, acquire('b'))]).kind).toBe(
      'not-linearizable',
    );
  });

  it('lets an unknown acquisition take a token that nobody was told', () => {
    const unknown: Operation = operation(2, Infinity, { kind: 'acquire', owner: 'g', depth: 1, certain: false });
    const history = [
      operation(0, 1, acquire('a', 1, 4)),
      operation(2, 3, release('a')),
      unknown,
      operation(4, 5, acquire('b', 1, 6)),
    ];
    expect(search(fenced, history).kind).toBe('linearizable');
  });

  it('has no explanation when the owner of an expired lease gives it back with success', () => {
    const history = [
      operation(0, 1, acquire('a')),
      operation(2, 3, { kind: 'expire', owner: 'a' }),
      operation(4, 5, release('a')),
    ];
    expect(search(mutex, history).kind).toBe('not-linearizable');
  });
});
