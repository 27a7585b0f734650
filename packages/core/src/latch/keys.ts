import { hashedPart } from '../protocol/key-slot.js';
import { KeysOfName } from '../protocol/keys.js';
import type { Prefixes } from '../protocol/names.js';

/** The Redis keys and channels of one countdown latch. */
export interface LatchKeys {
  /** As the latch was asked for, without prefixes. */
  readonly name: string;
  /** String: what is left to be counted. This is the name itself, as in Redisson. */
  readonly latch: string;
  /** Hash: which request has set this round, and who has counted in it. */
  readonly round: string;
  /**
   * String: which round was begun last. It outlives the round, and a waiter that misses it knows that data was lost. Named as the records of requests are,
   * so that nobody needs new rights for it.
   */
  readonly mark: string;
  /** Tombstone of a request: what it was answered. */
  dead(request: string): string;
  /** Redisson's channel: `0` when the count has reached 0, `1` when a round begins. */
  readonly channel: string;
  /** Where a Cluster has the channel: in the slot of the keys, or, for some names with braces, in another one. */
  readonly channelSlot: 'of the keys' | 'another';
}

/** Names the keys of a countdown latch, by the rules of {@link lockKeys}. @throws TypeError, RangeError as {@link assertLockName}. */
export function latchKeys(name: string, prefixes: Prefixes = {}): LatchKeys {
  return new KeysOfLatch(name, prefixes);
}

class KeysOfLatch extends KeysOfName implements LatchKeys {
  get latch(): string {
    return this.lock;
  }

  get round(): string {
    return this.of('latch_round');
  }

  get mark(): string {
    return this.dead('round');
  }

  get channel(): string {
    // Redisson puts its braces around whatever the name is.
    return `redisson_countdownlatch__channel__{${this.place}}`;
  }

  get channelSlot(): LatchKeys['channelSlot'] {
    return hashedPart(this.channel) === hashedPart(this.place) ? 'of the keys' : 'another';
  }
}
