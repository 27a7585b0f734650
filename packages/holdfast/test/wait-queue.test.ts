import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Waiter } from '../src/waiting/waiter.js';
import type { HoldRecord } from '../src/exclusive/hold-record.js';
import { Limits } from '../src/waiting/limits.js';
import { WaitQueue } from '../src/waiting/wait-queue.js';
import type { Settings } from '../src/options.js';
import type { Reporter } from '../src/reports/reporter.js';
import { Scope } from '../src/scopes/scope.js';

const client = {};
const newScope = (parent?: Scope) => new Scope('thread', client, parent);
const newLine = () => new WaitQueue(new Limits({} as Settings['limits'], {} as Reporter));
const levelOf = (...scopes: Scope[]) => ({ owner: undefined, scopes }) as unknown as HoldRecord;

/** Looks at any call, and at anything of it. */
let looks = 0;
beforeEach(() => {
  looks = 0;
});

function callIn(scope: Scope | undefined, owner?: string): Waiter {
  const call = {
    request: { scope, owner },
    once: false,
    number: 0,
    indexEntries: [],
    ahead: undefined,
    behind: undefined,
  };
  const count = { get: (...args: Parameters<typeof Reflect.get>) => (looks++, Reflect.get(...args) as unknown) };
  return new Proxy(call, count as ProxyHandler<typeof call>) as unknown as Waiter;
}

describe('the first in line that is inside a record', () => {
  it('is found in as many steps among ten thousand runs as among ten', () => {
    const looksAmong = (others: number) => {
      const line = newLine();
      const around = newScope();
      for (let i = 0; i < others; i++) line.add(callIn(newScope(newScope())));
      const inside = callIn(newScope(around));
      line.add(inside);
      // The first search looks at each call once, to make the index.
      line.firstInside(levelOf(around));
      looks = 0;
      expect(line.firstInside(levelOf(newScope()))).toBeUndefined();
      expect(line.firstInside(levelOf(around))).toBe(inside);
      expect(line.remove(inside)).toBe(true);
      expect(line.firstInside(levelOf(around))).toBeUndefined();
      line.add(inside);
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
    const line = newLine();
    for (const call of calls) line.add(call);
    const seen: unknown[] = [];
    for (let next = line.firstInside(levelOf(one, other)); next !== undefined; ) {
      seen.push(next);
      line.remove(next);
      next = line.firstInside(levelOf(one, other));
    }
    expect(seen).toEqual(calls.slice(1));
    expect([...line]).toEqual(calls.slice(0, 1));
  });

  it('is the one that was sent back, before all that were there', () => {
    const scope = newScope();
    const line = newLine();
    const [first, second] = [callIn(scope), callIn(scope)];
    line.add(second);
    line.putBack(first);
    expect(line.firstInside(levelOf(scope))).toBe(first);
    expect(line.first).toBe(first);
  });

  it('is of the owner of the record, whatever its scope', () => {
    const line = newLine();
    const mine = callIn(undefined, 'me');
    for (const call of [callIn(newScope()), callIn(undefined, 'you'), mine]) line.add(call);
    expect(line.firstInside({ owner: 'me', scopes: [] } as unknown as HoldRecord)).toBe(mine);
  });
});

describe('a call that gets the lock without a wait', () => {
  it('is put into no index: its scopes are not even looked at', () => {
    const line = newLine();
    const request = { scope: newScope(newScope()), owner: undefined };
    let reads = 0;
    const scope = Object.defineProperty({ ...request }, 'scope', { get: () => (reads++, request.scope) });
    const call = { request: scope, once: false, number: 0, indexEntries: [], until: Infinity } as unknown as Waiter;
    line.add(call);
    expect(line.first).toBe(call);
    line.remove(call);
    expect(line.firstInside(levelOf(newScope()))).toBeUndefined();
    expect(reads).toBe(0);
  });
});

describe('the end of the longest wait in a line', () => {
  const waiting = (until: number, once = false) =>
    ({
      request: { scope: undefined, owner: undefined },
      once,
      number: 0,
      indexEntries: [],
      until,
    }) as unknown as Waiter;

  it('is that of the most patient call, whichever calls come and go; an attempt does not wait', () => {
    const line = newLine();
    const [short, long, attempt] = [waiting(10), waiting(30), waiting(99, true)];
    expect(line.until).toBe(-Infinity);
    for (const call of [short, long, attempt]) line.add(call);
    expect(line.until).toBe(30);
    line.remove(long);
    expect(line.until).toBe(10);
    line.putBack(long);
    expect(line.until).toBe(30);
    line.remove(short);
    line.remove(long);
    expect(line.until).toBe(-Infinity);
  });
});
