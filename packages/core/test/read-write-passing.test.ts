/** A grant step looks at so many of those who have gone, and no further: who stands behind them is not passed for that. */
import { expect, it } from '@jest/globals';
import { readWrite, readWriteKeys, run } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const keys = readWriteKeys('order:17');
const granting = { claimMs: 3_000, trust: false, writersFirst: false };
const asking = { leaseMs: 60_000, freshMs: 20_000, ticket: 0, freshTtlMs: 30_000, ...granting };

it('a writer behind more dead ones than a script looks at is not passed by readers, and comes in when they leave', async () => {
  const ask = (side: 'read' | 'write', tenure: string) =>
    run(server.port, readWrite.ask(keys, { ...asking, side, tenure }));
  await ask('read', 'a:1');
  const dead = Array.from({ length: 200 }, (_, i) => [i + 1, `dead:${i + 1}`]).flat();
  await server.redis.zadd(keys.writers, ...dead);
  expect(await ask('write', 'b:1')).toMatchObject({ kind: 'wait' });
  expect(await ask('read', 'c:1')).toMatchObject({ kind: 'wait' });
  const leaving = { tenure: 'a:1', tombstoneMs: 0, ...granting };
  let left = ((await run(server.port, readWrite.release(keys, leaving))) as { left: number }).left;
  expect(left).toBeGreaterThan(0);
  while (left > 0) ({ left } = await run(server.port, readWrite.serve(keys, granting)));
  expect(Object.keys(await server.redis.hgetall(keys.lock))).toContain('b:1');
  expect(await server.redis.zcard(keys.readers)).toBe(1);
});

it('a reader behind more dead writers than a script looks at is told to ask on, and comes in to the others', async () => {
  const ask = (tenure: string) => run(server.port, readWrite.ask(keys, { ...asking, side: 'read', tenure }));
  await ask('a:1');
  await ask('b:1');
  await server.redis.zadd(keys.writers, ...Array.from({ length: 200 }, (_, i) => [i + 1, `dead:${i + 1}`]).flat());
  expect(await ask('c:1')).toMatchObject({ kind: 'wait', remainingMs: 0 });
  const leaving = { tenure: 'b:1', tombstoneMs: 0, ...granting };
  let { left } = (await run(server.port, readWrite.release(keys, leaving))) as { left: number };
  expect(left).toBeGreaterThan(0);
  while (left > 0) ({ left } = await run(server.port, readWrite.serve(keys, granting)));
  expect(Object.keys(await server.redis.hgetall(keys.lock))).toEqual(expect.arrayContaining(['a:1', 'c:1']));
});

it('a reader that does not queue comes in past writers that have died, also when a script does not come to all of them', async () => {
  const ask = (side: 'read' | 'write', tenure: string, freshMs: number) =>
    run(server.port, readWrite.ask(keys, { ...asking, trust: true, side, tenure, freshMs }));
  await ask('read', 'a:1', 20_000);
  // Nobody listens to its inbox, and its place is fresh.
  await ask('write', 'b:1', 20_000);
  expect(await ask('read', 'c:1', 0)).toMatchObject({ kind: 'acquired' });
  await server.redis.zadd(keys.writers, ...Array.from({ length: 100 }, (_, i) => [i + 1, `dead:${i + 1}`]).flat());
  expect(await ask('read', 'd:1', 0)).toMatchObject({ kind: 'busy', remainingMs: 0, left: 36 });
  expect(await ask('read', 'd:1', 0)).toMatchObject({ kind: 'acquired' });
});

it('a reader that does not queue does not come in past a writer that waits', async () => {
  const ask = (side: 'read' | 'write', tenure: string, freshMs: number) =>
    run(server.port, readWrite.ask(keys, { ...asking, side, tenure, freshMs }));
  await ask('read', 'a:1', 20_000);
  await ask('write', 'b:1', 20_000);
  expect(await ask('read', 'c:1', 0)).toMatchObject({ kind: 'busy', left: 0 });
  expect(await server.redis.zcard(keys.writers)).toBe(1);
});
