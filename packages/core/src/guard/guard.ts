/** Writes that a store refuses when a later token has written: the half of fencing that tokens are made for. */

import { duration, ordinal } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { GuardedKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import * as scripts from './scripts.gen.js';

/** Under which token a write is made, and the how manieth it is. A copy has the same number. */
export interface GuardedWrite {
  readonly token: number;
  readonly n: number;
}

/** Reply to a guarded write. */
export type GuardReply =
  /** Done, by this copy or by an earlier one. */
  | { kind: 'written' }
  /** Nothing was done: a later token, this one, has written. */
  | { kind: 'stale'; token: number };

/** HSET or HDEL with these arguments. Refused (`NOTAFENCE`) when the field `fence` of the hash is something else than a guard's. */
export function guardHash(
  keys: GuardedKeys,
  { token, n }: GuardedWrite,
  write: { command: 'HSET' | 'HDEL'; args: readonly (string | number)[] },
): Command<GuardReply> {
  const { args, ...rest } = command(
    scripts.hash,
    { hash: keys.key, record: keys.record },
    { token: ordinal('token', token, 1), n: ordinal('n', n, 1), command: write.command },
    decode,
  );
  return { ...rest, args: [...args, ...write.args] };
}

/** SET or DEL. `ttlMs`: of the string, 0 for none. Refused (`WRONGTYPE`) when the key is no string. */
export function guardText(
  keys: GuardedKeys,
  { token, n }: GuardedWrite,
  write: { command: 'SET'; value: string | number; ttlMs: number } | { command: 'DEL' },
): Command<GuardReply> {
  const { value, ttlMs } = write.command === 'SET' ? write : { value: '', ttlMs: 0 };
  return command(
    scripts.text,
    { text: keys.key, record: keys.record },
    {
      token: ordinal('token', token, 1),
      n: ordinal('n', n, 1),
      command: write.command,
      value,
      ttlMs: duration('ttlMs', ttlMs, 0),
    },
    decode,
  );
}

function decode(reply: Reply): GuardReply {
  const kind = reply.status({ written: 2, stale: 2 });
  return kind === 'written' ? { kind } : { kind, token: reply.natural(1) };
}
