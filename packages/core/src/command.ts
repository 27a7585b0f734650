import type { Reply } from './reply.js';
import { readReply } from './reply.js';
import type { Command, Script } from './script-port.js';

type Values<Name extends string> = Readonly<Record<Name, string | number>>;

/** Puts named values in the order a script's header gives them. */
export function inOrder<Name extends string, Value>(
  names: readonly Name[],
  values: Readonly<Record<Name, Value>>,
): Value[] {
  return names.map((name) => values[name]);
}

/** A command of a script that handles one lock; the compiler checks that every key and argument is given. */
export function command<Key extends string, Argument extends string, Decoded>(
  script: Script<Key, Argument>,
  keys: Readonly<Record<Key, string>>,
  args: Values<Argument>,
  decode: (reply: Reply) => Decoded,
): Command<Decoded> {
  return {
    script,
    keys: inOrder(script.keys, keys),
    args: inOrder(script.args, args),
    decode: (raw) => readReply(script.name, raw, decode),
  };
}
