/** What listeners of one client are told, subscribers of `holdfast:event` are told of all clients. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LockClientEvents, LockEventMessage } from 'holdfast';
import type { TestLockClient } from 'holdfast/testing';
import { Gate, turns } from '../support/room.js';
import { useTestClients } from '../support/test-clients.js';

const open = useTestClients();
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** The messages about one client, as its listeners would be told. */
function hear(client: TestLockClient): (readonly [event: string, detail: unknown])[] {
  const heard: (readonly [string, unknown])[] = [];
  const note = (message: unknown) => {
    const { clientId, event, detail } = message as LockEventMessage;
    if (clientId === client.clientId) heard.push([event, detail]);
  };
  subscribe('holdfast:event', note);
  ends.push(() => unsubscribe('holdfast:event', note));
  return heard;
}

/** Two flows, each of which wants what the other has. */
async function crossed(client: TestLockClient): Promise<unknown> {
  const [hasX, hasY] = [new Gate(), new Gate()];
  const giveUp = new AbortController();
  const flow = (own: string, has: Gate, others: Gate, wanted: string) =>
    client.getLock(own).withLock(async () => {
      has.open();
      await others.opened;
      await client.getLock(wanted).withLock({ signal: giveUp.signal }, () => undefined);
    });
  const flows = Promise.allSettled([flow('x', hasX, hasY, 'y'), flow('y', hasY, hasX, 'x')]);
  while (client.stats().acquisitions.tried < 4) await turns();
  await client.advance(20);
  giveUp.abort();
  for (let steps = 0; steps < 20; steps++) await client.advance(20);
  return flows;
}

/** All that a client in memory can be brought to tell. */
async function trouble(client: TestLockClient): Promise<void> {
  await crossed(client);
  const hold = await client.getLock('long').acquire();
  await client.advance(15_000);
  await client.lose('long', 'deleted');
  await hold.release().catch(() => undefined);
  await client.run(() => client.getLock('left').lock());
  const cut = await client.getLock('cut').acquire();
  const gone = client.outage(40_000);
  await client.advance(40_000);
  await gone;
  await cut.release().catch(() => undefined);
}

describe('events of clients are published', () => {
  it('with what listeners are told, whether there are any or not', async () => {
    const told: (readonly [string, unknown])[] = [];
    const client = open({ heldWarnMs: 10_000 });
    const events = ['lost', 'suspect', 'leak', 'held-long', 'self-wait', 'deadlock', 'error'] as const;
    for (const event of events)
      client.on(event, (detail: LockClientEvents[typeof event][0]) => void told.push([event, detail]));
    const heard = hear(client);
    await trouble(client);
    expect(heard).toEqual(told);
    expect(new Set(told.map(([event]) => event))).toEqual(
      new Set(['deadlock', 'held-long', 'lost', 'leak', 'suspect', 'error']),
    );
    const unheard = open({ heldWarnMs: 10_000 });
    const messages = hear(unheard);
    await trouble(unheard);
    expect(messages.map(([event]) => event)).toEqual(told.map(([event]) => event));
  });

  it('to subscribers that silence no warning: these are for clients without a listener', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    ends.push(() => warn.mockRestore());
    const client = open();
    hear(client);
    await crossed(client);
    await client.run(() => client.getLock('left').lock());
    const codes = warn.mock.calls.map(([, options]) => (options as { code?: string }).code);
    expect(codes).toEqual(['HOLDFAST_DEADLOCK', 'HOLDFAST_LEAK']);
  });
});
