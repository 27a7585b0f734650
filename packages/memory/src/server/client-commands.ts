/**
 * What a client may send beside scripts: what ioredis sends to make and keep a connection, what holdfast sends, and a few commands on data for
 * tests and for an application that uses the same server.
 */

import type { ServerConnection } from './connection.js';
import type { Commands } from './commands.js';
import type { ChannelKind } from './pub-sub.js';
import { patternOf } from './pattern.js';
import { ErrorReply, notAnInteger, type Reply } from './reply.js';

/** What these commands need of their server. */
export interface Server {
  readonly commands: Commands;
  info(): string;
  subscribe(connection: ServerConnection, kind: ChannelKind, channel: string): void;
  unsubscribe(connection: ServerConnection, kind: ChannelKind, channel: string): void;
  listeners(channel: string): number;
  script(args: readonly string[]): Reply;
  wait(connection: ServerConnection, replicas: number, timeoutMs: number): Reply | undefined;
  flushAll(): void;
}

/** `undefined`: the answer is put off. */
type ClientCommand = (server: Server, args: readonly string[], connection: ServerConnection) => Reply | undefined;

const ok = () => 'OK';

function subscribing(kind: ChannelKind, word: string): ClientCommand {
  return (server, channels, connection) => {
    const { plain, sharded } = connection.subscriptions;
    for (const [index, channel] of channels.entries()) {
      server.subscribe(connection, kind, channel);
      const confirmation: Reply = [word, channel, kind === 'plain' ? plain.size : sharded.size];
      if (index === channels.length - 1) return confirmation;
      connection.reply(confirmation);
    }
    return wrongArguments(word);
  };
}

function unsubscribing(kind: ChannelKind, word: string): ClientCommand {
  return (server, args, connection) => {
    const subscribed = connection.subscriptions[kind];
    const channels = args.length > 0 ? args : [...subscribed];
    for (const channel of channels) server.unsubscribe(connection, kind, channel);
    return [word, channels.at(-1) ?? null, subscribed.size];
  };
}

function wrongArguments(command: string): ErrorReply {
  return new ErrorReply(`ERR wrong number of arguments for '${command}' command`);
}

function wholeNumber(text: string | undefined): number {
  const value = Number(text);
  if (text === undefined || !Number.isSafeInteger(value)) {
    throw notAnInteger();
  }
  return value;
}

function set({ commands }: Server, args: readonly string[]): Reply {
  const [key = '', value = '', ...options] = args;
  let ttlMs: number | undefined;
  for (let at = 0; at < options.length; at++) {
    const option = options[at]?.toUpperCase();
    if (option === 'PX') ttlMs = wholeNumber(options[++at]);
    else if (option === 'EX') ttlMs = 1_000 * wholeNumber(options[++at]);
    else if (option === 'NX' || option === 'XX') {
      if (commands.exists(key) === (option === 'NX')) return null;
    } else return new ErrorReply('ERR syntax error');
  }
  commands.set(key, value, ttlMs);
  return 'OK';
}

function count<T>(items: readonly T[], counted: (item: T) => boolean): number {
  let total = 0;
  for (const item of items) if (counted(item)) total++;
  return total;
}

function time({ commands }: Server): Reply {
  const micros = commands.timeMicros();
  return [`${Math.floor(micros / 1_000_000)}`, `${Math.floor(micros % 1_000_000)}`];
}

function typeOf({ commands }: Server, [key = '']: readonly string[]): Reply {
  const value = commands.keys.find(key)?.value;
  if (value === undefined) return 'none';
  if (typeof value === 'string') return 'string';
  return value instanceof Map ? 'hash' : 'zset';
}

/** KEYS. */
function keys({ commands }: Server, [pattern = '*']: readonly string[]): Reply {
  const wanted = patternOf(pattern);
  return commands.keys.keys().filter((key) => wanted(key));
}

/**
 * SCAN, a page for each COUNT keys, from those that were written last to the first: the cursor says how many are left. So what goes meanwhile may make a key come
 * twice, as in Redis, and leaves none out that stays.
 */
function scan(server: Server, [cursor, ...options]: readonly string[]): Reply {
  const given = new Map<string | undefined, string | undefined>();
  for (let at = 0; at < options.length; at += 2) given.set(options[at]?.toUpperCase(), options[at + 1]);
  const all = server.commands.keys.keys();
  const end = wholeNumber(cursor) || all.length;
  const first = Math.max(0, end - wholeNumber(given.get('COUNT') ?? '10'));
  const wanted = patternOf(given.get('MATCH') ?? '*');
  const type = given.get('TYPE');
  const page = all
    .slice(first, end)
    .filter((key) => wanted(key) && (type === undefined || typeOf(server, [key]) === type));
  return [`${first}`, page];
}

/** By name, in lower case. */
export const clientCommands: Readonly<Record<string, ClientCommand>> = {
  ping: (_, [text]) => text ?? 'PONG',
  echo: (_, [text = '']) => text,
  info: (server) => server.info(),
  time,
  select: (_, [number], connection) => {
    connection.database = wholeNumber(number);
    return 'OK';
  },
  client: (_, [subcommand = '']) => (subcommand.toLowerCase() === 'id' ? 1 : 'OK'),
  auth: ok,
  asking: ok,
  readonly: ok,
  readwrite: ok,
  quit: ok,
  script: (server, args) => server.script(args),
  wait: (server, [replicas, timeoutMs], connection) =>
    server.wait(connection, wholeNumber(replicas), wholeNumber(timeoutMs)),

  subscribe: subscribing('plain', 'subscribe'),
  ssubscribe: subscribing('sharded', 'ssubscribe'),
  unsubscribe: unsubscribing('plain', 'unsubscribe'),
  sunsubscribe: unsubscribing('sharded', 'sunsubscribe'),
  publish: ({ commands }, [channel = '', message = '']) => commands.publish(channel, message),
  spublish: ({ commands }, [channel = '', message = '']) => commands.spublish(channel, message),
  pubsub: (server, [subcommand = '', ...channels]) =>
    subcommand.toLowerCase() === 'numsub'
      ? channels.flatMap((channel): Reply[] => [channel, server.listeners(channel)])
      : new ErrorReply('ERR this server knows PUBSUB NUMSUB only'),

  get: ({ commands }, [key = '']) => commands.get(key) ?? null,
  set,
  del: ({ commands }, names) => count(names, (key) => commands.del(key)),
  unlink: ({ commands }, names) => count(names, (key) => commands.del(key)),
  exists: ({ commands }, names) => count(names, (key) => commands.exists(key)),
  type: typeOf,
  keys,
  scan,
  incr: ({ commands }, [key = '']) => {
    const value = wholeNumber(commands.get(key) ?? '0') + 1;
    const ttlMs = commands.pttl(key);
    commands.set(key, `${value}`, ttlMs < 0 ? undefined : ttlMs);
    return value;
  },
  pttl: ({ commands }, [key = '']) => commands.pttl(key),
  pexpire: ({ commands }, [key = '', ttlMs]) => (commands.pexpire(key, wholeNumber(ttlMs)) ? 1 : 0),
  persist: ({ commands }, [key = '']) => (commands.pttl(key) >= 0 && commands.persist(key) ? 1 : 0),
  hget: ({ commands }, [key = '', field = '']) => commands.hget(key, field) ?? null,
  hset: ({ commands }, [key = '', ...pairs]) =>
    pairs.length === 0 || pairs.length % 2 === 1 ? wrongArguments('hset') : commands.hset(key, ...pairs),
  hdel: ({ commands }, [key = '', ...fields]) => commands.hdel(key, ...fields),
  hgetall: ({ commands }, [key = '']) => [...(commands.hgetall(key) ?? [])].flat(),
  hkeys: ({ commands }, [key = '']) => [...(commands.hgetall(key)?.keys() ?? [])],
  zadd: ({ commands }, [key = '', ...rest]) => {
    const onlyKnown = rest[0]?.toUpperCase() === 'XX';
    const pairs = onlyKnown ? rest.slice(1) : rest;
    let added = 0;
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const member = pairs[at + 1] as string;
      if (onlyKnown && commands.zscore(key, member) === undefined) continue;
      if (commands.zadd(key, Number(pairs[at]), member)) added++;
    }
    return added;
  },
  zrange: ({ commands }, [key = '', first, last, option]) =>
    option === undefined
      ? commands.zrange(key, wholeNumber(first), wholeNumber(last))
      : commands
          .zrangeWithScores(key, wholeNumber(first), wholeNumber(last))
          .flatMap(({ member, score }) => [member, `${score}`]),
  zcard: ({ commands }, [key = '']) => commands.zcard(key),
  flushall: (server) => {
    server.flushAll();
    return 'OK';
  },
  dbsize: ({ commands }) => commands.keys.keys().length,
};
