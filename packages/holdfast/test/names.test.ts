import { ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { ClientParts } from '../src/client-parts.js';
import { Names } from '../src/inspection/names.js';
import { turns } from './support/room.js';

it('a name is waited for until its server is connected, however often somebody looks in vain before', async () => {
  const clock = new ManualClock();
  const card = { name: 'orders', host: 'h', pid: 1, meta: {}, epochMs: 0 };
  let looks: (() => void)[] = [];
  let connection: object | undefined;
  const topology = {
    connectionTo: () => connection,
    whenReady: (_: string, resume: () => void) => {
      looks.push(resume);
      return () => undefined;
    },
  };
  const look = () => {
    const due = looks;
    looks = [];
    for (const resume of due) resume();
  };
  const parts = { clock, topology, settings: { attemptTimeoutMs: 1_000 } } as unknown as ClientParts;
  const named = new Names(parts).of('client:1.aa.0', 5);
  for (let round = 0; round < 3; round++) {
    look();
    await turns(1);
  }
  connection = { keyspace: { get: () => Promise.resolve(JSON.stringify(card)) } };
  look();
  await turns(1);
  await clock.advance(1_000);
  expect(await named).toMatchObject({ client: { name: 'orders' }, ageMs: 5 });
});

describe('of the tenures in one look', () => {
  /** Names that are all `orders`, of clients that were made at 1,000 by the time of the server. */
  function lookAt() {
    const asked: string[] = [];
    const card = JSON.stringify({ name: 'orders', host: 'h', pid: 1, meta: {}, epochMs: 1_000 });
    const get = async (key: string) => {
      asked.push(key);
      return card;
    };
    const topology = { connectionTo: () => ({ keyspace: { get } }) };
    const clock = new ManualClock();
    const names = new Names({ clock, topology, settings: { attemptTimeoutMs: 1_000 } } as unknown as ClientParts);
    return { names, asked };
  }

  it('each has the age of its own, of one client too, which is asked about once', async () => {
    const { names, asked } = lookAt();
    const stamps = [0, 300, 700].map((ms) => ms.toString(36));
    const seen = await Promise.all(stamps.map((stamp, at) => names.of(`client:${at}.aa.${stamp}`, 1_700)));
    expect(seen.map(({ ageMs }) => ageMs)).toEqual([700, 400, 0]);
    expect(asked).toHaveLength(1);
  });

  it('none is younger than 0 where the time of the server has gone back', async () => {
    expect(await lookAt().names.of('client:1.aa.0', 400)).toMatchObject({ ageMs: 0 });
  });

  it('200 clients are named and no more are asked about, but those that are known still are', async () => {
    const { names, asked } = lookAt();
    const of = async (client: number) => (await names.of(`client${client}:1.aa.0`, 1_000)).client?.name;
    const seen: (string | undefined)[] = [];
    for (let client = 0; client < 202; client++) seen.push(await of(client));
    expect(seen.filter((name) => name === 'orders')).toHaveLength(200);
    expect(asked).toHaveLength(200);
    expect(await of(0)).toBe('orders');
  });
});

it.each(['comes', 'does not come'])('a name that %s leaves no timer and no wait for its server behind', async (how) => {
  const clock = new ManualClock();
  const waiting = new Set<() => void>();
  let connection: object | undefined;
  const topology = {
    connectionTo: () => connection,
    whenReady: (_: string, resume: () => void) => {
      waiting.add(resume);
      return () => waiting.delete(resume);
    },
  };
  const parts = { clock, topology, settings: { attemptTimeoutMs: 1_000 } } as unknown as ClientParts;
  const named = new Names(parts).of('client:1.aa.0', 5);
  expect(waiting.size).toBe(1);
  if (how === 'comes') {
    connection = { keyspace: { get: () => Promise.resolve(null) } };
    for (const resume of waiting) resume();
    await turns(1);
  } else await clock.advance(1_000);
  expect(await named).toEqual({ client: undefined, ageMs: undefined });
  expect([waiting.size, clock.pendingTimers]).toEqual([0, 0]);
});
