/**
 * Whether this client listens where its commands go.
 *
 * It has a connection for commands and one for messages, and both should lead to the same server. What led there may lead elsewhere later: a name that
 * moves, an address that is shared by several servers, a failover that one of the two has outlived. Messages are sent then where nobody here listens,
 * and whoever gives a lock back finds our inbox without a subscriber and passes our calls over. So whenever one of the two is new, or a message has not
 * come, the server of the commands is asked whether it knows our subscription; where it does not, the connection for messages is made anew until it does.
 *
 * Not in a Cluster, where every server hears all. Without the right to ask (`pubsub|numsub`) nothing is known and nothing is done.
 */

import type { ConnectionTools } from './connection-tools.js';
import type { Topology } from './topology.js';

const apart = 'the server that takes the commands is another one: does its address lead to several servers?';
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** What it needs. */
export interface EarshotParts {
  readonly topology: Pick<Topology, 'trustsReceivers' | 'keyspaces'>;
  readonly subscriber: { reconnect(): void };
  /** The channel that is listened to. `confirmed`: the server of the messages has said so. */
  readonly inbox: { readonly confirmed: boolean };
  readonly channel: string;
  readonly tools: Pick<ConnectionTools, 'at' | 'now' | 'onError'>;
}

/** See the module comment. */
export class Earshot {
  readonly #parts: EarshotParts;
  #asking = false;
  #again = false;
  /** After how long the connection is made anew once more; undefined while the last answer was yes. */
  #pauseMs: number | undefined;
  #paused = false;

  constructor(parts: EarshotParts) {
    this.#parts = parts;
  }

  /** One of the connections is new, or a message has not come. */
  check(): void {
    if (!this.#parts.topology.trustsReceivers) return;
    if (this.#asking || this.#paused) this.#again = true;
    else void this.#ask();
  }

  async #ask(): Promise<void> {
    const { topology, inbox, channel } = this.#parts;
    const [keyspace] = topology.keyspaces;
    if (keyspace === undefined || !inbox.confirmed) return;
    this.#asking = true;
    this.#again = false;
    const count = await keyspace.listeners(channel).catch(() => undefined);
    this.#asking = false;
    if (count !== undefined && count > 0) this.#pauseMs = undefined;
    // What has changed meanwhile may be why.
    if (this.#again) this.check();
    else if (count === 0 && inbox.confirmed) this.#lookElsewhere();
  }

  #lookElsewhere(): void {
    const { subscriber, tools } = this.#parts;
    // Once is what a failover looks like.
    if (this.#pauseMs !== undefined) tools.onError('messages', new Error(apart));
    const pauseMs = this.#pauseMs ?? FIRST_PAUSE_MS;
    this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    this.#paused = true;
    tools.at(tools.now() + pauseMs, () => {
      this.#paused = false;
      if (this.#again) this.check();
    });
    subscriber.reconnect();
  }
}
