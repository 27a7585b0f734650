/**
 * Redisson's channels in a Cluster, as its own clients hear them there: sharded, each on the server that keeps the lock.
 *
 * One connection for each server on which a call of this client waits for a lock. When a slot moves, its waiters do not move along by themselves:
 * the connection is opened anew, which tells them to look, and those that have to go on waiting join at the server of that moment (see
 * `tenure/wakeup.ts`). A server without sharded channels says so once, and is not asked again
 * before that connection is lost: behind it there may be a later version then. One that keeps no lock any more may be gone for good, and is not
 * listened to: over the months there may be many of them.
 */

import { ReleaseBroadcast } from '@holdfast/notify';
import type { RedisOptions } from 'ioredis';
import type { Topology } from './topology.js';
import type { ConnectionTools } from './connection-tools.js';
import { Subscriber } from './subscriber.js';
import { sharded } from './pub-sub-commands.js';

interface Shard {
  readonly subscriber: Subscriber;
  readonly broadcast: ReleaseBroadcast;
}

/** See the module comment. */
export class Shards {
  readonly #topology: Topology;
  readonly #tools: ConnectionTools;
  readonly #shards = new Map<string, Shard>();
  /** Servers that know nothing of sharded channels. */
  readonly #without = new Set<string>();

  readonly #closing = new Set<Promise<void>>();

  constructor(topology: Topology, tools: ConnectionTools) {
    this.#topology = topology;
    this.#tools = tools;
    topology.listen({ onUp: () => this.#leave((node) => topology.keeps?.(node) === false) });
  }

  /** The broadcast of the server that keeps a lock now; undefined where there are no sharded channels or the server is not known. */
  of(lockKey: string): ReleaseBroadcast | undefined {
    const node = this.#topology.sharded ? this.#topology.nodeOf(lockKey) : undefined;
    if (node === undefined || this.#without.has(node)) return undefined;
    const shard = this.#shards.get(node) ?? this.#open(node);
    return shard.broadcast;
  }

  async close(): Promise<void> {
    this.#leave(() => true);
    await Promise.all(this.#closing);
  }

  #leave(isOver: (node: string) => boolean): void {
    for (const [node, shard] of this.#shards) {
      if (!isOver(node)) continue;
      this.#shards.delete(node);
      const closed: Promise<void> = close(shard).finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
  }

  #open(node: string): Shard {
    const topology = this.#topology;
    const source = {
      trustsReceivers: topology.trustsReceivers,
      get ended() {
        return topology.ended;
      },
      openSubscriber: (options: RedisOptions) =>
        topology.openSubscriberTo?.(node, options)?.on('close', () => this.#without.delete(node)),
    };
    const onError = (connection: string, error: unknown) => {
      // What ends because we end it is no trouble.
      if (this.#shards.get(node)?.subscriber !== subscriber) return;
      const message = error instanceof Error ? error.message : '';
      if (/unknown command/i.test(message)) this.#without.add(node);
      // The server has ended a subscription because its slot has gone, and ioredis 5 does not know what to make of it.
      else if (message.startsWith('Command queue state error')) subscriber.reconnect();
      else if (!message.startsWith('MOVED')) this.#tools.onError(connection, error);
    };
    const subscriber = new Subscriber(source, { ...this.#tools, onError }, sharded);
    const broadcast = new ReleaseBroadcast({ port: subscriber, onError: (error) => onError('messages', error) });
    subscriber.listen(broadcast.listener);
    const shard = { subscriber, broadcast };
    this.#shards.set(node, shard);
    return shard;
  }
}

async function close({ subscriber, broadcast }: Shard): Promise<void> {
  await subscriber.close();
  await broadcast.close();
}
