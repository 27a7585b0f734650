/** What a held lock and a waiting call cost in memory. */
import type { Hold, LockClient } from 'holdfast';
import type { Clients } from './growth.js';
import { liveBytes } from './footprint.js';

/** Calls made at the same time. */
const TASKS = 64;

const nothing = async (): Promise<void> => undefined;

/** Bytes that each of `count` held locks costs, hold object included. `meanwhile` runs while all are held. */
export async function bytesPerHold(client: LockClient, count: number, meanwhile = nothing): Promise<number> {
  const before = await liveBytes();
  const holds: Hold[] = [];
  const task = async () => {
    while (holds.length < count) {
      const place = holds.length;
      holds.length++;
      holds[place] = await client.getLock(`held-${place}`).acquire();
    }
  };
  await Promise.all(Array.from({ length: TASKS }, task));
  const bytes = ((await liveBytes()) - before) / count;
  await meanwhile();
  await Promise.all(holds.map((hold) => hold.release()));
  return bytes;
}

/**
 * Bytes that each of `count` waiting calls costs, promise included. `nameOf`: the lock that a call waits for; the other client holds all of
 * them. Afterwards half of the calls give up, the others get their lock.
 */
export async function bytesPerWaiter(
  { one, other }: Clients,
  { count, nameOf }: { count: number; nameOf: (waiter: number) => string },
  meanwhile = nothing,
): Promise<number> {
  const names = [...new Set(Array.from({ length: count }, (_, waiter) => nameOf(waiter)))];
  const held = await Promise.all(names.map((name) => other.getLock(name).acquire()));
  const giveUp = new AbortController();
  // The first wait opens the connection that listens.
  await one.getLock(names[0] ?? '').tryLock(50);
  const before = await liveBytes();
  const waiting = Array.from({ length: count }, (_, waiter) =>
    one.getLock(nameOf(waiter)).acquire(waiter % 2 === 0 ? { signal: giveUp.signal } : {}),
  );
  await Promise.all(names.map((name) => one.inspect(name)));
  const bytes = ((await liveBytes()) - before) / count;
  await meanwhile();
  const over = Promise.allSettled(waiting.map(async (call) => (await call).release()));
  giveUp.abort();
  await Promise.all(held.map((hold) => hold.release()));
  await over;
  return bytes;
}

/**
 * Bytes that each of `count` waiting calls costs where it costs least: all on one handle, in `withLock`, without a signal, in a process that
 * has opened no scope yet. To be measured first, since every section that runs opens one.
 */
export async function bytesPerLeanWaiter({ one, other }: Clients, count: number): Promise<number> {
  const held = await other.getLock('lean').acquire();
  const lock = one.getLock('lean');
  await lock.tryLock(50);
  const before = await liveBytes();
  const waiting = Array.from({ length: count }, () => lock.withLock(() => undefined));
  await one.inspect('lean');
  const bytes = ((await liveBytes()) - before) / count;
  await held.release();
  await Promise.all(waiting);
  return bytes;
}
