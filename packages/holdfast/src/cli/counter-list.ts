/**
 * The semaphores of which somebody has permits, and the latches of which a round is under way. Both are a number under their name, as data of an
 * application may be; so they are found by what holdfast keeps beside it. What Redisson's clients alone use is not found.
 */

import { literally, lockNameAt } from '@holdfast/core';
import type { Redis } from 'ioredis';
import { type LockClient, LockRefusedError, LockUnavailableError } from 'holdfast';
import { addressOf } from './address.js';
import type { Call } from './command-line.js';
import { wordsOf } from './complaint.js';
import type { Counter } from './counters.js';

/** What is listed. */
export type CounterKind = Exclude<Counter['kind'], 'semaphore or latch'>;

/** The words in the keys of what is kept beside the number. */
const words: Readonly<Record<CounterKind, string>> = { semaphore: 'sem_permits', latch: 'latch_round' };
const PAGE = '500';

/** What is looked for. */
export interface Wanted {
  readonly kind: CounterKind;
  /** Those whose name matches. */
  readonly match: string;
  readonly most: number;
}

/**
 * One after the other. Where some masters of a Cluster do not answer, those of the others, and then `tell` is called.
 *
 * @throws LockUnavailableError where none answers
 */
export async function* countersInUse(
  call: Call,
  { kind, match, most }: Wanted,
  tell: (missing: Error) => void,
): AsyncGenerator<Counter, void, undefined> {
  const { servers, failures } = await call.connected();
  const troubles = [...failures];
  const client = call.openClient();
  const seen = new Set<string>();
  let left = most;
  for (const redis of servers) {
    if (left === 0) break;
    try {
      for await (const name of namesAt(redis, call, kind, match)) {
        const counter = seen.has(name) ? undefined : await inUse(client, kind, name);
        seen.add(name);
        if (counter === undefined) continue;
        yield counter;
        if (--left === 0) break;
      }
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      // As of locks: the others may go on without it.
      troubles.push({ node: addressOf(redis), why: error });
    }
  }
  const last = troubles.at(-1)?.why;
  if (last === undefined) return;
  if (troubles.length === servers.length + failures.length) throw last;
  const list = troubles.map(({ node, why }) => `${node} (${wordsOf(why)})`).join(', ');
  const missing = `${kind === 'latch' ? 'Latches' : 'Semaphores'} are missing: look at ${list}`;
  tell(new LockUnavailableError(missing, undefined, { cause: last }));
}

/** What a server keeps beside numbers of this kind. Some come twice. */
async function* namesAt(redis: Redis, call: Call, kind: CounterKind, match: string): AsyncGenerator<string> {
  const prefixes = { prefix: call.prefix, keyPrefix: call.site.keyPrefix };
  const front = prefixes.keyPrefix + prefixes.prefix;
  try {
    // Names with a hash tag of their own have other keys: see `keys.ts` of the core.
    for (const [head, tail] of [
      [`${prefixes.keyPrefix}holdfast_${words[kind]}:{`, '}'],
      [`${prefixes.keyPrefix}holdfast_tagged_${words[kind]}:`, ''],
    ] as const) {
      for await (const key of hashes(redis, literally(head + front) + match + tail)) {
        const name = lockNameAt(key.slice(head.length, key.length - tail.length), prefixes);
        if (name !== undefined) yield name;
      }
    }
  } catch (error) {
    throw whyNot(kind, match, error as Error);
  }
}

async function* hashes(redis: Redis, pattern: string): AsyncGenerator<string> {
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const page: unknown = await redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', PAGE, 'TYPE', 'hash');
    const [next, keys] = page as [string, string[]];
    yield* keys;
    cursor = next === '0' ? undefined : next;
  }
}

/** A server that says no has refused; all else is no answer. Who asks knows names, and no keys beside them. */
function whyNot(kind: CounterKind, match: string, cause: Error): Error {
  const { name, message } = cause;
  if (name === 'ReplyError') return new LockRefusedError(match, message.split(' ', 1)[0] ?? '', { cause }, kind);
  return new LockUnavailableError(`Redis gave no answer about any ${kind} like "${match}": ${message}`, undefined, {
    cause,
  });
}

/** Undefined for one that is no more, or whose name something else has by now. */
async function inUse(client: LockClient, kind: CounterKind, name: string): Promise<Counter | undefined> {
  try {
    if (kind === 'latch') {
      const latch = await client.getCountDownLatch(name).inspect();
      return latch.round === undefined ? undefined : { kind, ...latch };
    }
    const semaphore = await client.getSemaphore(name).inspect();
    return semaphore.holders.length === 0 ? undefined : { kind, ...semaphore };
  } catch (error) {
    if (error instanceof LockRefusedError && /^(?:NOTA|WRONGTYPE)/.test(error.redisCode)) return undefined;
    throw error;
  }
}
