import { describe, expect, it } from '@jest/globals';
import { type Command, readWrite, readWriteKeys, run } from '../src/index.js';
import * as scripts from '../src/read-write/scripts.gen.js';
import { calledBy, eachLacking } from './support/lacking.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const keys = readWriteKeys('stock');
const LEASE_MS = 60_000;
const times = { freshMs: 20_000, freshTtlMs: 30_000 };
const granting = { claimMs: 3_000, trust: false, writersFirst: false };
const request = { request: 'x:1', tombstoneMs: 10_000, ...granting };

/** Tenures are called by what they ask for: `r…` read, `w…` write. */
const asking = (tenure: string, leaseMs = LEASE_MS) =>
  readWrite.ask(keys, {
    tenure,
    side: tenure.startsWith('w') ? 'write' : 'read',
    leaseMs,
    ticket: 0,
    ...times,
    ...granting,
  });
const leaving = (tenure: string, tombstoneMs = 0) => readWrite.release(keys, { tenure, tombstoneMs, ...granting });
const cancelling = (tenure: string) => readWrite.cancel(keys, { tenure, tombstoneMs: 10_000, ...granting });
const asked =
  (...tenures: string[]) =>
  async () => {
    for (const tenure of tenures) await run(server.port, asking(tenure));
  };
const ended = async () => {
  await asked('w0:1', 'r1:1', 'w1:1')();
  await server.redis.hset(keys.lock, 'w0:1', '5', 'sweep', '5');
};

const operations: [title: string, before: () => Promise<void>, command: Command<unknown>][] = [
  ['an ask to read a free lock', asked(), asking('r1:1')],
  ['an ask to write a free lock', asked(), asking('w1:1')],
  ['an ask to read with others, for less time', asked('r1:1'), asking('r2:1', 1_000)],
  ['an ask to write that queues', asked('r1:1'), asking('w1:1')],
  ['an ask that is a copy, for longer', asked('r1:1', 'r2:1'), asking('r1:1', 90_000)],
  ['an ask of the first in line, when a lease has ended', ended, asking('r1:1')],
  ['an ask of a newcomer, when a lease has ended', ended, asking('w2:1')],
  ['a release by a writer', asked('w0:1', 'r1:1', 'w1:1'), leaving('w0:1')],
  ['a release by one of two readers', asked('r1:1', 'r2:1', 'w1:1'), leaving('r1:1', 10_000)],
  ['a cancel of a writer that keeps a reader out', asked('r1:1', 'w1:1', 'r2:1'), cancelling('w1:1')],
  ['a downgrade', asked('w0:1', 'r1:1', 'w1:1'), readWrite.downgrade(keys, { tenure: 'w0:1', ...granting })],
  ['raising a lease', asked('r1:1', 'r2:1'), readWrite.raise(keys, { tenure: 'r1:1', leaseMs: 90_000 })],
  ['renewing', asked('r1:1', 'r2:1'), readWrite.renew([{ keys, tenure: 'r1:1', leaseMs: 90_000 }])],
  ['a force of the writer', asked('w0:1', 'r1:1', 'w1:1'), readWrite.force(keys, { side: 'write', ...request })],
  ['serving', ended, readWrite.serve(keys, granting)],
];

/** What is wrong with who holds the lock now. */
async function wrongs(): Promise<string[]> {
  const [lock, ttlMs, [seconds, micros]] = await Promise.all([
    server.redis.hgetall(keys.lock),
    server.redis.pttl(keys.lock),
    server.redis.time(),
  ]);
  const nowMs = Number(seconds) * 1000 + Number(micros) / 1000;
  const holders = Object.entries(lock).filter(([field]) => field.includes(':'));
  const longestMs = Math.max(0, ...holders.map(([, untilMs]) => Number(untilMs) - nowMs));
  const wrong: string[] = [];
  if (lock['side'] === 'w' && holders.length > 1) wrong.push('a writer is not alone');
  if (ttlMs === -1) wrong.push('it has no TTL');
  // The clock goes on between the one and the other.
  if (ttlMs < longestMs - 1_000) wrong.push(`it goes ${longestMs - ttlMs} ms before a lease is over`);
  if (holders.some(([, untilMs]) => Number(untilMs) < Number(lock['sweep'])))
    wrong.push('a lease that ends is not looked at');
  return wrong;
}

describe('a read-write lock lasts as long as its longest lease, and a writer is alone, whatever the user may not call', () => {
  it.each(operations)('%s', async (_, before, command) => {
    const called = await calledBy(server, scripts);
    expect(called).toContain('PTTL');
    const lacking = [...called.map((name) => [name]), ['PEXPIRE', 'HDEL'], ['PEXPIRE', 'DEL']];
    const found = await eachLacking(server, lacking, { before, command, look: wrongs });
    expect(found.filter(({ state }) => state.length > 0)).toEqual([]);
  });
});
