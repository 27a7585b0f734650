/** The server at which a call was about to listen is gone and never confirms it. The name is kept by another one by now. */
import type { Command } from '@holdfast/core';
import { ReleaseBroadcast } from '@holdfast/notify';
import { ManualClock } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { expect, it } from '@jest/globals';
import type { ClientParts } from '../src/client-parts.js';
import type { Answer, AnswerListener } from '../src/connection/pending-command.js';
import { AskLoop } from '../src/tenure/ask-loop.js';
import type { AskSubject } from '../src/tenure/ask-subject.js';
import type { Demand } from '../src/tenure/demand.js';
import type { AskReply, Operations } from '../src/tenure/operations.js';
import { RedissonWakeup } from '../src/tenure/wakeup.js';
import { Lookout } from '../src/waiting/lookout.js';
import { turns } from './support/room.js';

const REASK_MS = 1_000;
const channel = 'channel';

/** Channels of one server; it hears of `subscribed` and confirms. */
function broadcastOf(confirms: boolean) {
  const subscribed: string[] = [];
  const subscribe = (name: string) => {
    subscribed.push(name);
    return confirms ? Promise.resolve() : new Promise<void>(() => undefined);
  };
  const port = { listen: () => undefined, subscribe, unsubscribe: async () => undefined };
  return { subscribed, broadcast: new ReleaseBroadcast({ port, onError: () => undefined }) };
}

function setUp<R>(reply: R) {
  const clock = new ManualClock();
  const waits = new Schedule(clock, 'keeps-process-alive', () => undefined);
  const answered = (listener: AnswerListener<R>) =>
    setImmediate(() => listener.onAnswer({ kind: 'reply', reply, sentAt: clock.now(), node: 'one' } as Answer<R>));
  const request = () => ({ whenAnswered: answered, drop: () => undefined });
  const [plain, gone, next] = [broadcastOf(true), broadcastOf(false), broadcastOf(true)];
  let keeper = gone;
  const parts = {
    clock,
    waits,
    askRounds: waits,
    random: () => 0.5,
    settings: { reaskMs: REASK_MS },
    sender: { request, roundTripMs: () => 1 },
    broadcasts: { plain: plain.broadcast, shards: { of: () => keeper.broadcast } },
  };
  const move = async () => {
    await turns(3);
    keeper = next;
    await clock.advance(1.5 * REASK_MS);
    await turns(3);
  };
  return { parts, gone, next, move };
}

it('who watches a name listens at the server that keeps it now', async () => {
  const { parts, gone, next, move } = setUp('seen');
  const scenery = { key: 'name', channel, look: () => ({}) as Command<string> };
  const listener = { onSeen: () => undefined, onFailed: () => undefined };
  const lookout = new Lookout(parts as never, scenery, listener);
  lookout.look();
  await move();
  lookout.stop();
  expect([gone.subscribed, next.subscribed]).toEqual([[channel], [channel]]);
});

it("who waits for a lock as Redisson's clients do listens at the server that keeps it now", async () => {
  const { parts, gone, next, move } = setUp<AskReply>({ kind: 'busy', left: 0, remainingMs: undefined, foreign: true });
  const inbox = { confirmed: true, register: () => undefined, unregister: () => undefined };
  const wakeup = new RedissonWakeup({ ...parts, inbox } as never);
  const operations = { key: 'name', releaseChannel: channel } as Operations;
  const subscription = wakeup.subscribe(operations, 'tenure', { onMessage: () => undefined, onGap: () => undefined });
  const wish = { listener: {}, demand: {} as Demand, subscription };
  const tenure = { id: 'tenure', operations, onBusy: () => undefined } as Partial<AskSubject> as AskSubject;
  const loop = new AskLoop({ ...parts, wakeup } as unknown as ClientParts, tenure, wish);
  loop.ask();
  await move();
  loop.stop();
  subscription.close();
  expect([gone.subscribed, next.subscribed]).toEqual([[channel], [channel]]);
});
