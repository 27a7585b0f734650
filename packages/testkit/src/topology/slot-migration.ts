// Moving a slot between two masters, step by step as resharding tools do it, with a look in after each step.
import type { RedisServer } from '../redis/server.js';
import { ask } from './ask.js';

const migrateTimeoutMs = 5_000;

/** How far a move has come. Keys that were made meanwhile are `left` too, when they were made at the source. */
export interface WhileMigrating {
  readonly moved: readonly string[];
  readonly left: readonly string[];
}

interface Member {
  id: string;
  server: RedisServer;
}

/** One slot on its way. */
interface Move {
  slot: number;
  from: Member;
  to: Member;
  /** All masters: told at the end, so that none has to find out. */
  masters: readonly RedisServer[];
  between: (progress: WhileMigrating) => unknown;
}

export async function moveSlot({ slot, from, to, masters, between }: Move): Promise<void> {
  await ask(to.server, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await ask(from.server, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const moved: string[] = [];
  for (;;) {
    const left = await keysIn(slot, from.server);
    await between({ moved, left });
    const [key] = await keysIn(slot, from.server);
    if (key === undefined) break;
    await ask(from.server, 'MIGRATE', to.server.host, to.server.port, key, 0, migrateTimeoutMs);
    moved.push(key);
  }
  // The target first: otherwise there would be a moment in which nobody serves the slot.
  await ask(to.server, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  await ask(from.server, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  const others = masters.filter((node) => node !== to.server && node !== from.server);
  await Promise.all(others.map((node) => ask(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)));
}

async function keysIn(slot: number, server: RedisServer): Promise<string[]> {
  const keys = await ask(server, 'CLUSTER', 'GETKEYSINSLOT', slot, 1_000);
  return Array.isArray(keys) ? keys.map(String) : [];
}
