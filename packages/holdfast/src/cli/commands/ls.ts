import type { ListedLock, LockClient } from 'holdfast';
import { isOfSome, tellBlindSpots, tellMissing } from '../blind-spots.js';
import type { Call, CliCommand } from '../command-line.js';
import { countersInUse, type CounterKind } from '../counter-list.js';
import { type Counter, counterTable } from '../counters.js';
import { inWords } from '../durations.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { holderInWords } from '../owners.js';
import { withSilentServers } from '../silent-servers.js';
import { type Sheet, table } from '../table.js';

/** Lists the locks that are held, or the semaphores or latches that are in use. */
export const ls: CliCommand = {
  usage: 'ls [PATTERN] [--kind lock|semaphore|latch] [--limit N]',
  about: 'the locks that are held, with owner and queue; or the semaphores, or the latches, that are in use',
  options: { limit: { type: 'string' }, kind: { type: 'string' } },
  takes: [0, 1],
  behindDashes: 'arguments',
  async run(call) {
    const kind = call.text('kind') ?? 'lock';
    if (kind === 'semaphore' || kind === 'latch') return listCounters(call, kind);
    if (kind !== 'lock') throw new UsageError('--kind must be lock, semaphore or latch');
    const found: ListedLock[] = [];
    for await (const lock of listed(call, call.openClient())) {
      if (call.wantsJson) call.printJson(lock);
      found.push(lock);
    }
    if (!call.wantsJson) call.io.write(lockTable(found, call.io));
    await tellBlindSpots(
      call,
      found.map(({ owner }) => owner),
    );
    return exitCodes.done;
  },
};

async function listCounters(call: Call, kind: CounterKind): Promise<number> {
  const wanted = { kind, match: matchOf(call), most: limitOf(call) ?? Infinity };
  const found: Counter[] = [];
  for await (const counter of countersInUse(call, wanted, (missing) => tellMissing(call, missing))) {
    if (call.wantsJson) call.printJson(counter);
    found.push(counter);
  }
  if (!call.wantsJson) call.io.write(counterTable(found, kind, call.io));
  await tellBlindSpots(
    call,
    found.flatMap((counter) => ('holders' in counter ? [...counter.holders, ...counter.queue] : [])),
  );
  return exitCodes.done;
}

/**
 * The locks that a call asks for, by its pattern and its limit. Where some servers of a Cluster do not answer, those of the others, and then `tell` is called.
 *
 * @throws UsageError
 */
export async function* listed(
  call: Call,
  client: LockClient,
  tell: (missing: Error) => void = (missing) => tellMissing(call, missing),
): AsyncGenerator<ListedLock, void, undefined> {
  const limit = limitOf(call);
  try {
    yield* client.listLocks({ match: matchOf(call), ...(limit === undefined ? {} : { limit }) });
  } catch (error) {
    if (!isOfSome(error)) throw error;
    tell((await withSilentServers(call, error)) as Error);
  }
}

/** What names have to match. */
export function matchOf(call: Call): string {
  return call.positionals[0] ?? '*';
}

/** @throws UsageError */
export function limitOf(call: Call): number | undefined {
  const limit = call.text('limit');
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw new UsageError('--limit must be a whole number from 1');
  return limit === undefined ? undefined : Number(limit);
}

/** In the order of names. */
export function lockTable(locks: readonly ListedLock[], sheet: Sheet): string {
  const rows = locks
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, side, owner, holders, remainingMs, waiting }) => [
      name,
      side ?? '',
      holders > 1 ? `${holders} holders` : holderInWords(owner),
      inWords(owner.ageMs),
      remainingMs === undefined ? 'no expiry' : inWords(remainingMs),
      `${waiting}`,
    ]);
  return table(['NAME', 'SIDE', 'HELD BY', 'ASKED', 'LEASE LEFT', 'WAITING'], rows, sheet);
}
