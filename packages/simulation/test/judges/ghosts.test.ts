import { type Call, permits, semaphoreKeys } from '@holdfast/core';
import { expect, it } from '@jest/globals';
import { GhostJudge } from '../../src/judges/ghosts.js';

const keys = semaphoreKeys('desks');
const granting = { claimMs: 100, trust: true };
const tenure = 'client:1.secret';
const ask = permits.ask(keys, {
  ...{ tenure, wanted: 1, leaseMs: 1_000, freshMs: 0, ticket: 0, freshTtlMs: 1_000, initial: 0 },
  ...granting,
});

/** As it is sent. */
const request = ({ script, keys: of, args }: Call<unknown>) =>
  ['EVALSHA', script.sha, `${of.length}`, ...of, ...args, 'question'].map(String);

function court() {
  const found: string[] = [];
  const records = new Map<string, string>();
  const server = {
    keysOf: () => ({ find: (key: string) => (key === keys.permits ? { value: records } : undefined) }),
  } as unknown as Parameters<GhostJudge['executed']>[1];
  const judge = new GhostJudge(({ rule, text }) => found.push(`${rule}: ${text}`));
  return { found, records, executed: (call: Call<unknown>) => judge.executed(0, server, request(call)) };
}

it('who has given all its permits back has none again', () => {
  const { found, records, executed } = court();
  executed(permits.release(keys, { tenure, tombstoneMs: 1_000, ...granting }));
  executed(ask);
  expect(found).toEqual([]);
  records.set(tenure, '1 1000');
  executed(ask);
  expect(found).toEqual([`ghost: ${tenure} has ended, and has permits again after ask`]);
});

it('who has given some of its permits back may have the rest', () => {
  const { found, records, executed } = court();
  executed(permits.shrink(keys, { tenure, left: 1, ...granting }));
  records.set(tenure, '1 1000');
  executed(ask);
  expect(found).toEqual([]);
});
