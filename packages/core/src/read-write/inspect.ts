import { sideFrom } from '../lock/glance.js';
import { ordinal } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { ReadWriteKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { numbersIn } from '../queue/entry.js';
import type { Side } from './granting.js';
import { inspect as operation } from './scripts.gen.js';

/** One tenure that holds a read-write lock. */
export interface ReadWriteHolder {
  readonly tenure: string;
  /** Of its own lease. */
  readonly remainingMs: number;
}

/** One tenure that waits for a read-write lock. */
export interface ReadWriteWaiter {
  readonly tenure: string;
  readonly side: Side;
  /** Server time of its first ask, in microseconds. */
  readonly ticket: number;
  /** The lease that it wants; undefined when that is not known, since it is about to go. */
  readonly leaseMs: number | undefined;
}

/** Reply to {@link inspect}. */
export interface ReadWriteInspectReply {
  /** Server time. */
  readonly nowMs: number;
  /** Of the longest lease; undefined when the lock is free or has no TTL. */
  readonly remainingMs: number | undefined;
  /** Undefined when the lock is free, or of another kind. */
  readonly side: Side | undefined;
  readonly holders: readonly ReadWriteHolder[];
  /** By ticket. */
  readonly queue: readonly ReadWriteWaiter[];
}

/** Who holds a read-write lock, and who waits. Writes nothing. Of a lock of another kind only the queue of those who want to read or write. */
export function inspect(keys: ReadWriteKeys, { most }: { readonly most: number }): Command<ReadWriteInspectReply> {
  return command(operation, keys, { most: ordinal('most', most, 1) }, decode);
}

function decode(reply: Reply): ReadWriteInspectReply {
  const nowMs = reply.hasLength(6).natural(0);
  const held = reply.list(3);
  const holders: ReadWriteHolder[] = [];
  for (let at = 0; at < held.length; at += 2) {
    holders.push({ tenure: held.text(at), remainingMs: held.natural(at + 1) - nowMs });
  }
  const queue = [...waiters(reply.list(4), 'write'), ...waiters(reply.list(5), 'read')];
  return {
    nowMs,
    remainingMs: reply.ttl(1),
    side: sideFrom(reply, 2),
    holders,
    queue: queue.sort((one, other) => one.ticket - other.ticket),
  };
}

function waiters(list: Reply, side: Side): ReadWriteWaiter[] {
  const found: ReadWriteWaiter[] = [];
  for (let at = 0; at < list.length; at += 3) {
    const [, leaseMs] = numbersIn(list.text(at + 2), 2);
    found.push({ tenure: list.text(at), side, ticket: list.natural(at + 1), leaseMs });
  }
  return found;
}
