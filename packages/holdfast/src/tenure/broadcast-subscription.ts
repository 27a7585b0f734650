/**
 * Channels on which everybody hears the same, as Redisson's are: all who listen look for themselves.
 *
 * In a Cluster there may be two worlds of them: Redisson's clients publish in the sharded world of pub/sub, or, set otherwise or old, in the plain
 * one, and the two do not hear each other. Listening in both costs one more SSUBSCRIBE and makes no setting necessary.
 */

import type { ReleaseBroadcast } from '@holdfast/notify';
import type { Shards } from '../connection/shards.js';

/** Both worlds, as one client on one Redis hears them. */
export interface Broadcasts {
  readonly plain: ReleaseBroadcast;
  readonly shards: Pick<Shards, 'of'>;
}

/** See the module comment: one who listens to one channel, once it is told to. */
export class BroadcastSubscription {
  readonly #worlds: Broadcasts;
  readonly #channel: string;
  readonly #key: string | undefined;
  readonly #look: () => void;
  /** Where it listens, or is about to. */
  readonly #joined = new Map<ReleaseBroadcast, { leave: () => void; heard: boolean }>();

  /**
   * @param key - of the channel's slot; undefined when only the plain world is to be listened in.
   * @param look - something was said, or may have been missed.
   */
  constructor(worlds: Broadcasts, channel: string, key: string | undefined, look: () => void) {
    this.#worlds = worlds;
    this.#channel = channel;
    this.#key = key;
    this.#look = look;
  }

  /** Where something may be said on it now. */
  get #broadcasts(): readonly ReleaseBroadcast[] {
    const { plain, shards } = this.#worlds;
    const shard = this.#key === undefined ? undefined : shards.of(this.#key);
    return shard === undefined ? [plain] : [plain, shard];
  }

  /** Whether a message can reach it now. */
  get open(): boolean {
    return this.#broadcasts.every((broadcast) => this.#joined.get(broadcast)?.heard);
  }

  /** Starts listening, unless it does or is about to, and calls `opened` once when it does. Where it was refused it tries anew: it may have the right now. */
  listen(opened: () => void): void {
    const broadcasts = this.#broadcasts;
    // The key has gone to another server.
    for (const [broadcast, { leave }] of this.#joined) {
      if (broadcasts.includes(broadcast)) continue;
      leave();
      this.#joined.delete(broadcast);
    }
    const confirmations = broadcasts.filter((broadcast) => !this.#joined.has(broadcast)).map((one) => this.#join(one));
    // Not when all have refused: `opened` would look, and listen again.
    void Promise.all(confirmations).then((heard) => {
      if (heard.includes(true)) opened();
    });
  }

  close(): void {
    for (const { leave } of this.#joined.values()) leave();
  }

  /** Whether it listens there; resolves too when it has been refused. */
  async #join(broadcast: ReleaseBroadcast): Promise<boolean> {
    const { confirmed, leave } = broadcast.join(this.#channel, { onReleased: this.#look, onGap: this.#look });
    const membership = { leave, heard: false };
    this.#joined.set(broadcast, membership);
    try {
      await confirmed;
      membership.heard = true;
    } catch {
      if (this.#joined.get(broadcast) === membership) this.#joined.delete(broadcast);
    }
    return membership.heard;
  }
}
