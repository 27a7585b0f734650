/** Looks at the locks again and again: a table that is drawn anew, or a line of JSON for each change. */

import { type ListedLock, type LockClient, LockUnavailableError } from 'holdfast';
import { tellBlindSpots, tellMissing } from '../blind-spots.js';
import type { Call, CliCommand } from '../command-line.js';
import { wordsOf } from '../complaint.js';
import { isNoLock } from '../counters.js';
import { inWords } from '../durations.js';
import { Ending } from '../ending.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { type LockChange, LockChanges } from '../lock-changes.js';
import { Screen } from '../screen.js';
import { withSilentServers } from '../silent-servers.js';
import { plain } from '../paint.js';
import { printable } from '../table.js';
import { limitOf, listed, lockTable } from './ls.js';

const EVERY_MS = 1_000;
/** Each look goes through all keys. */
const LEAST_MS = 100;

/** How what is seen is shown. */
interface View {
  show(locks: readonly ListedLock[]): void | Promise<void>;
  /** Some servers could not be looked at; it is tried again. */
  showPart(locks: readonly ListedLock[], missing: Error): void;
  /** Redis could not be looked at; it is tried again. */
  showTrouble(error: LockUnavailableError): void;
  close(): void;
}

/** See the module comment. */
export const watch: CliCommand = {
  usage: 'watch [PATTERN] [--every TIME] [--limit N]',
  about: 'the locks that are held, looked at again and again until Ctrl+C; with --json a line for each change',
  options: { every: { type: 'string' }, limit: { type: 'string' } },
  takes: [0, 1],
  behindDashes: 'arguments',
  async run(call) {
    const everyMs = call.duration('every', LEAST_MS) ?? EVERY_MS;
    if (!call.wantsJson && !call.io.isTerminal) throw new UsageError('watch draws on a terminal; elsewhere say --json');
    const client = call.openClient();
    const view = call.wantsJson ? changeLines(call, client) : liveTable(call, everyMs);
    const ending = new Ending(call.io);
    try {
      const looking = lookUntil(ending, call, client, view, everyMs);
      // A look that nobody waits for any more fails when its client is closed.
      looking.catch(() => undefined);
      await Promise.race([looking, ending.asked]);
      return exitCodes.done;
    } finally {
      ending.close();
      view.close();
    }
  },
};

/** The first look has to succeed; later, a Redis that is away may come back. */
async function lookUntil(ending: Ending, call: Call, client: LockClient, view: View, everyMs: number): Promise<void> {
  for (let isFirst = true; !ending.isAsked; isFirst = false) {
    try {
      const locks: ListedLock[] = [];
      const missing: Error[] = [];
      for await (const lock of listed(call, client, (error) => missing.push(error))) locks.push(lock);
      // Before the screen is drawn on.
      const owners = locks.map(({ owner }) => owner);
      if (isFirst) await tellBlindSpots(call, owners);
      if (ending.isAsked) return;
      if (missing[0] === undefined) await view.show(locks);
      else view.showPart(locks, missing[0]);
    } catch (error) {
      if (isFirst || !(error instanceof LockUnavailableError)) throw error;
      view.showTrouble((await withSilentServers(call, error)) as LockUnavailableError);
    }
    await ending.pause(everyMs);
  }
}

function changeLines(call: Call, client: LockClient): View {
  const changes = new LockChanges();
  const limit = limitOf(call);
  let trouble: 'none' | 'some' | 'all' = 'none';
  const print = (seen: readonly LockChange[]) => {
    const at = call.io.now();
    for (const change of seen) call.printJson({ at, ...change });
  };
  return {
    show: async (locks) => {
      // What is behind the limit need not be free.
      const beyond = locks.length === limit ? await heldOf(client, changes.goneFrom(locks)) : [];
      trouble = 'none';
      print(changes.since(locks, beyond));
    },
    showPart: (locks, missing) => {
      if (trouble !== 'some') tellMissing(call, missing);
      trouble = 'some';
      print(changes.since(locks, changes.goneFrom(locks)));
    },
    showTrouble: (error) => {
      if (trouble !== 'all') call.complain(error.code, wordsOf(error));
      trouble = 'all';
    },
    close: () => undefined,
  };
}

/** Those that somebody has, looked at one by one. */
async function heldOf(client: LockClient, names: readonly string[]): Promise<readonly string[]> {
  const held: string[] = [];
  for (const name of names) {
    try {
      if ((await client.inspect(name)).owner !== undefined) held.push(name);
    } catch (error) {
      if (!isNoLock(error)) throw error;
    }
  }
  return held;
}

function liveTable(call: Call, everyMs: number): View {
  const { io } = call;
  const screen = new Screen(io);
  const limit = limitOf(call);
  let last: readonly ListedLock[] = [];
  const draw = (state: string) => {
    const [head = '', ...rows] = lockTable(last, { ...io, paint: plain })
      .trimEnd()
      .split('\n');
    const count = `${last.length} held${last.length === limit ? ' or more (--limit)' : ''}`;
    const title = `holdfast: ${count} · every ${inWords(everyMs)} · ${io.now().slice(11, 19)} UTC · ${state}`;
    const room = Math.max(1, screen.rows - 3);
    const isAll = rows.length <= room;
    const more = isAll ? [] : [`and ${rows.length - room + 1} more: give a PATTERN, or use ls`];
    const shown = isAll ? rows : rows.slice(0, room - 1);
    screen.draw([title, '', io.paint('bold', head), ...shown, ...more]);
  };
  return {
    show: (locks) => {
      last = locks;
      draw('Ctrl+C ends');
    },
    showPart: (locks, missing) => {
      last = locks;
      draw(io.paint('red', printable(`not all: ${wordsOf(missing)}`)));
    },
    showTrouble: (error) => draw(io.paint('red', printable(`as it was before: ${wordsOf(error)}`))),
    close: () => screen.close(),
  };
}
