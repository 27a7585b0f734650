import { Redis } from 'ioredis';
import { adminConnectionName } from '../redis/server.js';
import type { RedisServer } from '../redis/server.js';

/** As they are before any test can drive them. */
const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;

/** A node that is stopped keeps its port open: a single question to it is given up after this time. */
const limitMs = 10_000;
/** Of several nodes, those that have said nothing so long after the last answer of another are taken for stopped. */
const laggardMs = 500;

/**
 * What one node answers, over a connection of its own that is closed afterwards. Unlike `admin()`, which waits for a
 * node to come back, this rejects when the node does not answer now.
 */
export async function ask(node: RedisServer, command: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = new Redis({
    host: node.host,
    port: node.port,
    ...(node.adminTls && { tls: node.adminTls }),
    connectionName: adminConnectionName,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: limitMs,
  });
  redis.on('error', () => undefined); // the command rejects with it
  // Not `commandTimeout`: ioredis 5 leaves its timer set when the answer has come.
  const limit = setTimer(() => redis.disconnect(), limitMs);
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    clearTimer(limit);
    redis.disconnect();
  }
}

/** The answers of those nodes that answer, in the order of `nodes`. */
export function askAll(
  nodes: readonly RedisServer[],
  command: string,
  ...args: (string | number)[]
): Promise<{ node: RedisServer; answer: unknown }[]> {
  const answers = new Map<RedisServer, unknown>();
  return new Promise((resolve) => {
    let missing = nodes.length;
    let limit: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(limit);
      resolve(nodes.flatMap((node) => (answers.has(node) ? [{ node, answer: answers.get(node) }] : [])));
    };
    const settled = () => {
      if (--missing === 0) end();
      else if (answers.size > 0) {
        clearTimeout(limit);
        limit = setTimeout(end, laggardMs);
      }
    };
    for (const node of nodes) {
      void ask(node, command, ...args)
        .then((answer) => answers.set(node, answer))
        .catch(() => undefined) // it does not answer
        .finally(settled);
    }
  });
}

/** Fields of a reply such as INFO's or CLUSTER INFO's: lines of `name:value`. */
export function fieldsOf(reply: unknown): Map<string, string> {
  return new Map(
    [...String(reply).matchAll(/^([^:#\r\n]+):([^\r\n]*)/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** A reply of names and values in turn, or the same as a RESP3 map. */
export function pairsOf(reply: unknown): Map<string, string> {
  if (!Array.isArray(reply))
    return new Map(Object.entries(Object(reply)).map(([name, value]) => [name, String(value)]));
  const flat = reply.map(String);
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [])));
}
