import { command } from '../protocol/command.js';
import type { LockKeys, ReadWriteKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type InspectedOwner, ownerFrom } from './inspect.js';
import { glance as operation } from './scripts.gen.js';

/** Reply to {@link glance}. */
export interface GlanceReply {
  /** Server time. */
  readonly nowMs: number;
  /** Undefined when the lock is free; of many readers one. */
  readonly owner: InspectedOwner | undefined;
  /** Of a read-write lock: how it is held. */
  readonly side: 'read' | 'write' | undefined;
  readonly holders: number;
  /** Remaining lease, of many readers the longest; undefined when the lock is free or has no TTL. */
  readonly remainingMs: number | undefined;
  readonly waiting: number;
}

/** Who holds a lock and how many wait for it, of whatever kind it is. Writes nothing. Refused (`NOTALOCK`) when something else has its name. */
export function glance({ lock, queue }: LockKeys, { writers, readers }: ReadWriteKeys): Command<GlanceReply> {
  return command(operation, { lock, queue, writers, readers }, {}, decode);
}

function decode(reply: Reply): GlanceReply {
  const side = sideFrom(reply.hasLength(6), 3);
  const owner = ownerFrom(reply.list(2));
  return {
    nowMs: reply.natural(0),
    owner: owner && side ? { ...owner, foreign: false } : owner,
    side,
    holders: reply.natural(4),
    remainingMs: reply.ttl(1),
    waiting: reply.natural(5),
  };
}

const sides = { r: 'read', w: 'write', '': undefined } as const;

/** `r`, `w`, or nothing where it is no read-write lock. */
export function sideFrom(reply: Reply, index: number): 'read' | 'write' | undefined {
  const word = reply.text(index);
  return Object.hasOwn(sides, word) ? sides[word as keyof typeof sides] : reply.fail('unknown side');
}
