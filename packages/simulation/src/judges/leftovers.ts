/** What is left when every client has closed and every lease has had time to run out: nothing. In words; empty when all is well. */

import { lockKeys } from '@holdfast/core';
import type { WatchedKeys } from './watched.js';
import type { WorldServer } from '../world/servers.js';
import type { Life, World } from '../world/world.js';

/** Of locks by majority at each node, when all who had them have given them back: their release is told to all nodes, not only to a majority. */
export function votesLeft(nodes: readonly WorldServer[], locks: readonly string[]): string[] {
  return nodes.flatMap(({ name, master }) =>
    locks
      .filter((lock) => master.keysOf().find(lockKeys(lock).lock) !== undefined)
      .map((lock) => `${name} still has ${lock} for somebody who has given it back`),
  );
}

/** Of these locks, when all calls have settled and their last messages have arrived: nobody has one until its lease is over. */
export function ownersLeft({ master, name }: WorldServer, locks: Iterable<WatchedKeys>): string[] {
  const found: string[] = [];
  for (const { lock, name: called } of locks) {
    const fields = master.keysOf().find(lock)?.value;
    if (!(fields instanceof Map)) continue;
    for (const owner of fields.keys())
      if (owner.includes(':')) found.push(`${name} still has ${called} for ${owner}, whose calls have all settled`);
  }
  return found;
}

/** A lock and the keys that belong to it. */
export interface LockKeys {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Of the processes that live. */
export function clientsLeft({ network }: World, living: readonly Life[]): string[] {
  const found: string[] = [];
  for (const { process } of living) {
    if (process.timers > 0) found.push(`${process.name} has ${process.timers} timers`);
    const connections = network.connectionsOf(process).length;
    if (connections > 0) found.push(`${process.name} has ${connections} connections`);
  }
  return found;
}

/** Of one server, and of these locks on it. */
export function serverLeft({ master, name }: WorldServer, locks: readonly LockKeys[]): string[] {
  const found: string[] = [];
  if (master.connections > 0) found.push(`${name} has ${master.connections} connections`);
  const keys = master.keysOf();
  for (const { name: lock, keys: own } of locks) {
    for (const key of own) {
      const entry = keys.find(key);
      if (entry === undefined) continue;
      found.push(
        `${key} of lock ${lock} is there, ${entry.endsAt === Number.POSITIVE_INFINITY ? 'for ever' : 'for now'}`,
      );
    }
  }
  return found;
}
