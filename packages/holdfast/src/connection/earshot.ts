/**
 * Whether this client listens where its commands go.
 *
 * It has a connection for commands and one for messages, and both should lead to the same server. What led there may lead elsewhere later: a name that
 * moves, an address that is shared by several servers, a failover that one of the two has outlived. Messages are sent then where nobody here listens,
 * and whoever gives a lock back finds our inbox without a subscriber and passes our calls over. So whenever the inbox is subscribed, the connection for
 * commands is new, or a message has not come, the server of the commands is asked whether it knows our subscription; where it does not, the connection for
 * messages is made anew until it does. Where it does not say, it is asked again: the right to ask (`pubsub|numsub`) may come.
 *
 * Only of the inbox does the number of subscribers say anything: to other channels others listen too. So whoever listens to one, as those do who wait
 * for a latch or observe an election, opens the inbox besides.
 *
 * Not in a Cluster, where every server hears all.
 */

import type { Inbox, SubscriberListener } from '@holdfast/notify';
import type { ConnectionTools } from './connection-tools.js';
import type { Topology } from './topology.js';

const elsewhere = 'the server that takes the commands is another one: does its address lead to several servers?';
/** After this the server is asked again which has not said whether it knows the subscription. */
const UNTOLD_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** What it needs. */
export interface EarshotParts {
  readonly topology: Pick<Topology, 'trustsReceivers' | 'keyspaces'>;
  readonly subscriber: { hears(channel: string): boolean; reconnect(): void };
  /** The inbox: nobody else listens to it. */
  readonly channel: string;
  readonly inbox: Pick<Inbox, 'open'>;
  readonly tools: Pick<ConnectionTools, 'after' | 'onError'>;
}

/** See the module comment. */
export class Earshot implements SubscriberListener {
  readonly #parts: EarshotParts;
  /** Whether the inbox was opened for another channel on this connection: a user may not be allowed to. */
  #opened = false;
  #asking = false;
  #again = false;
  /** After how long the connection is made anew once more; undefined while the last answer was yes. */
  #pauseMs: number | undefined;
  #paused = false;
  #untold: { cancel(): void } | undefined;

  constructor(parts: EarshotParts) {
    this.#parts = parts;
  }

  onConfirmed(channel: string): void {
    const { topology, inbox, channel: own } = this.#parts;
    if (channel === own) this.check();
    else if (topology.trustsReceivers && !this.#opened) {
      this.#opened = true;
      inbox.open().catch(() => undefined);
    }
  }

  onMessage(): void {}

  onLost(): void {
    this.#opened = false;
  }

  onRestored(): void {}

  /** What was known of the two connections may be so no more. */
  check(): void {
    if (!this.#parts.topology.trustsReceivers) return;
    if (this.#asking || this.#paused) this.#again = true;
    else void this.#ask();
  }

  async #ask(): Promise<void> {
    const { topology, subscriber, channel, tools } = this.#parts;
    const [keyspace] = topology.keyspaces;
    if (keyspace === undefined || !subscriber.hears(channel)) return;
    this.#asking = true;
    this.#again = false;
    this.#untold?.cancel();
    // Nor does it say so when the answer never comes: a client of yours may have forgotten the question with its connection.
    this.#untold = tools.after(UNTOLD_MS, () => {
      this.#asking = false;
      this.check();
    });
    const count = await keyspace.listeners(channel).catch(() => undefined);
    this.#asking = false;
    const isHeard = subscriber.hears(channel);
    // Subscribed again it is looked at again; a client that is closed has left it.
    if (count !== undefined || !isHeard) this.#untold?.cancel();
    if (count !== undefined && count > 0) this.#pauseMs = undefined;
    // What has changed meanwhile may be why.
    if (this.#again) this.check();
    else if (count === 0 && isHeard) this.#lookElsewhere();
  }

  #lookElsewhere(): void {
    const { subscriber, tools } = this.#parts;
    // The first time may be a failover, and is over with the next connection.
    if (this.#pauseMs !== undefined) tools.onError('messages', new Error(elsewhere));
    const pauseMs = this.#pauseMs ?? FIRST_PAUSE_MS;
    this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    this.#paused = true;
    tools.after(pauseMs, () => {
      this.#paused = false;
      if (this.#again) this.check();
    });
    subscriber.reconnect();
  }
}
