/** Cases of Redisson's own tests of the read-write lock: see `redisson-cases.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { type LockClient, LockLostError } from 'holdfast';
import { processes, watched } from './driven-processes.js';

describe('a read-write lock', () => {
  const sides = (client: LockClient) => {
    const both = client.getReadWriteLock('{test}:abc:key');
    return { read: both.readLock(), write: both.writeLock() };
  };

  it('lets a writer in when the longest of the leases of its readers is over, and not before', async () => {
    const { server, clients } = processes(3);
    const [one, two, writer] = clients.map(sides) as [
      ReturnType<typeof sides>,
      ReturnType<typeof sides>,
      ReturnType<typeof sides>,
    ];
    await one.read.lock(10_000);
    await two.read.lock(3_000);
    const waiting = watched(writer.write.tryLock(60_000));
    await server.advance(9_900);
    expect(waiting.outcome).toBe('waiting');
    await server.advance(200);
    expect(waiting.outcome).toBe(true);
  });

  it('lets both readers in when the lease of the writer is over', async () => {
    const { server, clients } = processes(3);
    const [writer, one, two] = clients.map(sides) as [
      ReturnType<typeof sides>,
      ReturnType<typeof sides>,
      ReturnType<typeof sides>,
    ];
    await writer.write.lock(5_000);
    const waiting = watched(Promise.all([one.read.tryLock(10_000), two.read.tryLock(10_000)]));
    await server.advance(4_900);
    expect(waiting.outcome).toBe('waiting');
    await server.advance(200);
    expect(waiting.outcome).toEqual([true, true]);
    await expect(writer.write.unlock()).rejects.toBeInstanceOf(LockLostError);
  });

  it('keeps nested leases, the longest of them', async () => {
    const { server, first } = processes(1);
    const { write } = sides(first);
    await first.run(async () => {
      await write.lock(10_000);
      await write.lock(2_000);
      await write.unlock();
      await server.advance(3_000);
      expect(await write.isLocked()).toBe(true);
      expect(await write.remainTimeToLive()).toBe(7_000);
      await write.unlock();
    });
  });

  it('a second reader that comes and goes makes the lease of the first no longer', async () => {
    const { server, first, second } = processes(2);
    const { read } = sides(second);
    await sides(first).read.lock(5_000);
    await read.lock(60_000);
    await read.unlock();
    await server.advance(5_000);
    expect(await read.isLocked()).toBe(false);
  });

  it('that is written and read by one scope is held by it on both sides, and locked on that of the writer', async () => {
    const { first } = processes(1);
    const { read, write } = sides(first);
    const told = async () => ({
      held: [await read.isHeldByCurrentScope(), await write.isHeldByCurrentScope()],
      locked: [await read.isLocked(), await write.isLocked()],
    });
    await first.run(async () => {
      await write.lock();
      expect(await told()).toEqual({ held: [false, true], locked: [false, true] });
      await read.lock();
      expect(await told()).toEqual({ held: [true, true], locked: [false, true] });
      await read.unlock();
      expect(await told()).toEqual({ held: [false, true], locked: [false, true] });
      await write.unlock();
      expect(await told()).toEqual({ held: [false, false], locked: [false, false] });
    });
  });

  it('50 readers for longer than the watchdog all give back what they have', async () => {
    const { server, clients } = processes(50);
    const readers = clients.map((client) => sides(client).read);
    for (const reader of readers) await reader.lock();
    await server.advance(100_000);
    for (const reader of readers) await reader.unlock();
    expect(await sides(clients[0] as LockClient).write.tryLock()).toBe(true);
  });

  it('keeps both leases while it is written and read, and the one of the reader after that', async () => {
    const { server, first, second } = processes(2);
    const { read, write } = sides(first);
    await first.run(async () => {
      await write.lock();
      await read.lock();
      await server.advance(100_000);
      expect(await write.remainTimeToLive()).toBeGreaterThan(19_000);
      await write.unlock();
      await server.advance(100_000);
      expect(await read.remainTimeToLive()).toBeGreaterThan(19_000);
      expect(await sides(second).write.tryLock()).toBe(false);
      expect(await sides(second).read.tryLock()).toBe(true);
      await read.unlock();
    });
  });
});
