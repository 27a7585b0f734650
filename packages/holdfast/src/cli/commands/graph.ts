import type { LockClient } from 'holdfast';
import { tellBlindSpots } from '../blind-spots.js';
import type { Call, CliCommand } from '../command-line.js';
import { inWords } from '../durations.js';
import { exitCodes } from '../exit-codes.js';
import { holderInWords } from '../owners.js';
import { printable, type Sheet, table } from '../table.js';
import { ageOf, circlesIn, type Party, stillThere, type WaitFor, waitsOf } from '../waits-for.js';
import { limitOf, listed, matchOf } from './ls.js';

/** Tells who waits for whom. Nothing is done about a circle: see `waits-for.ts`. */
export const graph: CliCommand = {
  usage: 'graph [PATTERN] [--limit N]',
  about: 'who waits for whom, and circles among them; ends with 1 when there is one',
  options: { limit: { type: 'string' } },
  takes: [0, 1],
  behindDashes: 'arguments',
  async run(call) {
    const client = call.openClient();
    const contended: string[] = [];
    let looked = 0;
    for await (const { name, waiting } of listed(call, client)) {
      looked++;
      if (waiting > 0) contended.push(name);
    }
    const waits = await waitsFor(client, contended);
    const seen = circlesIn(waits);
    const again = await waitsFor(client, [...new Set(seen.flat().map(({ lock }) => lock))]);
    const circles = stillThere(seen, again);
    if (call.wantsJson)
      call.printJson({ waits, circles: circles.map((circle) => ({ atMostMs: ageOf(circle), waits: circle })) });
    else call.io.write(inWordsOf(waits, circles, call.io));
    tellLeftOut(call, looked);
    await tellBlindSpots(
      call,
      waits.flatMap(({ waiter, holder }) => [waiter, holder]),
    );
    return circles.length === 0 ? exitCodes.done : exitCodes.no;
  },
};

/** A circle may go by way of what was not asked for: none that is seen does not mean that there is none. */
function tellLeftOut(call: Call, looked: number): void {
  const [match, limit] = [matchOf(call), limitOf(call)];
  const unseen = 'circles by way of others are not seen';
  if (match !== '*') call.complain('PARTIAL_VIEW', `only locks like ${match} were looked at: ${unseen}`);
  if (looked === limit)
    call.complain('PARTIAL_VIEW', `--limit ${limit} was reached, and no other locks were looked at: ${unseen}`);
}

async function waitsFor(client: LockClient, names: readonly string[]): Promise<readonly WaitFor[]> {
  const waits: WaitFor[] = [];
  for (const name of names) waits.push(...waitsOf(await client.inspect(name)));
  return waits;
}

/** Redis knows a process that waits for a lock. */
const noWaits =
  'no process waits for a lock that another holds\n' +
  "(not looked at: calls that wait in the holder's own process, for permits or for a latch, and for locks that rest)\n";

function inWordsOf(waits: readonly WaitFor[], circles: readonly (readonly WaitFor[])[], sheet: Sheet): string {
  if (waits.length === 0) return noWaits;
  const inCircles = new Set(circles.flat());
  const rows = waits.map((wait) => [
    inCircles.has(wait) ? '*' : '',
    ...[partyInWords(wait.waiter), wait.lock, inWords(wait.waitingMs), partyInWords(wait.holder)],
  ]);
  const told = circles.map((circle) => {
    const head = sheet.paint('red', `* a circle of ${circle.length}, for at most ${inWords(ageOf(circle))}:`);
    const lines = circle.map(
      ({ waiter, lock, holder }) =>
        `  ${printable(`${partyInWords(waiter)} waits for ${lock}, held by ${partyInWords(holder)}`)}\n`,
    );
    return `\n${head}\n${lines.join('')}`;
  });
  return table(['', 'WAITS', 'FOR LOCK', 'SINCE', 'HELD BY'], rows, sheet) + told.join('');
}

function partyInWords(party: Party): string {
  return holderInWords({ ...party, resting: false });
}
