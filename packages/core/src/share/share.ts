/** Values that are shared under the name of a lock, by whoever holds it. */

import { ordinal, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import { KeysOfName } from '../protocol/keys.js';
import type { Prefixes } from '../protocol/names.js';
import type { Command } from '../protocol/script-port.js';
import * as scripts from './scripts.gen.js';

/** The keys of a shared value. */
export interface ShareKeys {
  readonly lock: string;
  /** String: the value. */
  readonly value: string;
}

/** What is shared. */
export interface Shared {
  /** Absent: nothing. */
  readonly text: string | undefined;
  /** Server time. */
  readonly nowMs: number;
}

/** Names the keys of what is shared as `name`. @throws as {@link lockKeys}. */
export function shareKeys(name: string, prefixes: Prefixes = {}): ShareKeys {
  return new KeysOfShare(name, prefixes);
}

class KeysOfShare extends KeysOfName implements ShareKeys {
  get value(): string {
    return this.of('share');
  }
}

/** What is shared now. */
export function look({ value }: ShareKeys): Command<Shared> {
  return command(scripts.look, { value }, {}, (reply) => {
    const text = reply.hasLength(2).text(0);
    return { text: text === '' ? undefined : text, nowMs: reply.natural(1) };
  });
}

/** Shares a text, which is not empty, until a time of the server's, if the tenure still owns the lock. */
export function put(
  { lock, value }: ShareKeys,
  { tenure, untilMs, text }: { readonly tenure: string; readonly untilMs: number; readonly text: string },
): Command<'put' | 'over' | 'lost'> {
  const args = { tenure: tenureId(tenure), untilMs: ordinal('untilMs', untilMs, 1), text };
  return command(scripts.put, { lock, value }, args, (reply) => reply.status({ put: 1, over: 1, lost: 1 }));
}
