/** Whether the sentinels answer, and name one master: clients that come while they do not may lock at two. */

import { Redis, type RedisOptions } from 'ioredis';
import { wordsOf } from '../complaint.js';
import type { Finding } from './finding.js';

const check = 'sentinels';

/** What one of them says. */
interface Word {
  readonly node: string;
  /** `host:port`; undefined where it knows none of that name. */
  readonly master: string | undefined;
}

/** `options`: with all that is needed to ask them. */
export async function examineSentinels(options: RedisOptions, withinMs: number): Promise<Finding[]> {
  const words: Word[] = [];
  const findings: Finding[] = [];
  const sentinels = options.sentinels ?? [];
  await Promise.all(
    sentinels.map(async ({ host, port }) => {
      const node = `${host}:${port}`;
      try {
        words.push({ node, master: await masterBy({ host, port }, options, withinMs) });
      } catch (error) {
        const detail = `cannot be asked (${wordsOf(error)}): clients do not hear from it of a failover`;
        findings.push({ check, status: 'warn', node, detail });
      }
    }),
  );
  const [most] = words.toSorted((one, other) => votes(words, other) - votes(words, one));
  for (const word of words) if (word.master !== most?.master) findings.push(strayed(word, most as Word, words));
  if (findings.length > 0 || most?.master === undefined) return findings;
  return [{ check, status: 'ok', detail: `${sentinels.length}, which name ${most.master}` }];
}

const votes = (words: readonly Word[], { master }: Word) => words.filter((word) => word.master === master).length;

function strayed({ node, master }: Word, most: Word, words: readonly Word[]): Finding {
  const others = `${votes(words, most)} of ${words.length} name ${most.master ?? 'none'}`;
  if (master === undefined) return { check, status: 'warn', node, detail: `knows no master of that name; ${others}` };
  const detail = `names ${master} as the master, ${others}: while they disagree two may have one lock`;
  return { check, status: 'bad', node, detail };
}

async function masterBy(
  place: RedisOptions,
  { name, sentinelUsername, sentinelPassword, sentinelTLS }: RedisOptions,
  withinMs: number,
): Promise<string | undefined> {
  const redis = new Redis({
    ...place,
    ...(sentinelUsername == null ? {} : { username: sentinelUsername }),
    ...(sentinelPassword == null ? {} : { password: sentinelPassword }),
    ...(sentinelTLS === undefined ? {} : { tls: sentinelTLS }),
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    disconnectTimeout: 100,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let why: Error | undefined;
  redis.on('error', (error) => (why = error));
  try {
    await redis.connect();
    const reply = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', String(name));
    return Array.isArray(reply) ? reply.join(':') : undefined;
  } catch (error) {
    throw why ?? error;
  } finally {
    redis.disconnect();
  }
}
