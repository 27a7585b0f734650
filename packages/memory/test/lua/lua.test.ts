/** Lua as it is executed in memory, against that of a real server, a snippet at a time. Whole scripts: `../differential`. */
import { type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { ErrorReply, MemoryServer, type Reply } from '../../src/index.js';
import { bytesOf } from '../../src/lua/bytes.js';
import { luaScript, redisCommands, UnknownToLua } from '../../src/lua/index.js';
import { translate } from '../../src/lua/translate.js';
import { knownScripts } from '../../src/server/known-scripts.js';
import { snippets } from './snippets.js';
import { unknownThings } from './unknown.js';

const KEYS = ['a', 'b', 'c', 'd'];
const ARGV = ['12', 'x', 'Grüße'];

/** An error without what only one server says: where in the script it was raised, which variable was meant, and what Redis calls its library. */
function essence(message: string): string {
  return message
    .replace(/^ERR user_script:\d+: /, 'ERR user_script: ')
    .replace(/,? script: .*$/, '')
    .replace('for this redis lib call', 'for this call')
    .replace(/ (?:local|global|field|upvalue) '[^']*' \((an? \w+ value)\)/, ' $1')
    .replace(/ \? \((an? \w+ value)\)/, ' $1');
}

function inMemory(source: string): unknown {
  const server = new MemoryServer({ now: () => 1_790_000_000_000 });
  server.commands.begin(server.keysOf(), 1_790_000_000_000_000);
  try {
    return plain(luaScript(source)(server.commands, KEYS, ARGV));
  } catch (error) {
    if (error instanceof ErrorReply) return { error: essence(error.message) };
    throw error;
  }
}

function plain(reply: Reply): unknown {
  if (reply instanceof ErrorReply) return { error: essence(reply.message) };
  return Array.isArray(reply) ? reply.map((item: Reply) => plain(item)) : reply;
}

describe('Lua in memory does what it does in Redis', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    // Lua compares texts as the server's language has them in order; in memory it is always by their bytes.
    server = await startPrivateRedis({ serverEnv: { LC_ALL: 'C' } });
    redis = new Redis({ host: server.host, port: server.port, protocol: 2 });
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  async function onServer(source: string): Promise<unknown> {
    await redis.flushall();
    try {
      return await redis.eval(source, KEYS.length, ...KEYS, ...ARGV);
    } catch (error) {
      return { error: essence((error as Error).message) };
    }
  }

  it.each(Object.entries(snippets))('%s', async (_, sources) => {
    for (const source of sources) {
      expect({ source, reply: inMemory(source) }).toEqual({ source, reply: await onServer(source) });
    }
  });
});

describe('what is not known in memory', () => {
  it.each(unknownThings)('is no error of the script: %s', (source, unknown) => {
    const run = () => inMemory(source);
    expect(run).toThrow(UnknownToLua);
    expect(run).toThrow(unknown);
  });
});

describe('the scripts of holdfast', () => {
  const all = knownScripts.map(({ name, source }) => [name, source] as const);

  it.each(all)('%s has nothing that is not known', (_, source) => {
    expect(() => translate(bytesOf(source))).not.toThrow();
  });

  it.each(all)('%s calls no command that is not known', (_, source) => {
    const called = [...source.matchAll(/(?:p?call|step)\('([A-Z]+)'/g)].map(([, command = '']) =>
      command.toLowerCase(),
    );
    expect(called.length).toBeGreaterThan(0);
    expect(called.filter((command) => !Object.hasOwn(redisCommands, command))).toEqual([]);
  });
});
