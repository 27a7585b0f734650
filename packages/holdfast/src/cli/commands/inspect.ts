import type { InspectedHolder, LockInspection } from 'holdfast';
import { tellIfBehind, tellNamesAway } from '../blind-spots.js';
import type { Call, CliCommand } from '../command-line.js';
import { counterInWords, lockOrCounter } from '../counters.js';
import { inWords } from '../durations.js';
import { exitCodes } from '../exit-codes.js';
import { freeInWords, tellPrefixTwice } from '../free.js';
import { clientInWords, holderInWords } from '../owners.js';
import { printable, type Sheet, table } from '../table.js';

/** Tells all that is known of one lock, semaphore or latch. */
export const inspect: CliCommand = {
  usage: 'inspect NAME',
  about: 'who holds a lock, and who waits for it; ends with 1 when it is free. Semaphores and latches too',
  options: {},
  takes: [1, 1],
  behindDashes: 'arguments',
  async run(call) {
    const [name = ''] = call.positionals;
    const client = call.openClient();
    const found = await lockOrCounter(client, name, () => client.inspect(name));
    await tellIfBehind(call);
    const shown = 'counter' in found ? found.counter : found.lock;
    if ('holders' in shown) await tellNamesAway(call, [...shown.holders, ...shown.queue]);
    if ('counter' in found) {
      if (call.wantsJson) call.printJson(found.counter);
      else call.io.write(counterInWords(found.counter, call.io));
      return exitCodes.done;
    }
    const seen = found.lock;
    if (seen.owner === undefined) tellPrefixTwice(call, name);
    if (call.wantsJson) call.printJson(seen);
    else call.io.write(inWordsOf(seen, call));
    return seen.owner === undefined ? exitCodes.no : exitCodes.done;
  },
};

function inWordsOf({ name, side, holders, queue }: LockInspection, call: Call): string {
  const sheet: Sheet = call.io;
  const held = `${sheet.paint('bold', printable(name))} is held${side === undefined ? '' : ` to ${side}`}`;
  const lines = [`${holders.length === 0 ? freeInWords(call, name) : held}\n`];
  if (holders.length > 0)
    lines.push('\n', table(['HELD BY', 'ASKED', 'HOLDS', 'LEASE LEFT'], holders.map(holderRow), sheet));
  if (queue.length > 0) {
    const rows = queue.map((waiter, index) => [
      `${index + 1}`,
      clientInWords(waiter),
      waiter.side === undefined ? '' : waiter.side,
      inWords(waiter.waitingMs),
      inWords(waiter.leaseMs),
    ]);
    lines.push('\n', table(['#', 'WAITS', 'TO', 'FOR', 'WANTS LEASE'], rows, sheet));
  }
  return lines.join('');
}

function holderRow(holder: InspectedHolder): string[] {
  const { holdCount, remainingMs, ageMs } = holder;
  return [
    holderInWords(holder),
    inWords(ageMs),
    `${holdCount}`,
    remainingMs === undefined ? 'no expiry' : inWords(remainingMs),
  ];
}
