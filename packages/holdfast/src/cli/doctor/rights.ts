/**
 * Which rights a user lacks, by name. `ACL DRYRUN` would tell, but who may call that is no user of locks: so each command is sent, in a form that
 * changes nothing. The key is a name of our own that holds a string for a second, so commands for hashes and sorted sets that are allowed answer
 * WRONGTYPE. What is refused stands in the server's ACL LOG afterwards.
 */

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { inboxChannel, lockKeys, type Prefixes } from '@holdfast/core';
import type { Redis } from 'ioredis';
import { addressOf } from '../address.js';
import type { Site } from '../site.js';
import { type Finding, unseen } from './finding.js';
import { examineKinds } from './kinds.js';
import { missingOf, patternUpTo, refusalIn, type Trial, verdict, widest } from './trial.js';

const LIFE_MS = '1000';
const COST_OF_DEAFNESS =
  'a client that may not listen to its inbox is never ready, and may never have its turn at a busy lock';
const COST_IN_A_CLUSTER = 'for latches, observe() of an election, and beside Java, whose news come late without';
const COST_WITHOUT_ASKING = 'while a slot moves, holds are lost and calls wait';

/** Of the user of these connections. `prefixes`: as of the client. Each server of a Cluster has rules of its own: where they differ, those that refuse are named. */
export async function examineRights(
  servers: readonly Redis[],
  prefixes: Required<Prefixes>,
  kind: Site['kind'],
): Promise<Finding[]> {
  const views = await Promise.all(servers.map((redis) => rightsAt(redis, prefixes, kind)));
  const [first = []] = views;
  return first.flatMap((finding, index) => {
    if (views.every((view) => isDeepStrictEqual(view[index], finding))) return [finding];
    const named = views.map((view, server) => ({
      ...(view[index] as Finding),
      node: addressOf(servers[server] as Redis),
    }));
    return named.filter(({ status }) => status !== 'ok');
  });
}

async function rightsAt(redis: Redis, prefixes: Required<Prefixes>, kind: Site['kind']): Promise<Finding[]> {
  const name = `doctor-${randomUUID()}`;
  const keys = lockKeys(name, prefixes);
  const at = (key: string) => prefixes.keyPrefix + key;
  const key = at(keys.lock);
  const inbox = inboxChannel(name);
  const keyRights = await missingOf(
    redis,
    'argument',
    [keys.lock, keys.queue, keys.fresh, keys.dead('a:1')].map((each) => [`~${at(each)}`, 'EXISTS', at(each)]),
  );
  const commands = await missingOf(redis, 'command', callsOn(key));
  const unlooked = commands.includes('+exists')
    ? unseen('keys', 'EXISTS', '+exists')
    : commands.includes('EXISTS')
      ? unseen('keys', 'EXISTS', '+exists', new Error('the server does not know it'))
      : undefined;
  const channels = [
    ...(await missingOf(redis, 'command', [
      ['+publish', 'PUBLISH', inbox, ''],
      ['+pubsub|numsub', 'PUBSUB', 'NUMSUB', inbox],
    ])),
    ...(await missingOf(redis, 'argument', [
      [`&${inbox}`, 'PUBLISH', inbox, ''],
      [`&${keys.releaseChannel}`, 'PUBLISH', keys.releaseChannel, ''],
    ])),
  ];
  const deaf = await unheard(redis, (listener) => listener.subscribe(inbox), ['+subscribe', `&${inbox}`]).catch(
    (error: Error) => error,
  );
  const kept = await unheard(redis, (listener) => listener.unsubscribe(inbox), ['+unsubscribe', '+unsubscribe']).catch(
    () => [],
  );
  const isCluster = kind === 'cluster';
  const shards = isCluster ? await unreached(redis, keys.releaseChannel) : [];
  const asking = isCluster ? await missingOf(redis, 'command', [['+asking', 'ASKING']]) : [];
  const patternOf = (right: string) => patternUpTo(name, right);
  const missingKeys = widest(keyRights.map(patternOf));
  const ofPubSub = (unheardOf: readonly string[]) => {
    const missing = [...new Set([...channels, ...unheardOf, ...kept, ...shards])].map(patternOf);
    return unheardOf.length > 0
      ? verdict('pub/sub', missing, 'bad', COST_OF_DEAFNESS)
      : verdict('pub/sub', missing, 'warn', shards.length > 0 ? COST_IN_A_CLUSTER : undefined);
  };
  return [
    verdict('commands', commands, 'bad'),
    unlooked ?? verdict('keys', missingKeys, 'bad'),
    deaf instanceof Error ? unseen('pub/sub', 'SUBSCRIBE', '+subscribe', deaf) : ofPubSub(deaf),
    ...(isCluster ? [verdict('moving-slots', asking, 'bad', COST_WITHOUT_ASKING)] : []),
    ...(await examineKinds(redis, prefixes, missingKeys)),
  ];
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
 * Rights to the channels of a Cluster, which are on the server of their slot: latches and observers of an election listen there, and with
 * `wakeup: 'redisson'` every lock. Another server refuses rights first, and only then names the one of the slot; before Redis 7 there are no such channels.
 */
async function unreached(redis: Redis, channel: string): Promise<string[]> {
  const told = await redis.call('SPUBLISH', channel, '').catch((error: unknown) => error);
  const heard = await unheard(redis, (listener) => listener.ssubscribe(channel), ['+ssubscribe', `&${channel}`]).catch(
    () => [],
  );
  const lacks = (what: string) => what.startsWith('+') || what.startsWith('&');
  return [...(refusalIn(told) === 'command' ? ['+spublish'] : []), ...heard.filter(lacks)];
}

/** A right, and a call that shows whether it is there. The first makes the key. */
function callsOn(key: string): Trial[] {
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
