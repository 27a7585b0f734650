import { tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { peek as operation } from './scripts.gen.js';

/** Arguments of {@link peek}. */
export interface PeekOptions {
  /** Whose holds to count. */
  readonly tenure: string;
}

/** Reply to {@link peek}. */
export interface PeekReply {
  /** Whether the lock has an owner. */
  readonly locked: boolean;
  /** Holds of the given tenure; 0 when it is not the owner. */
  readonly holdCount: number;
  /** Remaining lease in ms; undefined when the lock is free or has no TTL. */
  readonly remainingMs: number | undefined;
}

/** Is it locked, for how long, and how often by this tenure? Writes nothing. Refused (`NOTALOCK`) when the key is not a lock by its shape. */
export function peek(keys: LockKeys, options: PeekOptions): Command<PeekReply> {
  return command(operation, keys, { tenure: tenureId(options.tenure) }, decode);
}

function decode(reply: Reply): PeekReply {
  return { locked: !reply.hasLength(2).isAbsent(0), holdCount: reply.natural(1), remainingMs: reply.ttl(0) };
}
