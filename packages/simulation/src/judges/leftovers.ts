/** What is left when every client has closed and every lease has had time to run out: nothing. */

import type { MemoryServer } from '@holdfast/memory';
import type { Life, World } from '../world/world.js';

/** In words; empty when all is well. */
export function leftBehind(
  world: World,
  living: readonly Life[],
  server: MemoryServer,
  locks: readonly { readonly name: string; readonly keys: readonly string[] }[],
): string[] {
  const found: string[] = [];
  for (const { process } of living) {
    if (process.timers > 0) found.push(`${process.name} has ${process.timers} timers`);
    const connections = world.network.connectionsOf(process).length;
    if (connections > 0) found.push(`${process.name} has ${connections} connections`);
  }
  if (server.connections > 0) found.push(`the server has ${server.connections} connections`);
  const keys = server.keysOf();
  for (const { name, keys: own } of locks) {
    for (const key of own) {
      const entry = keys.find(key);
      if (entry === undefined) continue;
      found.push(
        `${key} of lock ${name} is there, ${entry.endsAt === Number.POSITIVE_INFINITY ? 'for ever' : 'for now'}`,
      );
    }
  }
  return found;
}
