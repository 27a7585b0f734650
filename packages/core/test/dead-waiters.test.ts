/** Who dies while it waits keeps its place for as long as others ask: those who ask take some of the dead out, or queues would grow for ever. */
import { expect, it } from '@jest/globals';
import { permits, readWrite, readWriteKeys, run, semaphoreKeys } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const lock = readWriteKeys('order:17');
const seats = semaphoreKeys('seats');
const granting = { claimMs: 3_000, trust: false, writersFirst: false };
const asking = { leaseMs: 60_000, freshMs: 20_000, ticket: 0, freshTtlMs: 30_000, ...granting };

const kinds = [
  ['writers', lock.writers, (tenure: string) => readWrite.ask(lock, { ...asking, side: 'write', tenure })],
  ['readers', lock.readers, (tenure: string) => readWrite.ask(lock, { ...asking, side: 'read', tenure })],
  ['for permits', seats.queue, (tenure: string) => permits.ask(seats, { ...asking, tenure, wanted: 1, initial: 1 })],
] as const;

it.each(kinds)(
  'the dead at the head of a long queue of waiting %s go, though nobody gives anything back',
  async (_kind, queue, ask) => {
    server.expectLasting(seats.count, seats.permits);
    await run(server.port, readWrite.ask(lock, { ...asking, side: 'write', tenure: 'a:1' }));
    await run(server.port, permits.ask(seats, { ...asking, tenure: 'a:1', wanted: 1, initial: 1 }));
    await server.redis.zadd(queue, ...Array.from({ length: 40 }, (_, i) => [i + 1, `dead:${i + 1}`]).flat());
    expect(await run(server.port, ask('b:1'))).toMatchObject({ kind: 'wait', position: 24 });
    expect(await run(server.port, ask('b:1'))).toMatchObject({ kind: 'wait', position: 8 });
    expect(await server.redis.zcard(queue)).toBe(9);
  },
);
