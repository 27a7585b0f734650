/** A call that asks when no message can reach it takes no place in the queue. Where its inbox is opened before the answer, no message says so later. */
import { ManualClock } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { expect, it } from '@jest/globals';
import type { ClientParts } from '../src/client-parts.js';
import type { AnswerListener, RequestSource } from '../src/connection/pending-command.js';
import { AskLoop } from '../src/tenure/ask-loop.js';
import type { AskSubject } from '../src/tenure/ask-subject.js';
import type { Demand } from '../src/tenure/demand.js';
import type { AskOptions, AskReply } from '../src/tenure/operations.js';
import type { WakeupSubscription } from '../src/tenure/wakeup.js';

const busy: AskReply = { kind: 'busy', left: 0, remainingMs: 30_000, foreign: false };

it('a waiter whose inbox was opened before the answer to its first ask came joins the queue at once', () => {
  const clock = new ManualClock();
  const waits = new Schedule(clock, 'background', () => undefined);
  const asked: AskOptions[] = [];
  const unanswered: AnswerListener<AskReply>[] = [];
  const request = (_: string, source: RequestSource<AskReply>) => {
    source.build(clock.now());
    return { whenAnswered: (listener: AnswerListener<AskReply>) => unanswered.push(listener), drop: () => undefined };
  };
  const settings = { reaskMs: 20_000, claimLeaseMs: 30_000 };
  const parts = { clock, waits, askRounds: waits, random: () => 0.5, settings, sender: { request } };
  const operations = { key: 'name', ask: (_: string, options: AskOptions) => asked.push(options) };
  const tenure = { id: 'tenure', operations, onAsk: () => undefined, onBusy: () => undefined };
  const subscription = { mayQueue: false, open: false, pauseMs: () => settings.reaskMs };
  const demand = { terms: { leaseMs: 30_000 }, patientUntil: Number.POSITIVE_INFINITY } as Demand;
  const loop = new AskLoop(parts as unknown as ClientParts, tenure as unknown as AskSubject, {
    listener: {},
    demand,
    subscription: subscription as unknown as WakeupSubscription,
  });
  loop.ask();
  Object.assign(subscription, { mayQueue: true, open: true });
  unanswered[0]?.onAnswer({ kind: 'reply', reply: busy, sentAt: clock.now(), node: 'one' });
  expect(asked.map(({ freshMs }) => freshMs > 0)).toEqual([false, true]);
  loop.stop();
});
