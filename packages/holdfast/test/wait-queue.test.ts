import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Waiter } from '../src/waiting/waiter.js';
import { originsOf } from '../src/exclusive/reentry.js';
import type { HoldRecord } from '../src/exclusive/hold-record.js';
import { Limits } from '../src/waiting/limits.js';
import { WaitQueue } from '../src/waiting/wait-queue.js';
import type { Settings } from '../src/settings.js';
import type { Reporter } from '../src/reports/reporter.js';
import { Scope } from '../src/scopes/scope.js';

const client = {};
const newScope = (parent?: Scope) => new Scope('thread', client, parent);
const newQueue = () => new WaitQueue(new Limits({} as Settings['limits'], {} as Reporter), { originsOf });
const recordOf = (...scopes: Scope[]) => ({ owner: undefined, scopes }) as unknown as HoldRecord;

/** Looks at any call, and at anything of it. */
let looks = 0;
beforeEach(() => {
  looks = 0;
});

function callIn(scope: Scope | undefined, owner?: string): Waiter {
  const call = {
    request: { scope, owner },
    singleAttempt: false,
    number: 0,
    indexEntries: [],
    ahead: undefined,
    behind: undefined,
  };
  const count = { get: (...args: Parameters<typeof Reflect.get>) => (looks++, Reflect.get(...args) as unknown) };
  return new Proxy(call, count as ProxyHandler<typeof call>) as unknown as Waiter;
}

describe('the first in the queue that is inside a record', () => {
  it('is found in as many steps among ten thousand runs as among ten', () => {
    const looksAmong = (others: number) => {
      const queue = newQueue();
      const around = newScope();
      for (let i = 0; i < others; i++) queue.addLast(callIn(newScope(newScope())));
      const inside = callIn(newScope(around));
      queue.addLast(inside);
      // The first search looks at each call once, to make the index.
      queue.firstInside(recordOf(around));
      looks = 0;
      expect(queue.firstInside(recordOf(newScope()))).toBeUndefined();
      expect(queue.firstInside(recordOf(around))).toBe(inside);
      expect(queue.remove(inside)).toBe(true);
      expect(queue.firstInside(recordOf(around))).toBeUndefined();
      queue.addLast(inside);
      return looks;
    };
    expect(looksAmong(10_000)).toBe(looksAmong(10));
  });

  it('is the one that came first, whichever of the scopes of the record it is in, and however deep', () => {
    const [one, other, stranger] = [newScope(), newScope(), newScope()];
    const calls = [
      callIn(stranger),
      callIn(newScope(newScope(other))),
      callIn(one),
      callIn(newScope(one)),
      callIn(other),
    ];
    const queue = newQueue();
    for (const call of calls) queue.addLast(call);
    // By their places: Jest writes no report of calls that differ, which lead back to themselves.
    const seen: number[] = [];
    for (let next = queue.firstInside(recordOf(one, other)); next !== undefined; ) {
      seen.push(calls.indexOf(next));
      queue.remove(next);
      next = queue.firstInside(recordOf(one, other));
    }
    expect(seen).toEqual([1, 2, 3, 4]);
    expect([...queue]).toEqual(calls.slice(0, 1));
  });

  it('is the one that was sent back, before all that were there', () => {
    const scope = newScope();
    const queue = newQueue();
    const [first, second] = [callIn(scope), callIn(scope)];
    queue.addLast(second);
    queue.addFirst(first);
    expect(queue.firstInside(recordOf(scope))).toBe(first);
    expect(queue.first).toBe(first);
  });

  it('is the one that was sent back, also when the others had been looked through before', () => {
    const [scope, stranger] = [newScope(), newScope()];
    const queue = newQueue();
    const [first, second] = [callIn(newScope(scope)), callIn(stranger)];
    queue.addLast(second);
    expect(queue.firstInside(recordOf(scope))).toBeUndefined();
    queue.addFirst(first);
    // Not compared by Jest, which writes no report of calls that differ.
    expect(queue.firstInside(recordOf(scope)) === first).toBe(true);
    queue.remove(first);
    expect(queue.firstInside(recordOf(scope))).toBeUndefined();
  });

  it('is of the owner of the record, whatever its scope', () => {
    const queue = newQueue();
    const mine = callIn(undefined, 'me');
    for (const call of [callIn(newScope()), callIn(undefined, 'you'), mine]) queue.addLast(call);
    expect(queue.firstInside({ owner: 'me', scopes: [] } as unknown as HoldRecord)).toBe(mine);
  });
});

describe('a call that gets the lock without a wait', () => {
  it('is put into no index: its scopes are not even looked at', () => {
    const queue = newQueue();
    const request = { scope: newScope(newScope()), owner: undefined };
    let reads = 0;
    const scope = Object.defineProperty({ ...request }, 'scope', { get: () => (reads++, request.scope) });
    const call = {
      request: scope,
      singleAttempt: false,
      number: 0,
      indexEntries: [],
      until: Infinity,
    } as unknown as Waiter;
    queue.addLast(call);
    expect(queue.first).toBe(call);
    queue.remove(call);
    expect(queue.firstInside(recordOf(newScope()))).toBeUndefined();
    expect(reads).toBe(0);
  });
});

describe('the demand of a queue', () => {
  const terms = { mode: 'watched', leaseMs: 100, maxHoldMs: undefined };
  const waiting = (until: number, singleAttempt = false) =>
    ({
      request: { scope: undefined, owner: undefined, terms },
      singleAttempt,
      number: 0,
      indexEntries: [],
      until,
    }) as unknown as Waiter;

  it('lasts as long as its most patient call, whichever calls come and go; an attempt does not wait', () => {
    const queue = newQueue();
    const [short, long, attempt] = [waiting(10), waiting(30), waiting(99, true)];
    expect(queue.demand?.patientUntil).toBeUndefined();
    for (const call of [short, long, attempt]) queue.addLast(call);
    expect(queue.demand?.patientUntil).toBe(30);
    queue.remove(long);
    expect(queue.demand?.patientUntil).toBe(10);
    queue.addFirst(long);
    expect(queue.demand?.patientUntil).toBe(30);
    queue.remove(short);
    queue.remove(long);
    expect(queue.demand).toEqual({ terms, patientUntil: -Infinity });
    queue.remove(attempt);
    expect(queue.demand).toBeUndefined();
  });
});
