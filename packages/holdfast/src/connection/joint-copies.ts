/** Which copies of commands, of those that are to leave in one turn, leave as one command. */

import type { Call } from '@holdfast/core';
import type { Copy } from './copy.js';
import type { Topology } from './topology.js';

/** A server does nothing else meanwhile. */
export const MOST_IN_ONE = 32;

/** That of `held` for `leaderKey` which a copy for `lockKey` can leave behind. */
export function leaderFor(
  lockKey: string,
  leaderKey: string,
  held: readonly Copy<unknown>[],
  topology: Pick<Topology, 'connectionTo' | 'placeOf'>,
): Copy<unknown> | undefined {
  const leader = held.findLast(({ pending, command }) => command.chain !== undefined && pending.lockKey === leaderKey);
  if (leader === undefined || topology.connectionTo(lockKey) !== leader.connection) return undefined;
  const isFull = 1 + (leader.followers?.length ?? 0) >= MOST_IN_ONE;
  return isFull || topology.placeOf(lockKey) !== topology.placeOf(leaderKey) ? undefined : leader;
}

/** The one command of those that leave together, if there is one. */
export function asOne([first, ...rest]: readonly [Copy<unknown>, ...Copy<unknown>[]]):
  | Call<readonly unknown[]>
  | undefined {
  const { command, followers } = first;
  if (followers !== undefined) return command.chain?.([command, ...followers.map((copy) => copy.command)]);
  return rest.length === 0 ? undefined : command.joint?.([command, ...rest.map((copy) => copy.command)]);
}

/**
 * Groups in the order of their first copies. Those of a group have the same script, which allows it, the same connection, and locks in one place
 * as `placeOf` says. One that others follow has its group in them, and one that replicas have to confirm leaves alone.
 */
export function inGroups(
  copies: readonly Copy<unknown>[],
  placeOf: (lockKey: string) => string,
): readonly (readonly [Copy<unknown>, ...Copy<unknown>[]])[] {
  const groups: Group[] = [];
  /** Those that were begun last, by what their copies have in common: there may be thousands. */
  const open = new Map<string, Group>();
  for (const copy of copies) {
    const { command, pending, connection, followers } = copy;
    const joins = command.joint !== undefined && followers === undefined && pending.options.confirmation === undefined;
    const kind = joins ? `${command.script.sha} ${placeOf(pending.lockKey)}` : undefined;
    const group = kind === undefined ? undefined : open.get(kind);
    if (group !== undefined && group.length < MOST_IN_ONE && group[0].connection === connection) group.push(copy);
    else {
      const own: Group = [copy];
      groups.push(own);
      if (kind !== undefined) open.set(kind, own);
    }
  }
  return groups;
}

type Group = [Copy<unknown>, ...Copy<unknown>[]];
