/**
 * Which rights a user lacks, by name. `ACL DRYRUN` would tell, but who may call that is no user of locks: so each command is sent, in a form that
 * changes nothing. The key is a name of our own that holds a string for a second, so commands for hashes and sorted sets that are allowed answer
 * WRONGTYPE. What is refused stands in the server's ACL LOG afterwards.
 */

import { randomUUID } from 'node:crypto';
import { inboxChannel, lockKeys, readWriteKeys } from '@holdfast/core';
import type { Redis } from 'ioredis';
import type { Site } from '../site.js';
import { type Finding, unseen } from './finding.js';

const LIFE_MS = '1000';
const COST_OF_DEAFNESS =
  'a client that may not listen to its inbox is never ready, and may never have its turn at a busy lock';

/** What locks need of a server. */
export interface Rights {
  readonly commands: Finding;
  readonly keys: Finding;
  readonly pubSub: Finding;
}

/** Of the user of this connection. `prefixes`: as of the client. In a Cluster any server knows: rules are the same everywhere, or should be. */
export async function examineRights(
  redis: Redis,
  prefixes: { prefix: string; keyPrefix: string },
  kind: Site['kind'],
): Promise<Rights> {
  const name = `doctor-${randomUUID()}`;
  const keys = lockKeys(name, prefixes);
  const shared = readWriteKeys(name, prefixes);
  const at = (key: string) => prefixes.keyPrefix + key;
  const key = at(keys.lock);
  const missingOf = async (what: Refusal, tries: readonly (readonly [string, ...string[]])[]) => {
    const missing: string[] = [];
    for (const [right, ...call] of tries) {
      const [command, ...args] = call as [string, ...string[]];
      const error: unknown = await redis.call(command, ...args).catch((reason: unknown) => reason);
      const refusal = refusalIn(error);
      if (refusal === what) missing.push(right);
      else if (refusal === 'absent' && what === 'command') missing.push(command);
    }
    return missing;
  };
  const inbox = inboxChannel(name);
  const keyRights = await missingOf('argument', [
    [`~${key}`, 'EXISTS', key],
    ...[keys.queue, keys.fresh, keys.dead('a:1')].map((each) => [`~${at(each)}`, 'EXISTS', at(each)] as const),
  ]);
  const sharedRights = await missingOf(
    'argument',
    [shared.writers, shared.readers, shared.fresh].map((each) => [`~${at(each)}`, 'EXISTS', at(each)] as const),
  );
  const commands = await missingOf('command', callsOn(key));
  const unlooked = commands.some((each) => /^\+?exists$/i.test(each)) ? unseen('keys', 'EXISTS', '+exists') : undefined;
  const channels = [
    ...(await missingOf('command', [
      ['+publish', 'PUBLISH', inbox, ''],
      ['+pubsub|numsub', 'PUBSUB', 'NUMSUB', inbox],
    ])),
    ...(await missingOf('argument', [
      [`&${inbox}`, 'PUBLISH', inbox, ''],
      [`&${keys.releaseChannel}`, 'PUBLISH', keys.releaseChannel, ''],
    ])),
  ];
  const deaf = await unheard(redis, (listener) => listener.subscribe(inbox), ['+subscribe', `&${inbox}`]).catch(
    (error: Error) => error,
  );
  const shards = kind === 'cluster' ? await unreached(redis, keys.releaseChannel) : [];
  const patternOf = (right: string) => patternUpTo(name, right);
  const ofPubSub = (unheardOf: readonly string[]) => {
    const missing = [...new Set([...channels, ...unheardOf, ...shards])].map(patternOf);
    return unheardOf.length > 0
      ? verdict('pub/sub', missing, 'bad', COST_OF_DEAFNESS)
      : verdict('pub/sub', missing, 'warn');
  };
  return {
    commands: verdict('commands', commands, 'bad'),
    keys:
      unlooked ??
      verdict('keys', widest([...keyRights, ...sharedRights].map(patternOf)), keyRights.length > 0 ? 'bad' : 'warn'),
    pubSub: deaf instanceof Error ? unseen('pub/sub', 'SUBSCRIBE', '+subscribe', deaf) : ofPubSub(deaf),
  };
}

/**
 * For all that begins as this does before the name; a right to a command stays as it is. What means something in a pattern, or to a shell, is any one
 * character there: no quoting gets lost on the way to `ACL SETUSER`.
 */
function patternUpTo(name: string, right: string): string {
  const at = right.indexOf(name);
  return at < 0 ? right : `${right.slice(0, at).replaceAll(/[\s*?[\]\\^'"]/g, '?')}*`;
}

/** Those that none of the others has in it: behind `~*` Redis takes no other pattern. */
function widest(patterns: readonly string[]): string[] {
  return patterns.filter((each) => !patterns.some((other) => other !== each && each.startsWith(other.slice(0, -1))));
}

/** What was refused: a command, or the key or channel that it names; or the server has no such command, as `rename-command` can make it. */
type Refusal = 'command' | 'argument' | 'absent';

function refusalIn(error: unknown): Refusal | undefined {
  const text = error instanceof Error ? error.message : '';
  if (/^ERR unknown command/i.test(text)) return 'absent';
  if (!text.startsWith('NOPERM')) return undefined;
  return /to access .*\b(?:keys?|channels?)\b/.test(text) ? 'argument' : 'command';
}

/** Which of two rights `listen` lacks: one to the command, one to the channel. On a connection of its own: one that listens takes no other commands. */
async function unheard(
  redis: Redis,
  listen: (listener: Redis) => Promise<unknown>,
  [command, argument]: readonly [command: string, argument: string],
): Promise<string[]> {
  const listener = redis.duplicate();
  listener.on('error', () => undefined);
  try {
    await listener.connect();
    await listen(listener);
    return [];
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    return [{ argument, command, absent: command.slice(1).toUpperCase() }[refusal]];
  } finally {
    listener.disconnect();
  }
}

/**
 * Rights to the channels of releases as a Cluster has them, on the server of their slot: to listen there is for `wakeup: 'redisson'`. Another server refuses
 * rights first, and only then names the one of the slot; before Redis 7 there are no such channels.
 */
async function unreached(redis: Redis, channel: string): Promise<string[]> {
  const told = await redis.call('SPUBLISH', channel, '').catch((error: unknown) => error);
  const heard = await unheard(redis, (listener) => listener.ssubscribe(channel), ['+ssubscribe', `&${channel}`]).catch(
    () => [],
  );
  const lacks = (what: string) => what.startsWith('+') || what.startsWith('&');
  return [...(refusalIn(told) === 'command' ? ['+spublish'] : []), ...heard.filter(lacks)];
}

/** @param cost - what comes of it, where the name of the check does not say so. */
function verdict(check: string, missing: readonly string[], otherwise: 'bad' | 'warn', cost?: string): Finding {
  if (missing.length === 0) return { check, status: 'ok', detail: 'all rights are there' };
  const rights = missing.filter((each) => /^[+~&]/.test(each));
  const absent = missing.filter((each) => !rights.includes(each));
  const parts = [
    ...(cost === undefined ? [] : [cost]),
    ...(rights.length > 0 ? [`missing: ${rights.join(' ')}`] : []),
    ...(absent.length > 0 ? [`the server does not know ${absent.join(', ')}: look for rename-command`] : []),
  ];
  return { check, status: otherwise, detail: parts.join('; '), missing };
}

/** A right, and a call that shows whether it is there. The first makes the key. */
function callsOn(key: string): [string, ...string[]][] {
  return [
    ['+set', 'SET', key, '1', 'PX', LIFE_MS],
    ['+eval', 'EVAL', 'return 1', '1', key],
    ['+evalsha', 'EVALSHA', '0'.repeat(40), '1', key],
    ['+exists', 'EXISTS', key],
    ['+pttl', 'PTTL', key],
    ['+pexpire', 'PEXPIRE', key, LIFE_MS],
    ['+time', 'TIME'],
    ['+hset', 'HSET', key, 'a', '1'],
    ['+hget', 'HGET', key, 'a'],
    ['+hmget', 'HMGET', key, 'a'],
    ['+hgetall', 'HGETALL', key],
    ['+hlen', 'HLEN', key],
    ['+hscan', 'HSCAN', key, '0'],
    ['+hexists', 'HEXISTS', key, 'a'],
    ['+hdel', 'HDEL', key, 'a'],
    ['+zadd', 'ZADD', key, '1', 'a'],
    ['+zrem', 'ZREM', key, 'a'],
    ['+zcard', 'ZCARD', key],
    ['+zrank', 'ZRANK', key, 'a'],
    ['+zscore', 'ZSCORE', key, 'a'],
    ['+zpopmin', 'ZPOPMIN', key],
    ['+zrange', 'ZRANGE', key, '0', '0'],
    ['+del', 'DEL', key],
  ];
}
