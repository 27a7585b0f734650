/** Which copies of commands, of those that are to leave in one turn, leave as one command. */

import type { Command } from '@holdfast/core';
import type { Connection } from './connection.js';
import type { PendingCommand } from './pending-command.js';

/** A copy of a command on its way to a connection. */
export interface Copy<R> {
  readonly pending: PendingCommand<R>;
  readonly connection: Connection;
  /** The number of its connection when the copy was made. */
  readonly epoch: number;
  readonly command: Command<R>;
  readonly sentAt: number;
}

/** A server does nothing else meanwhile. */
const MOST_IN_ONE = 32;

/**
 * Groups in the order of their first copies. Those of a group have the same script, which allows it, the same connection, and locks in one place
 * as `placeOf` says.
 */
export function inGroups(
  copies: readonly Copy<unknown>[],
  placeOf: (lockKey: string) => string,
): readonly (readonly [Copy<unknown>, ...Copy<unknown>[]])[] {
  const groups: Group[] = [];
  for (const copy of copies) {
    const place = placeOf(copy.pending.lockKey);
    const group = copy.command.joint && groups.find((one) => one.place === place && joins(copy, one.copies));
    if (group === undefined) groups.push({ place, copies: [copy] });
    else group.copies.push(copy);
  }
  return groups.map(({ copies: together }) => together);
}

interface Group {
  readonly place: string;
  readonly copies: [Copy<unknown>, ...Copy<unknown>[]];
}

function joins({ connection, command }: Copy<unknown>, others: Group['copies']): boolean {
  const [first] = others;
  return others.length < MOST_IN_ONE && command.script === first.command.script && connection === first.connection;
}
