/** For whom a reader waits that stands behind a writer, when news come in any order. */
import { describe, expect, it } from '@jest/globals';
import type { LockParts } from '../src/client-parts.js';
import { HoldRecord } from '../src/exclusive/hold-record.js';
import type { LockHome } from '../src/exclusive/lock.js';
import { Scope } from '../src/scopes/scope.js';
import { judge } from '../src/waiting/deadlock.js';
import type { Waiter } from '../src/waiting/waiter.js';

type Side = 'read' | 'write';
const client = {};
const parts = { reporter: { deadlock: () => undefined }, settings: { deadlocks: 'refuse' } } as unknown as LockParts;

/** A section that holds a lock. */
function sectionOn(name: string, side?: Side): { scope: Scope; hold: HoldRecord } {
  const terms = { mode: 'watched', leaseMs: 30_000, maxHoldMs: undefined } as const;
  const origin = { terms, owner: undefined, side, kind: 'section', site: undefined, context: undefined } as const;
  const hold = new HoldRecord({ name, check: () => undefined } as never, origin, { kind: 'open', how: 'asked' });
  const scope = new Scope('section', client, undefined);
  scope.own(hold);
  return { scope, hold };
}

function callFor(name: string, side?: Side, scope?: Scope): Waiter {
  const request = { name, side, scope, entry: () => undefined };
  return { name, request, inQueue: true, refuse: () => undefined } as unknown as Waiter;
}

/** What becomes of a reader's call for the account, in which another waits to read: with these in when that one came. */
function verdictOn(section: ReturnType<typeof sectionOn>, inBefore: readonly HoldRecord[]): string {
  const account = sectionOn('account');
  const writer = callFor('book', 'write');
  const waiting: Waiter[] = [writer];
  let readers = inBefore;
  const home: LockHome = {
    closing: false,
    dismiss: () => undefined,
    granted: () => undefined,
    heldHere: (name) => (name === 'book' ? readers : [account.hold]),
    waitingHere: (name) => (name === 'book' ? waiting : []),
  };
  const behind = callFor('book', 'read', account.scope);
  behind.standsBehind = { writer, readers };
  judge(behind, home, parts);
  waiting.push(behind);
  readers = [section.hold];
  return judge(callFor('account', undefined, section.scope), home, parts);
}

describe('a reader behind a writer', () => {
  it('waits for a reader who was in when it came', () => {
    const section = sectionOn('book', 'read');
    expect(verdictOn(section, [section.hold])).toBe('refused');
  });

  it('may have been let in with one of whom is heard later, and does not wait for that one', () => {
    expect(verdictOn(sectionOn('book', 'read'), [sectionOn('book', 'read').hold])).toBe('waits');
  });
});
