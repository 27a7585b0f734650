/**
 * A command as ioredis makes them: written alike, its keys with the prefix in front, its reply turned alike. Not ioredis' own class, so that a
 * connection in memory is one also where a test has put a mock in the place of ioredis. A text is a text, a buffer too: all is read as UTF-8.
 */

/** What is made of a command beside its name and its arguments. */
export interface MemoryCommandOptions {
  readonly keyPrefix?: string | undefined;
}

/** Where it is HSET, the fields may be an object or a map. */
type Fields = ReadonlyMap<string, string> | Readonly<Record<string, unknown>>;
type Text = string | number | Buffer | null | undefined;
type Arg = Text | Fields;

/** Commands that have keys, and how many of their arguments those are. EVAL and EVALSHA say it themselves. */
const keysOf = new Map<string, number>([
  ...['del', 'unlink', 'exists', 'ssubscribe', 'sunsubscribe'].map((name) => [name, Infinity] as const),
  ...['get', 'set', 'type', 'incr', 'pttl', 'pexpire', 'persist', 'spublish'].map((name) => [name, 1] as const),
  ...['hget', 'hset', 'hdel', 'hgetall', 'hkeys', 'zadd', 'zrange', 'zcard'].map((name) => [name, 1] as const),
]);

/** See the module comment. */
export class MemoryCommand {
  readonly name: string;
  readonly args: string[];
  readonly promise: Promise<unknown>;
  resolve!: (reply: unknown) => void;
  reject!: (error: Error) => void;

  constructor(name: string, args: readonly Arg[] = [], { keyPrefix }: MemoryCommandOptions = {}) {
    this.name = name;
    this.args = textsOf(name, args).map((arg) => String(arg ?? ''));
    if (keyPrefix) this.#prefix(keyPrefix);
    this.promise = new Promise((resolve, reject) => {
      this.resolve = (reply) => resolve(name === 'hgetall' && Array.isArray(reply) ? asObject(reply) : reply);
      this.reject = reject;
    });
  }

  /** As it goes over the wire. */
  toWritable(_to: object): string {
    return [this.name, ...this.args].reduce(
      (wire, text) => `${wire}$${Buffer.byteLength(text)}\r\n${text}\r\n`,
      `*${1 + this.args.length}\r\n`,
    );
  }

  #prefix(keyPrefix: string): void {
    const { args, name } = this;
    const scripted = name === 'eval' || name === 'evalsha';
    const first = scripted ? 2 : 0;
    const end = first + (scripted ? Number(args[1]) : (keysOf.get(name) ?? 0));
    for (let at = first; at < Math.min(end, args.length); at++) args[at] = keyPrefix + args[at];
  }
}

function textsOf(name: string, args: readonly Arg[]): Text[] {
  const [key, fields] = args;
  if (name !== 'hset' || args.length !== 2 || typeof fields !== 'object' || fields === null)
    return args.flat() as Text[];
  return [key, ...(fields instanceof Map ? [...fields] : Object.entries(fields)).flat()] as Text[];
}

/** Fields and values by turns. As own properties, whatever they are called. */
function asObject(pairs: readonly unknown[]): object {
  const made = {};
  for (let at = 0; at < pairs.length; at += 2) {
    Object.defineProperty(made, String(pairs[at]), {
      ...{ value: pairs[at + 1], configurable: true, enumerable: true, writable: true },
    });
  }
  return made;
}
