/**
 * A script call as Redis reads it, made in one go when it is written.
 *
 * ioredis turns a command into text by looking at each argument: what kind it is, once more when it is written. Our calls have a dozen, all
 * of them text, and are most of what a client of locks does; made here they cost a third less of its processor. Everything else stays with
 * ioredis: queue, replies, reconnecting, tracing. The format is that of the Redis serialization protocol, an array of bulk strings.
 */

import { Command, Redis } from 'ioredis';

const CRLF = '\r\n';
/** Most texts are short, and putting a length together costs as much as the text behind it. */
const lengths = Array.from({ length: 256 }, (_, bytes) => lengthOf(bytes));
/** By script: all calls of one have as many keys and arguments, but for those that are several commands. */
const beginnings = new Map<string, Beginning>();
const replyAsText = { replyEncoding: 'utf8' } as const;

/** See the module comment. */
export type ScriptCall = new (
  name: 'evalsha' | 'eval',
  script: string,
  keys: { keys: readonly string[]; keyPrefix: string },
  args: readonly (string | number)[],
) => Command;

const known = new WeakMap<typeof Command, ScriptCall>();

/** The class of a connection's commands. One of another copy of ioredis, perhaps of another version, expects the commands of its own copy. */
export function commandClassOf(redis: Redis): typeof Command {
  // A mock of ioredis may have no such class.
  return typeof Redis === 'function' && redis instanceof Redis ? Command : commandOf(redis);
}

/** The script calls of connections with commands of that class. */
export function scriptCallOf(Own: typeof Command): ScriptCall {
  const call = known.get(Own) ?? scriptCallFrom(Own);
  known.set(Own, call);
  return call;
}

/** Nothing leads from a client to the class of its commands but a command that it makes. This one is not sent. */
function commandOf(redis: Redis): typeof Command {
  let made: object | undefined;
  const sendCommand = (command: Command) => {
    made = command;
    return command.promise;
  };
  const options = { ...redis.options, enableAutoPipelining: false };
  const still = Object.create(redis, { options: { value: options }, sendCommand: { value: sendCommand } }) as Redis;
  void still.ping();
  return (made?.constructor as typeof Command | undefined) ?? Command;
}

function scriptCallFrom(Base: typeof Command): ScriptCall {
  return class extends Base {
    readonly #script: string;
    readonly #keys: readonly string[];
    readonly #keyPrefix: string;
    readonly #args: readonly (string | number)[];

    /**
     * `script`: its SHA-1 for EVALSHA, its source for EVAL. What ioredis shows in errors and traces is the script and the lock, not everything;
     * neither is used for sending.
     */
    constructor(
      name: 'evalsha' | 'eval',
      script: string,
      { keys, keyPrefix }: { keys: readonly string[]; keyPrefix: string },
      args: readonly (string | number)[],
    ) {
      // Nothing for ioredis to copy by `flat`, which took ten times as long as the rest of this, nor for the transformers that a user gives it, which would find no argument.
      super('', [], replyAsText);
      this.name = name;
      this.args = [script, `${keys.length}`, `${keyPrefix}${keys[0]}`];
      this.#script = script;
      this.#keys = keys;
      this.#keyPrefix = keyPrefix;
      this.#args = args;
    }

    /** Made when it is written, which is once as a rule: a thousand calls without an answer need not keep their texts. */
    override toWritable(): string {
      const keys = this.#keys;
      const args = this.#args;
      let text = beginningOf(this.name, this.#script, keys.length, args.length);
      for (const key of keys) {
        const whole = this.#keyPrefix + key;
        const bytes = Buffer.byteLength(whole);
        text += (lengths[bytes] ?? lengthOf(bytes)) + whole;
      }
      for (const arg of args) {
        const said = `${arg}`;
        const bytes = typeof arg === 'string' ? Buffer.byteLength(said) : said.length;
        text += (lengths[bytes] ?? lengthOf(bytes)) + said;
      }
      return text + CRLF;
    }
  };
}

/** What a call begins with, up to its keys. */
interface Beginning {
  readonly keys: number;
  readonly args: number;
  readonly text: string;
}

/** Kept for what is sent again and again: calls by SHA-1, of which there are as many as scripts. */
function beginningOf(name: string, script: string, keys: number, args: number): string {
  if (name !== 'evalsha') return newBeginning(name, script, keys, args);
  const kept = beginnings.get(script);
  if (kept?.keys === keys && kept.args === args) return kept.text;
  const text = newBeginning(name, script, keys, args);
  beginnings.set(script, { keys, args, text });
  return text;
}

function newBeginning(name: string, script: string, keys: number, args: number): string {
  return `*${3 + keys + args}${bulk(name)}${bulk(script)}${bulk(`${keys}`)}`;
}

function bulk(text: string): string {
  return lengthOf(Buffer.byteLength(text)) + text;
}

/** The end of what stood before, and how long what follows is. */
function lengthOf(bytes: number): string {
  return `${CRLF}$${bytes}${CRLF}`;
}
