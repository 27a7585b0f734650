import type { ListedLock, LockClient } from 'holdfast';
import type { Call, CliCommand } from '../command-line.js';
import { inWords } from '../durations.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { holderInWords } from '../owners.js';
import { table } from '../table.js';

/** Lists the locks that are held. */
export const ls: CliCommand = {
  usage: 'ls [PATTERN]',
  about: 'the locks that are held, with owner and queue',
  options: { limit: { type: 'string' } },
  takes: [0, 1],
  behindDashes: 'arguments',
  async run(call) {
    const found: ListedLock[] = [];
    for await (const lock of listed(call, call.openClient())) {
      if (call.wantsJson) call.printJson(lock);
      else found.push(lock);
    }
    if (!call.wantsJson) call.io.write(lockTable(found, call.io.isColored));
    return exitCodes.done;
  },
};

/** The locks that a call asks for, by its pattern and its limit. @throws UsageError */
export function listed(call: Call, client: LockClient) {
  const limit = call.text('limit');
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw new UsageError('--limit must be a whole number from 1');
  return client.listLocks({
    match: call.positionals[0] ?? '*',
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  });
}

/** In the order of names. */
export function lockTable(locks: readonly ListedLock[], isColored: boolean): string {
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
  return table(['NAME', 'SIDE', 'HELD BY', 'FOR', 'LEASE LEFT', 'WAITING'], rows, isColored);
}
