/**
 * What locks leave behind when they are taken and given back very often, and what they cost while they are held or waited for.
 *
 * Everything is judged by what is reachable after a full collection. One slot of an array costs 8 bytes, so whatever keeps one
 * reference for each of 100,000 cycles shows as 800,000 bytes.
 */
import type { Hold, LockClient } from 'holdfast';
import { liveHeapBytes } from './footprint.js';

/** Tasks that lock at the same time, each its own locks, so that the connection is never idle. */
const TASKS = 64;
const NAMES = 4_096;

/**
 * Locks and unlocks `count` times. Half of the times a lock with a new name, by each kind of call; half of the times one that eight tasks
 * share, which passes from one to the next in memory.
 */
export async function cycles(client: LockClient, count: number): Promise<void> {
  let next = 0;
  const task = async (number: number) => {
    const shared = client.getLock(`shared-${number % 8}`);
    for (let i = next++; i < count; i = next++) {
      const lock = client.getLock(`cycle-${number}-${i % NAMES}`);
      if (i % 2 === 0) await shared.withLock(() => undefined);
      else if (i % 8 === 1) await lock.withLock(() => undefined);
      else if (i % 8 === 3) await (await lock.acquire({ leaseMs: 10_000 })).release();
      else if (await lock.tryLock()) await lock.unlock();
    }
  };
  await Promise.all(Array.from({ length: TASKS }, (_, number) => task(number)));
}

/** Bytes that each of `count` held locks costs, hold object included. `meanwhile` runs while all are held. */
export async function bytesPerHold(client: LockClient, count: number, meanwhile = nothing): Promise<number> {
  const before = await liveHeapBytes();
  const holds: Hold[] = [];
  const task = async () => {
    while (holds.length < count) {
      const place = holds.length;
      holds.length++;
      holds[place] = await client.getLock(`held-${place}`).acquire();
    }
  };
  await Promise.all(Array.from({ length: TASKS }, task));
  const bytes = ((await liveHeapBytes()) - before) / count;
  await meanwhile();
  await Promise.all(holds.map((hold) => hold.release()));
  return bytes;
}

/**
 * Bytes that each of `count` waiting calls costs, promise included. `nameOf`: the lock that a call waits for; all of them are held by
 * `holder`. Afterwards half of the calls give up, the others get their lock.
 */
export async function bytesPerWaiter(
  { client, holder }: { client: LockClient; holder: LockClient },
  { count, nameOf }: { count: number; nameOf: (waiter: number) => string },
  meanwhile = nothing,
): Promise<number> {
  const names = [...new Set(Array.from({ length: count }, (_, waiter) => nameOf(waiter)))];
  const held = await Promise.all(names.map((name) => holder.getLock(name).acquire()));
  const giveUp = new AbortController();
  // The first wait opens the connection that listens.
  await client.getLock(names[0] ?? '').tryLock(50);
  const before = await liveHeapBytes();
  const waiting = Array.from({ length: count }, (_, waiter) =>
    client.getLock(nameOf(waiter)).acquire(waiter % 2 === 0 ? { signal: giveUp.signal } : {}),
  );
  await Promise.all(names.map((name) => client.inspect(name)));
  const bytes = ((await liveHeapBytes()) - before) / count;
  await meanwhile();
  const over = Promise.allSettled(waiting.map(async (call) => (await call).release()));
  giveUp.abort();
  await Promise.all(held.map((hold) => hold.release()));
  await over;
  return bytes;
}

const nothing = async (): Promise<void> => undefined;
