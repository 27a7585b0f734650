/**
 * A lookout: looks at something in Redis again and again until it is told to stop, for those who wait for it to change.
 *
 *      look -> under way -> seen: tell, then listen, and look again after R, on a message, or on a gap
 *       ^          |------> refused, no connection any more: failed
 *       +----------+
 *
 * A message only says "look". It is looked once more when the channel is heard, because what was said before that was missed; and each R,
 * because messages may be lost. At most one look is under way; a wish to look meanwhile is kept and carried out after the answer. Messages cost
 * no more than a few looks in R at once, and then one every {@link SPACED_MS}: a flood of them makes nobody a poller.
 */

import type { Command } from '@holdfast/core';
import { nextAskDelayMs } from '@holdfast/notify';
import type { Appointment } from '@holdfast/watchdog';
import type { ClientParts } from '../client-parts.js';
import type { Answer, Request } from '../connection/pending-command.js';
import { BroadcastSubscription } from '../tenure/broadcast-subscription.js';
import type { Failure } from '../tenure/failures.js';

/** What is looked at. */
export interface Scenery<R> {
  readonly key: string;
  /** Where it is said that it has changed. */
  readonly channel: string;
  /** See `LatchKeys.channelSlot`; that of the key unless it is given. */
  readonly channelSlot?: 'of the keys' | 'another';
  look(): Command<R>;
}

/** Told what is seen. */
export interface LookoutListener<R> {
  /** `sentAt`: clock time from which on it was so, at some moment. */
  onSeen(reply: R, sentAt: number): void;
  /** The lookout has stopped. */
  onFailed(failure: Failure): void;
}

/** What a lookout needs of its client. */
export type LookoutParts = Pick<ClientParts, 'sender' | 'broadcasts' | 'clock' | 'waits' | 'settings' | 'random'>;

const MOST_AT_ONCE = 8;
const SPACED_MS = 50;

/** See the module comment. */
export class Lookout<R> {
  readonly #parts: LookoutParts;
  readonly #scenery: Scenery<R>;
  readonly #listener: LookoutListener<R>;
  readonly #subscription: BroadcastSubscription;
  #request: Request<R> | undefined;
  #lookedAt = -Infinity;
  #next: Appointment | undefined;
  #again = false;
  #stopped = false;
  #periodSince = -Infinity;
  #messages = 0;

  constructor(parts: LookoutParts, scenery: Scenery<R>, listener: LookoutListener<R>) {
    this.#parts = parts;
    this.#scenery = scenery;
    this.#listener = listener;
    // The server of the key would turn a channel of another slot away.
    const shardOf = scenery.channelSlot === 'another' ? undefined : scenery.key;
    this.#subscription = new BroadcastSubscription(parts.broadcasts, scenery.channel, shardOf, () => this.#told());
  }

  /** Clock time since which a look is unanswered; undefined when none is. */
  get unansweredSince(): number | undefined {
    return this.#request === undefined ? undefined : this.#lookedAt;
  }

  /** The server has answered the look under way that it cannot do it now. */
  get setback(): boolean {
    return this.#request?.setback === true;
  }

  /** Why the look under way has no answer yet, as far as is known. */
  get trouble(): Error | undefined {
    return this.#request?.trouble;
  }

  /** Looks now; while a look is under way, once more after its answer. */
  look(): void {
    if (this.#stopped) return;
    if (this.#request !== undefined) {
      this.#again = true;
      return;
    }
    this.#next?.cancel();
    this.#again = false;
    const { sender, clock } = this.#parts;
    const { key } = this.#scenery;
    this.#lookedAt = clock.now();
    this.#request = sender.request(key, { build: () => this.#scenery.look() }, { inLastingTrouble: 'give up' });
    this.#request.whenAnswered({ onAnswer: (answer) => this.#answered(answer) });
  }

  /** Nothing is told from now on. */
  stop(): void {
    this.#stopped = true;
    this.#next?.cancel();
    this.#request?.drop();
    this.#subscription.close();
  }

  #answered(answer: Answer<R>): void {
    this.#request = undefined;
    if (this.#stopped) return;
    if (answer.kind !== 'reply') {
      this.stop();
      this.#listener.onFailed(answer);
      return;
    }
    this.#listener.onSeen(answer.reply, answer.sentAt);
    // The listener may have seen enough, or wants to look again.
    if (this.#stopped || this.#request !== undefined) return;
    if (!this.#subscription.open) this.#subscription.listen(() => this.look());
    const { settings, random } = this.#parts;
    if (this.#again && this.#messages <= MOST_AT_ONCE) this.look();
    else if (this.#again) this.#lookIn(SPACED_MS);
    else this.#lookIn(nextAskDelayMs({ reaskMs: settings.reaskMs, position: 0, random }));
  }

  #lookIn(delayMs: number): void {
    const { waits, clock } = this.#parts;
    this.#next?.cancel();
    this.#next = waits.at(clock.now() + delayMs, () => this.look());
  }

  #told(): void {
    const { clock, settings } = this.#parts;
    if (clock.now() - this.#periodSince >= settings.reaskMs) {
      this.#periodSince = clock.now();
      this.#messages = 0;
    }
    const quietMs = clock.now() - this.#lookedAt;
    if (++this.#messages <= MOST_AT_ONCE || quietMs >= SPACED_MS) this.look();
    else if (this.#request !== undefined) this.#again = true;
    else if (!this.#stopped) this.#lookIn(SPACED_MS - quietMs);
  }
}
