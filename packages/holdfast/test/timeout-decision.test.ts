/** The table of `waiting/timeout-decision.ts`, row by row. */

import { describe, expect, it } from '@jest/globals';
import { type TimeoutSituation, decideAtTimeout } from '../src/waiting/timeout-decision.js';
import { resolveSettings } from '../src/settings.js';

const settings = resolveSettings({ redis: 'redis://127.0.0.1', attemptTimeoutMs: 100, responseTimeoutMs: 1_000 });

const now = 10_000;
const connected = (silentMs: number) => ({ reach: { state: 'connected' as const, silentMs } });
const connecting = (silentMs: number) => ({ reach: { state: 'connecting' as const, silentMs } });

const unlimited = { joinedAt: now - 1_000, until: Number.POSITIVE_INFINITY, singleAttempt: false };
const attempt = { joinedAt: now - 100, until: now - 100, singleAttempt: true };
const short = { joinedAt: now - 5, until: now, singleAttempt: false };
const long = { joinedAt: now - 500, until: now, singleAttempt: false };

const decisionOn = (call: Partial<TimeoutSituation>, known: Partial<TimeoutSituation>) =>
  decideAtTimeout(
    {
      now,
      joinedAt: now,
      until: now,
      singleAttempt: false,
      confirmingSince: undefined,
      heldHere: false,
      busyAt: undefined,
      unansweredSince: call.joinedAt,
      setback: false,
      ...connected(0),
      ...call,
      ...known,
    },
    settings,
  );

const verdictOf = (call: Partial<TimeoutSituation>, known: Partial<TimeoutSituation>) => decisionOn(call, known).kind;

describe('a call whose time is over is told', () => {
  it.each<[what: string, known: Partial<TimeoutSituation>, expected: [string, string, string, string]]>([
    ['the lock is held here', { heldHere: true }, ['busy', 'busy', 'busy', 'wait']],
    ['it was busy a moment ago', { busyAt: now - 150, unansweredSince: undefined }, ['busy', 'busy', 'busy', 'wait']],
    [
      'it was busy a moment ago, and the connection broke',
      { busyAt: now - 150, reach: { state: 'down' } },
      ['busy', 'busy', 'busy', 'unavailable'],
    ],
    [
      'the connection is down',
      { reach: { state: 'down' } },
      ['unavailable', 'unavailable', 'unavailable', 'unavailable'],
    ],
    ['the server cannot serve now', { setback: true }, ['unavailable', 'unavailable', 'unavailable', 'unavailable']],
    ['an answer has been owed for long', connected(100), ['unavailable', 'unavailable', 'unavailable', 'unavailable']],
    [
      'the connection has been owed for long',
      connecting(100),
      ['unavailable', 'unavailable', 'unavailable', 'unavailable'],
    ],
    [
      'an answer has been owed for long, and was asked for again on another connection',
      { resentSince: now - 500, ...connected(0) },
      ['unanswered', 'unavailable', 'unavailable', 'unavailable'],
    ],
    ['the connection is being made', connecting(20), ['unanswered', 'wait', 'unanswered', 'unavailable']],
    ['an answer is owed for a moment', connected(20), ['unanswered', 'wait', 'unanswered', 'unavailable']],
    [
      'an answer is owed for a moment, and it was given time for that before',
      { isLate: true, ...connected(20) },
      ['unanswered', 'unanswered', 'unanswered', 'unavailable'],
    ],
    ['nothing has been asked yet', { unansweredSince: undefined }, ['unanswered', 'unanswered', 'unanswered', 'wait']],
    [
      'its own re-entry is owed for a moment',
      { heldHere: true, confirmingSince: now - 20, ...connected(20) },
      ['unanswered', 'wait', 'unanswered', 'wait'],
    ],
  ])('when %s', (_, known, expected) => {
    expect([short, attempt, long, unlimited].map((call) => verdictOf(call, known))).toEqual(expected);
  });

  it.each<[what: string, known: Partial<TimeoutSituation>]>([
    ['the connection is down', { reach: { state: 'down' } }],
    ['an answer is owed', connected(100)],
  ])('how long Redis has been silent, and not how long the call has lasted: %s', (_, known) => {
    const joinedAt = now - 20_000;
    const silentFor = (busyAt: number | undefined) => decisionOn({ joinedAt }, { busyAt, ...known });
    expect(silentFor(now - 4_000)).toEqual({ kind: 'unavailable', silentMs: 4_000 });
    expect(silentFor(joinedAt - 1_000)).toEqual({ kind: 'unavailable', silentMs: 20_000 });
    expect(silentFor(undefined)).toEqual({ kind: 'unavailable', silentMs: 20_000 });
  });
});
