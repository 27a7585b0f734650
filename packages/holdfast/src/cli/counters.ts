/** What has the name of a lock and is none: a semaphore or a countdown latch. */

import { type LatchInspection, type LockClient, LockRefusedError, type SemaphoreInspection } from 'holdfast';
import { inWords } from './durations.js';
import { clientInWords } from './owners.js';
import { printable, type Sheet, table } from './table.js';

/** As `inspect --json` tells it. */
export type Counter =
  | ({ readonly kind: 'semaphore' } & SemaphoreInspection)
  | ({ readonly kind: 'latch' } & LatchInspection)
  /** A number that nobody has or waits for: a semaphore that is not in use, or a latch that Redisson has set. */
  | { readonly kind: 'semaphore or latch'; readonly name: string; readonly count: number };

/** What `look` finds, or the counter that has the name instead of a lock. @throws what `look` throws when it is something else. */
export async function lockOrCounter<T>(
  client: LockClient,
  name: string,
  look: () => Promise<T>,
): Promise<{ readonly lock: T } | { readonly counter: Counter }> {
  try {
    return { lock: await look() };
  } catch (error) {
    const counter = isNoLock(error) ? await counterNamed(client, name) : undefined;
    if (counter === undefined) throw error;
    return { counter };
  }
}

/** Something else has the name. */
export function isNoLock(error: unknown): boolean {
  return error instanceof LockRefusedError && error.redisCode === 'NOTALOCK';
}

async function counterNamed(client: LockClient, name: string): Promise<Counter | undefined> {
  try {
    const latch = await client.getCountDownLatch(name).inspect();
    if (latch.round !== undefined) return { kind: 'latch', ...latch };
    const semaphore = await client.getSemaphore(name).inspect();
    const isInUse = semaphore.holders.length + semaphore.queue.length + semaphore.foreign > 0;
    if (isInUse || semaphore.available < 0) return { kind: 'semaphore', ...semaphore };
    return { kind: 'semaphore or latch', name, count: semaphore.available };
  } catch (error) {
    if (error instanceof LockRefusedError && error.redisCode.startsWith('NOTA')) return undefined;
    throw error;
  }
}

/** Counters of one kind, in the order of names. */
export function counterTable(counters: readonly Counter[], kind: 'semaphore' | 'latch', sheet: Sheet): string {
  const head = kind === 'latch' ? ['NAME', 'LEFT', 'COUNTED'] : ['NAME', 'PERMITS', 'FREE', 'HOLDERS', 'WAITING'];
  const rows = counters.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(rowOf);
  return table(head, rows, sheet);
}

function rowOf(counter: Counter): string[] {
  const { name } = counter;
  if (counter.kind === 'latch') return [name, `${counter.count}`, `${counter.counted}`];
  if (counter.kind === 'semaphore or latch') return [name, `${counter.count}`];
  const { permits = 0, available, holders, queue } = counter;
  return [name, `${permits}`, `${available}`, `${holders.length}`, `${queue.length}`];
}

/** For a terminal. */
export function counterInWords(counter: Counter, sheet: Sheet): string {
  const name = sheet.paint('bold', printable(counter.name));
  if (counter.kind === 'semaphore or latch')
    return `${name} is a semaphore with ${counter.count} permits, all free, or a latch of Redisson with ${counter.count} left to count\n`;
  if (counter.kind === 'latch')
    return `${name} is a latch with ${counter.count} left to count; ids that have counted in this round: ${counter.counted}\n`;
  const { permits = 0, available, foreign, holders, queue } = counter;
  const others = foreign > 0 ? `; clients of Redisson have ${foreign}` : '';
  const free = available < 0 ? `none of them free (${available})` : `${available} of them free`;
  const lines = [`${name} is a semaphore with ${permits} permits, ${free}${others}\n`];
  if (holders.length > 0) {
    const rows = holders.map((holder) => [
      clientInWords(holder),
      ...[`${holder.permits}`, inWords(holder.ageMs), lasting(holder.remainingMs)],
    ]);
    lines.push('\n', table(['HELD BY', 'PERMITS', 'ASKED', 'LEASE LEFT'], rows, sheet));
  }
  if (queue.length > 0) {
    const rows = queue.map((waiter, index) => [
      ...[`${index + 1}`, clientInWords(waiter), `${waiter.permits ?? '-'}`],
      ...[inWords(waiter.waitingMs), lasting(waiter.leaseMs)],
    ]);
    lines.push('\n', table(['#', 'WAITS', 'PERMITS', 'FOR', 'WANTS LEASE'], rows, sheet));
  }
  return lines.join('');
}

function lasting(ms: number | 'never' | undefined): string {
  return ms === 'never' ? 'no expiry' : inWords(ms);
}
