import { ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
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
