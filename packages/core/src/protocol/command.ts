import { type Reply, readReply } from './reply.js';
import type { Command, Script } from './script-port.js';

/** A script that can put named keys and arguments into the order of its KEYS and ARGV; generated from its header. */
export interface Operation<Key extends string, Argument extends string> extends Script {
  keys(by: Readonly<Record<Key, string>>): string[];
  args(by: Readonly<Record<Argument, string | number>>): (string | number)[];
}

/** A command for one lock; the compiler checks that every key and argument is given. */
export function command<Key extends string, Argument extends string, Decoded>(
  operation: Operation<Key, Argument>,
  keys: Readonly<Record<Key, string>>,
  args: Readonly<Record<Argument, string | number>>,
  decode: (reply: Reply) => Decoded,
): Command<Decoded> {
  return {
    script: operation,
    keys: operation.keys(keys),
    args: operation.args(args),
    decode: (raw) => readReply(operation.name, raw, decode),
  };
}
