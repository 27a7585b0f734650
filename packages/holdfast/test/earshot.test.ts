import { expect, it } from '@jest/globals';
import { Earshot } from '../src/connection/earshot.js';

const CHANNEL = 'holdfast_inbox:me';

/** A client whose time is driven. `answers`: how many the server of the commands knows to listen, one for each time it is asked; the last one stays. */
function world(
  answers: (number | Error | 'never')[],
  {
    trustsReceivers = true,
    hears = (): boolean => true,
    openInbox = undefined as (() => Promise<void>) | undefined,
  } = {},
) {
  let now = 0;
  const due: { time: number; action: () => void }[] = [];
  const seen = { asked: 0, reconnected: [] as number[], errors: [] as string[] };
  const listeners = async () => {
    seen.asked++;
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) as (typeof answers)[number];
    if (answer === 'never') return new Promise<never>(() => undefined);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const earshot = new Earshot({
    topology: { trustsReceivers, keyspaces: [{ listeners }] } as never,
    channel: CHANNEL,
    inbox: { open: openInbox ?? (async () => earshot.onConfirmed(CHANNEL)) },
    subscriber: {
      hears,
      reconnect: () => {
        seen.reconnected.push(now);
        earshot.onConfirmed(CHANNEL);
      },
    },
    tools: {
      after: (ms, action) => {
        const item = { time: now + ms, action };
        due.push(item);
        return { cancel: () => due.splice(due.indexOf(item), due.includes(item) ? 1 : 0) };
      },
      onError: (_, error) => seen.errors.push((error as Error).message),
    },
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    const end = now + ms;
    await settle();
    for (;;) {
      const next = due.filter(({ time }) => time <= end).toSorted((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      due.splice(due.indexOf(next), 1);
      now = next.time;
      next.action();
      await settle();
    }
    now = end;
  };
  return { earshot, seen, due, pass };
}

it('a client that is heard asks once, and leaves its connection as it is', async () => {
  const { earshot, seen, pass } = world([1]);
  earshot.onConfirmed(CHANNEL);
  await pass(60_000);
  expect(seen).toEqual({ asked: 1, reconnected: [], errors: [] });
});

it('a client that is not heard makes its connection anew until it is, and says nothing when that was soon', async () => {
  const { earshot, seen, pass } = world([0, 1]);
  earshot.check();
  await pass(60_000);
  expect(seen).toEqual({ asked: 2, reconnected: [0], errors: [] });
});

it('where two connections never meet, the pauses grow to five seconds, and it is told', async () => {
  const { earshot, seen, pass } = world([0]);
  earshot.check();
  await pass(16_000);
  expect(seen.reconnected).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300]);
  expect(seen.errors[0]).toMatch(/its address lead to several servers/);
});

it('a server that does not say who listens is asked again, once in ten seconds however often there was a reason', async () => {
  const { earshot, seen, pass } = world([new Error('NOPERM')]);
  for (let times = 0; times < 3; times++) {
    earshot.check();
    await pass(10);
  }
  await pass(29_000);
  expect(seen).toEqual({ asked: 5, reconnected: [], errors: [] });
});

it.each([
  ['in a Cluster, where every server hears all', { trustsReceivers: false }],
  ['while the inbox is not subscribed', { hears: () => false }],
])('nothing is asked %s', async (_, how) => {
  const { earshot, seen, pass } = world([0], how);
  earshot.check();
  earshot.onConfirmed(CHANNEL);
  earshot.onConfirmed('another');
  await pass(60_000);
  expect(seen.asked).toBe(0);
});

it('a question that is never answered, as one that a client of yours has forgotten with its connection, keeps no other from being asked', async () => {
  const { earshot, seen, pass } = world(['never', 0, 1]);
  earshot.check();
  await pass(1_000);
  earshot.check();
  await pass(10_000);
  expect(seen).toEqual({ asked: 3, reconnected: [10_000], errors: [] });
});

it('a client that listens to a channel of many opens its inbox, too, and asks who listens to that: whoever else hears the other one', async () => {
  const { earshot, seen, pass } = world([0, 1]);
  earshot.onConfirmed('redisson_countdownlatch__channel__{parts}');
  await pass(60_000);
  expect(seen).toEqual({ asked: 2, reconnected: [0], errors: [] });
});

it('a client that may not listen to its inbox tries once on each connection, whatever else it listens to', async () => {
  let tries = 0;
  const refused = async () => {
    tries++;
    throw new Error('NOPERM');
  };
  const { earshot } = world([1], { openInbox: refused });
  for (const _ of [1, 2]) {
    for (const part of ['a', 'b']) earshot.onConfirmed(part);
    earshot.onLost();
  }
  expect(tries).toBe(2);
});

it('a client that is closed while it waits for the answer leaves no timer', async () => {
  let open = true;
  const { earshot, due, pass } = world([new Error('Connection is closed.')], { hears: () => open });
  earshot.check();
  open = false;
  await pass(0);
  expect(due).toEqual([]);
});
