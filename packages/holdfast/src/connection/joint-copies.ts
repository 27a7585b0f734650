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
  const groups: [Copy<unknown>, ...Copy<unknown>[]][] = [];
  for (const copy of copies) {
    const group = copy.command.joint && groups.find((others) => joins(copy, others, placeOf));
    if (group === undefined) groups.push([copy]);
    else group.push(copy);
  }
  return groups;
}

function joins(
  { pending, connection, command }: Copy<unknown>,
  others: readonly [Copy<unknown>, ...Copy<unknown>[]],
  placeOf: (lockKey: string) => string,
): boolean {
  const [first] = others;
  return (
    others.length < MOST_IN_ONE &&
    command.script === first.command.script &&
    connection === first.connection &&
    placeOf(pending.lockKey) === placeOf(first.pending.lockKey)
  );
}
