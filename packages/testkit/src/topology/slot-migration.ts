// Moving a slot between two masters, step by step as resharding tools do it, with a look in after each step.
import type { RedisServer } from '../redis/server.js';
import { waitUntil } from '../wait-until.js';
import { ask } from './ask.js';

const migrateTimeoutMs = 5_000;
/** As long as a server may be full, busy or asleep. */
const patienceMs = 30_000;
/** What one says that is not the master of the slot any more: who took over knows nothing of the move. */
const isOver = /READONLY|MOVED|only with masters/;

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

/** A move that stopped half-way would leave keys where nobody looks for them once the slot is closed. */
export async function moveSlot({ slot, from, to, masters, between }: Move): Promise<void> {
  await ask(to.server, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await ask(from.server, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const moved: string[] = [];
  for (;;) {
    const left = await keysIn(slot, from.server);
    await between({ moved, left });
    const [key] = await keysIn(slot, from.server);
    if (key === undefined) break;
    // What a copy before this one has left at the target counts for nothing: while the source has the key, that is the one in use.
    await surely(from.server, 'MIGRATE', to.server.host, to.server.port, key, 0, migrateTimeoutMs, 'REPLACE');
    moved.push(key);
  }
  // The target first: otherwise there would be a moment in which nobody serves the slot.
  await surely(to.server, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  await surely(from.server, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  const others = masters.filter((node) => node !== to.server && node !== from.server);
  await Promise.all(others.map((node) => ask(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)));
}

async function keysIn(slot: number, server: RedisServer): Promise<string[]> {
  const keys = await surely(server, 'CLUSTER', 'GETKEYSINSLOT', slot, 1_000);
  return Array.isArray(keys) ? keys.map(String) : [];
}

/** What a server answers as soon as it can: once keys have moved there is no way back. */
async function surely(server: RedisServer, ...command: [string, ...(string | number)[]]): Promise<unknown> {
  let refusal: unknown;
  const answered = async () => {
    try {
      return { answer: await ask(server, ...command) };
    } catch (error) {
      if (isOver.test(String(error))) throw error;
      refusal = error;
      return undefined;
    }
  };
  const what = `${server.port} to do ${command.join(' ')}`;
  const done = waitUntil(answered, { what, timeoutMs: patienceMs, everyMs: 20 });
  return (
    await done.catch((error: unknown) => {
      throw new Error(`${String(error)}: ${String(refusal)}`, { cause: refusal });
    })
  ).answer;
}
