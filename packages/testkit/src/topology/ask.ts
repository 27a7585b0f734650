import { Redis } from 'ioredis';
import { adminConnectionName } from '../redis/server.js';
import type { RedisServer } from '../redis/server.js';

/** A node that is stopped keeps its port open: it is given up after this time. */
const patienceMs = 500;

/**
 * What one node answers, over a connection of its own that is closed afterwards. Unlike `admin()`, which waits for a
 * node to come back, this rejects when the node does not answer now.
 */
export async function ask(node: RedisServer, command: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = new Redis({
    host: node.host,
    port: node.port,
    connectionName: adminConnectionName,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
  });
  redis.on('error', () => undefined); // the command rejects with it
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}

/** The answers of those nodes that answer, in the order of `nodes`. */
export async function askAll(
  nodes: readonly RedisServer[],
  command: string,
  ...args: (string | number)[]
): Promise<{ node: RedisServer; answer: unknown }[]> {
  const settled = await Promise.allSettled(nodes.map((node) => ask(node, command, ...args)));
  return settled.flatMap((result, index) => {
    const node = nodes[index];
    return result.status === 'fulfilled' && node !== undefined ? [{ node, answer: result.value }] : [];
  });
}

/** Fields of a reply such as INFO's or CLUSTER INFO's: lines of `name:value`. */
export function fieldsOf(reply: unknown): Map<string, string> {
  return new Map(
    [...String(reply).matchAll(/^([^:#\r\n]+):([^\r\n]*)/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}
