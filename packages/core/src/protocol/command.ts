import type { Operation } from './operation.js';
import { Reply } from './reply.js';
import type { Command, Together } from './script-port.js';

/** How a command leaves with others; see {@link Command}. */
export interface Company {
  readonly joint?: Together;
  readonly chain?: Together;
}

const alone: Company = {};

/**
 * A command for one lock; the compiler checks that every key and argument is given. All commands have one shape: one is made, or more, for each lock that is
 * taken, and a copy with more properties costs as much as all the rest of it.
 */
export function command<Key extends string, Argument extends string, Decoded>(
  operation: Operation<Key, Argument>,
  keys: Readonly<Record<NoInfer<Key>, string>>,
  args: Readonly<Record<Argument, string | number>>,
  decode: (reply: Reply) => Decoded,
  { joint, chain }: Company = alone,
): Command<Decoded> {
  return {
    script: operation,
    keys: operation.keys(keys),
    args: operation.args(args),
    decode: (raw) => decode(new Reply(operation.name, raw)),
    joint,
    chain,
  };
}

/** The same command, whose reply is told in other words. */
export function translated<R, Told>(like: Command<R>, tell: (reply: R) => Told): Command<Told> {
  return { ...like, decode: (raw) => tell(like.decode(raw)) };
}
