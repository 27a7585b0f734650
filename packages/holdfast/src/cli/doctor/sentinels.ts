/** Whether the sentinels answer, and name one master: clients that come while they do not may lock at two. And what they refuse to this user. */

import { Redis, type RedisOptions } from 'ioredis';
import { inWords } from '../address.js';
import { wordsOf } from '../complaint.js';
import type { Finding } from './finding.js';
import { refusalIn, verdict } from './trial.js';

const check = 'sentinels';
/** Without one of these ioredis passes over that sentinel. */
const ASK = '+sentinel|get-master-addr-by-name';
const LIST = '+sentinel|sentinels';
const STOP = '+unsubscribe';
const COST_OF_PASSING_OVER = 'clients find no master by it';
const COST_OF_ASKING_ONCE = 'clients do not ask it again, and follow no master that it gets without saying so';
const COST_OF_DEAFNESS = 'clients hear late of a failover';

/** What one of them says. */
interface Word {
  readonly node: string;
  /** `host:port`; undefined where it knows none of that name. */
  readonly master: string | undefined;
  /** The rights that this user lacks there. */
  readonly missing: readonly string[];
}

/** `options`: with all that is needed to ask them. */
export async function examineSentinels(options: RedisOptions, withinMs: number): Promise<Finding[]> {
  const words: Word[] = [];
  const findings: Finding[] = [];
  // One that is named twice has one vote, and names of hosts have no case.
  const sentinels = new Map(
    (options.sentinels ?? []).map(({ host, port }) => [inWords(`${host}:${port}`.toLowerCase()), { host, port }]),
  );
  await Promise.all(
    Array.from(sentinels, async ([node, place]) => {
      try {
        words.push({ node, ...(await heardFrom(place, options, withinMs)) });
      } catch (error) {
        const detail = `cannot be asked (${wordsOf(error)}): clients do not hear from it of a failover`;
        findings.push(refusalIn(error) === 'command' ? lacking(node, [ASK]) : { check, status: 'warn', node, detail });
      }
    }),
  );
  const [most] = words.toSorted((one, other) => votes(words, other) - votes(words, one));
  for (const word of words) if (word.master !== most?.master) findings.push(strayed(word, most as Word, words));
  for (const { node, missing } of words) if (missing.length > 0) findings.push(lacking(node, missing));
  if (findings.length > 0 || most?.master === undefined) return findings;
  return [{ check, status: 'ok', detail: `${sentinels.size}, which name ${most.master}` }];
}

const votes = (words: readonly Word[], { master }: Word) => words.filter((word) => word.master === master).length;

function strayed({ node, master }: Word, most: Word, words: readonly Word[]): Finding {
  const others = `${votes(words, most)} of ${words.length} name ${most.master ?? 'none'}`;
  if (master === undefined) return { check, status: 'warn', node, detail: `knows no master of that name; ${others}` };
  const detail = `names ${master} as the master, ${others}: while they disagree two may have one lock`;
  return { check, status: 'bad', node, detail };
}

function lacking(node: string, missing: readonly string[]): Finding {
  const costs = missing.map((right) => {
    if (right === STOP) return COST_OF_ASKING_ONCE;
    return right === ASK || right === LIST ? COST_OF_PASSING_OVER : COST_OF_DEAFNESS;
  });
  return { ...verdict(check, missing, 'warn', [...new Set(costs)].join('; ')), node };
}

async function heardFrom(
  place: RedisOptions,
  { name, sentinelUsername, sentinelPassword, sentinelTLS }: RedisOptions,
  withinMs: number,
): Promise<Omit<Word, 'node'>> {
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
    const master = Array.isArray(reply) ? inWords(reply.join(':')) : undefined;
    return { master, missing: await missingAt(redis, String(name)) };
  } catch (error) {
    throw why ?? error;
  } finally {
    redis.disconnect();
  }
}

/** All is sent at once, so that one time is enough for it; what makes it a listener, which may not ask (RESP2), comes last. */
async function missingAt(redis: Redis, name: string): Promise<string[]> {
  const refusedBy = (answer: Promise<unknown>, command: string, argument = command) =>
    answer.then(
      () => undefined,
      (error: unknown) => ({ command, argument, absent: undefined })[refusalIn(error) ?? 'absent'],
    );
  const missing = await Promise.all([
    refusedBy(redis.call('SENTINEL', 'SENTINELS', name), LIST),
    refusedBy(redis.unsubscribe('+switch-master'), STOP),
    ...['+switch-master', '+promoted-slave'].map((channel) =>
      refusedBy(redis.subscribe(channel), '+subscribe', `&${channel}`),
    ),
  ]);
  return [...new Set(missing.filter((right) => right !== undefined))];
}
