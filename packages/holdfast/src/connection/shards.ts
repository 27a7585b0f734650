/**
 * Redisson's channels in a Cluster, as its own clients hear them there: sharded, each on the server that keeps the lock.
 *
 * One connection for each server on which somebody here waits for a lock. When a slot moves, its waiters do not move along by themselves:
 * the connection is opened anew, which tells them to look, and whoever has to go on waiting joins at the server of that moment (see
 * `lock/wakeup.ts`). A server without sharded channels says so once, and is not asked again.
 */

import { fanOut, ReleaseBroadcast } from '@holdfast/notify';
import type { Link } from './link.js';
import type { LinkTools } from './link-tools.js';
import { Subscriber } from './subscriber.js';
import { sharded } from './world.js';

interface Shard {
  readonly subscriber: Subscriber;
  readonly broadcast: ReleaseBroadcast;
}

/** See the module comment. */
export class Shards {
  readonly #link: Link;
  readonly #tools: LinkTools;
  readonly #shards = new Map<string, Shard>();
  #known = true;

  constructor(link: Link, tools: LinkTools) {
    this.#link = link;
    this.#tools = tools;
  }

  /** The broadcast of the server that keeps a lock now; undefined where there are no sharded channels or the server is not known. */
  of(lockKey: string): ReleaseBroadcast | undefined {
    const node = this.#known && this.#link.sharded ? this.#link.nodeOf(lockKey) : undefined;
    if (node === undefined) return undefined;
    const shard = this.#shards.get(node) ?? this.#open(node);
    return shard.broadcast;
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#shards.values()].map(async ({ subscriber, broadcast }) => {
        await subscriber.close();
        await broadcast.close();
      }),
    );
  }

  #open(node: string): Shard {
    const link = this.#link;
    const source = {
      trustsReceivers: link.trustsReceivers,
      get ended() {
        return link.ended;
      },
      openSubscriber: link.openSubscriberTo.bind(link, node),
    };
    const onError = (connection: string, error: unknown) => this.#failed(subscriber, connection, error);
    const subscriber = new Subscriber(source, { ...this.#tools, onError }, sharded);
    const broadcast = new ReleaseBroadcast({ port: subscriber, onError: (error) => onError('messages', error) });
    fanOut(subscriber, [broadcast]);
    const shard = { subscriber, broadcast };
    this.#shards.set(node, shard);
    return shard;
  }

  #failed(subscriber: Subscriber, connection: string, error: unknown): void {
    const message = error instanceof Error ? error.message : '';
    if (/unknown command/i.test(message)) this.#known = false;
    // The server has ended a subscription because its slot has gone, and ioredis 5 does not know what to make of it.
    else if (message.startsWith('Command queue state error')) subscriber.reconnect();
    else if (!message.startsWith('MOVED')) this.#tools.onError(connection, error);
  }
}
