import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import {
  batches,
  batchLimitMs,
  casesFor,
  type Encounter,
  encounter,
  ending,
  everySpeaker,
  faultsOf,
  type Speaker,
} from '../support/hostile-clients.js';
import type { Hostility } from '../support/hostile-server.js';
import { array, bulk, number, push } from '../support/resp.js';

/**
 * A server that is hostile to the connection that listens: in its answer to SUBSCRIBE, and in what it says there later. A message only says
 * "look", so that none of it may open a lock, close one, or keep a call hanging.
 *
 * Left out is what ioredis itself does not survive: some frames make it throw where nobody can catch it, with or without holdfast (5.4.2 and
 * 6.0.0). Those are answers to SUBSCRIBE, and from ioredis 6 on pushes, that name no channel: null, a number, an array of less than two items.
 */
const kit = useRedis();

const responseTimeoutMs = 600;
const options = { responseTimeoutMs, watchdogTimeoutMs: 5_000, reaskMs: 100, claimLeaseMs: 400 };
const waitMs = 400;

const withoutChannel = new Set([
  ...['an integer', 'null', 'a null array', 'an empty array', 'an array of null', 'a boolean', 'no value'],
  ...[
    'a long text',
    'a thousand levels of arrays',
    'an answer too many',
    'a push of nothing',
    'the question, and nothing else',
  ],
  'pushes of junk, then junk',
]);

/** Everything goes on without messages: what is free is had, what is busy is busy. */
const everyCall = (client: LockClient) => ({
  'a wait': ending(waitMs, () => client.getLock('busy').tryLock(waitMs)),
  'a free lock': ending(responseTimeoutMs, async () => !(await client.getLock('free').tryWithLock({}, () => 1)).ran),
});

async function faultsOfSubscribing(speaker: Speaker, hostility: Hostility): Promise<string[]> {
  const { server, client, end } = await encounter(kit, speaker, options);
  server.hostileTo(['subscribe'], hostility);
  const found = await faultsOf(everyCall(client));
  await waitUntil(() => server.asked('subscribe') > 0, { what: 'it subscribes' });
  found.push(...(await faultsOf(everyCall(client))));
  if (server.asked('subscribe') > 1_000) found.push(`${server.asked('subscribe')} times it was tried to subscribe`);
  return [...found, ...(await end())];
}

describe.each(everySpeaker)('$title: locks work, without messages, when SUBSCRIBE', (speaker) => {
  const cases = casesFor(speaker).filter(([title]) => !withoutChannel.has(title));
  it.each(batches(cases))(
    'is told $told',
    async ({ part }) => {
      driveTime(kit).flow(5);
      const outcomes = await Promise.all(
        part.map(async ([title, hostility]) => ({ title, faults: await faultsOfSubscribing(speaker, hostility) })),
      );
      expect(outcomes).toEqual(part.map(([title]) => ({ title, faults: [] })));
    },
    batchLimitMs,
  );
});

/** Frames for the connection that listens, by its channel and the id of whoever waits or holds. */
type Frames = (channel: string, tenure: string, kind: typeof array | typeof push) => string;

const text =
  (make: (tenure: string) => string): Frames =>
  (channel, tenure, kind) =>
    kind(bulk('message'), bulk(channel), bulk(make(tenure)));
const raw =
  (frame: string): Frames =>
  () =>
    frame;
const soon = () => Date.now() + 300;
const inAYear = () => Date.now() + 365 * 24 * 3_600_000;

const messages: readonly [string, Frames][] = [
  ['nothing', text(() => '')],
  ['spaces', text(() => '   ')],
  ['a megabyte', text(() => `1 grant ${'x'.repeat(1_000_000)} 1 1 1 -`)],
  ['control characters', text((tenure) => `1 grant ${tenure}\r\n\u0000 ${soon()} ${Date.now()} 0 -`)],
  ['a number for a text', (channel, _, kind) => kind(bulk('message'), bulk(channel), number(7))],
  ['null for a text', (channel, _, kind) => kind(bulk('message'), bulk(channel), '$-1\r\n')],
  ['an array for a text', (channel, _, kind) => kind(bulk('message'), bulk(channel), array(number(1), bulk('x')))],
  ['an unknown version', text((tenure) => `2 grant ${tenure} ${soon()} ${Date.now()} 0 -`)],
  ['an unknown kind', text((tenure) => `1 gift ${tenure}`)],
  ['another prototype', text((tenure) => `1 __proto__ ${tenure} constructor`)],
  ['a grant for nobody', text(() => `1 grant nobody:1 ${soon()} ${Date.now()} 0 -`)],
  ['a grant that is over', text((tenure) => `1 grant ${tenure} ${Date.now() - 1} ${Date.now() - 400} 0 -`)],
  ['a grant from the beginning of time', text((tenure) => `1 grant ${tenure} 0 0 0 -`)],
  ['a grant for a year', text((tenure) => `1 grant ${tenure} ${inAYear()} ${Date.now()} 0 -`)],
  ['a grant for ever', text((tenure) => `1 grant ${tenure} ${Number.MAX_SAFE_INTEGER} ${Date.now()} 0 -`)],
  ['a grant beyond what is safe', text((tenure) => `1 grant ${tenure} 9007199254740993 1 0 -`)],
  ['a grant until NaN', text((tenure) => `1 grant ${tenure} NaN ${Date.now()} 0 -`)],
  ['a grant until infinity', text((tenure) => `1 grant ${tenure} Infinity 1e3 0 -`)],
  ['a grant with signs', text((tenure) => `1 grant ${tenure} +${soon()} -1 -0 -`)],
  // Words behind the known fields are those of a later version (ADR 20). An empty one is damage.
  [
    'a grant with an empty field behind the others',
    text((tenure) => `1 grant ${tenure} ${soon()} ${Date.now()} 0 -  x`),
  ],
  ['a grant with fields too few', text((tenure) => `1 grant ${tenure} ${soon()}`)],
  ['a notice for nobody', text(() => '1 contended nobody:1')],
  ['a loss of nobody', text(() => '1 lost nobody:1 force-unlocked')],
  ['a loss without reason', text((tenure) => `1 lost ${tenure}`)],
  ['a message on another channel', (_, tenure, kind) => kind(bulk('message'), bulk('x'), bulk(`1 lost ${tenure} x`))],
  ['that it subscribed to another channel', (_, __, kind) => kind(bulk('subscribe'), bulk('x'), number(2))],
  ['that it unsubscribed', (channel, _, kind) => kind(bulk('unsubscribe'), bulk(channel), number(0))],
  ['a status', raw('+OK\r\n')],
  ['an error', raw('-ERR nobody asked\r\n')],
  ['the header of a text of ten gigabytes', raw('$9999999999\r\n')],
  ['the header of an array of two billion', raw('*2000000000\r\n')],
  ['bytes that are no protocol', raw('\u0000HTTP/1.1 400 Bad Request\r\n\r\n')],
];

const pushes: readonly [string, Frames][] = [
  ['a push of nothing', raw(push())],
  ['a push of a kind nobody knows', raw(push(bulk('weather'), '#t\r\n', '_\r\n', ',nan\r\n'))],
  ['a push that keys are invalid', raw(push(bulk('invalidate'), array(bulk('busy'))))],
  ['a push inside a push', raw(push(bulk('weather'), push(bulk('message'), bulk('x'))))],
  ['a huge push', raw(push(bulk('weather'), ...Array.from({ length: 20_000 }, () => number(7))))],
  ['the header of a push of two billion', raw('>2000000000\r\n')],
];

/** Sent twice, for each tenure there is, of the hold and of the wait, and for one that there is not. */
function tell({ server, client }: Encounter, frames: Frames): void {
  const tenures = [...server.tenures, `${client.clientId}:3`];
  for (const tenure of [...tenures, ...tenures]) server.tell((channel, kind) => frames(channel, tenure, kind));
}

async function faultsOfListening(speaker: Speaker, frames: Frames): Promise<string[]> {
  const meeting = await encounter(kit, speaker, options);
  const { server, client, end } = meeting;
  const hold = await client.getLock('held').acquire();
  const wait = ending(waitMs, () => client.getLock('busy').tryLock(waitMs));
  // The second ask of the wait: it knows the server's clock, and could believe a grant.
  await waitUntil(() => server.listeners > 0 && server.asked('ask') >= 3, { what: 'it listens and waits' });
  tell(meeting, frames);
  const found = await faultsOf({ 'a wait that had begun': wait, ...everyCall(client) });
  if (hold.state === 'lost') found.push('a hold is lost');
  await hold.release();
  return [...found, ...(await end())];
}

describe.each(everySpeaker)('$title: no lock is had and none lost when the inbox', (speaker) => {
  it.each(batches(speaker.protocol === 3 ? [...messages, ...pushes] : messages))(
    'hears $told',
    async ({ part }) => {
      driveTime(kit).flow(5);
      const outcomes = await Promise.all(
        part.map(async ([title, frames]) => ({ title, faults: await faultsOfListening(speaker, frames) })),
      );
      expect(outcomes).toEqual(part.map(([title]) => ({ title, faults: [] })));
    },
    batchLimitMs,
  );
});
