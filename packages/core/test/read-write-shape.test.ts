/** What stands under the name of a read-write lock may be an application's data, with the very fields that the lock has. */
import { describe, expect, it } from '@jest/globals';
import { type Command, readWrite, readWriteKeys, run } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const keys = readWriteKeys('order:17');
const granting = { claimMs: 3_000, trust: false, writersFirst: false };
const leaving = { tenure: 'a:1', tombstoneMs: 0, ...granting };
const asking = { tenure: 'a:1', leaseMs: 60_000, ticket: 0, freshTtlMs: 30_000, ...granting };
const forcing = { request: 'f:1', tombstoneMs: 10_000, ...granting };

const refused: [string, Command<unknown>][] = [
  ['a reader that waits', readWrite.ask(keys, { ...asking, side: 'read', freshMs: 20_000 })],
  ['a writer that waits', readWrite.ask(keys, { ...asking, side: 'write', freshMs: 20_000 })],
  ['a reader that tries', readWrite.ask(keys, { ...asking, side: 'read', freshMs: 0 })],
  ['a writer that tries', readWrite.ask(keys, { ...asking, side: 'write', freshMs: 0 })],
  ['force against readers', readWrite.force(keys, { ...forcing, side: 'read' })],
  ['force against a writer', readWrite.force(keys, { ...forcing, side: 'write' })],
  ['peek', readWrite.peek(keys, { tenure: 'a:1' })],
];
const harmless: [string, Command<unknown>, object][] = [
  ['release', readWrite.release(keys, leaving), { kind: 'notHeld' }],
  ['cancel', readWrite.cancel(keys, leaving), { kind: 'cancelled', wasGranted: false }],
  ['serve', readWrite.serve(keys, granting), { kind: 'served', left: 0 }],
  ['downgrade', readWrite.downgrade(keys, leaving), { kind: 'lost' }],
  ['raise', readWrite.raise(keys, { tenure: 'a:1', leaseMs: 60_000 }), { kind: 'lost' }],
];

describe.each<Record<string, string>>([
  { side: 'buy', symbol: 'ACME', 'leg:1': 'open' },
  { side: 'r', symbol: 'ACME' },
  { side: 'w', 'leg:1': '5', symbol: 'ACME' },
  { side: 'w', 'leg:1': '5' },
  { mode: 'write', side: 'buy', sweep: '1' },
  { mode: 'read', side: 'r', sweep: '9999999999999', 'leg:1': 'open' },
])('an order that is kept as %j', (order) => {
  const kept = async () => {
    server.expectLasting(keys.lock);
    await server.redis.hset(keys.lock, order);
    return async () => expect(await server.redis.hgetall(keys.lock)).toEqual(order);
  };

  it.each(refused)('is refused by %s, and stays as it is', async (_, command) => {
    const isAsItWas = await kept();
    await expect(run(server.port, command)).rejects.toThrow(/^NOTALOCK /);
    await isAsItWas();
  });

  it.each(harmless)('does not concern %s, and stays as it is', async (_, command, reply) => {
    const isAsItWas = await kept();
    expect(await run(server.port, command)).toMatchObject(reply);
    await isAsItWas();
  });
});

it('data of 100,000 fields is not read whole by who asks whether the lock is free', async () => {
  server.expectLasting(keys.lock);
  await server.redis.hset(
    keys.lock,
    Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`customer ${n}`, `Ada ${n}`])),
  );
  await server.redis.config('RESETSTAT');
  await expect(run(server.port, readWrite.peek(keys, { tenure: 'a:1' }))).rejects.toThrow(/^NOTALOCK /);
  expect(await server.redis.info('commandstats')).not.toContain('cmdstat_hgetall');
});
