/**
 * How a waiting tenure learns that it should look again: one strategy for each mode of a client.
 *
 * - queue: the tenure stands in the queue in Redis and a release writes it as owner and tells its inbox.
 * - Redisson: nobody queues; every release is announced on the lock's channel and all who wait try again.
 *
 * In both, a message only says "look": the monitor's timers repeat every ask, so that lost messages cost time and never the lock.
 */

import type { LockKeys } from '@holdfast/core';
import type { Inbox, InboxListener, ReleaseBroadcast } from '@holdfast/notify';

/** One tenure's ear. */
export interface Ear {
  /** Whether an ask may put the tenure into the queue now. */
  readonly mayQueue: boolean;
  /** Whether a message can reach the tenure now. */
  readonly open: boolean;
  /** Starts listening for the release of a busy lock, if it does not yet, and calls `opened` once when it does. */
  listen(opened: () => void): void;
  /** The tenure was granted and no message has said so. */
  missed(): void;
  close(): void;
}

/** Makes ears. */
export interface Wakeup {
  /** Others may be waiting without our knowing: hand over as if they were. */
  readonly blind: boolean;
  ear(keys: LockKeys, tenure: string, listener: InboxListener): Ear;
}

/** Grants by message; see the module comment. */
export class QueueWakeup implements Wakeup {
  readonly blind = false;
  readonly #inbox: Inbox;
  readonly #onMissed: () => void;

  /** @param onMissed - a message that should have come did not: the connection may be open and dead. */
  constructor(inbox: Inbox, onMissed: () => void) {
    this.#inbox = inbox;
    this.#onMissed = onMissed;
  }

  ear(_keys: LockKeys, tenure: string, listener: InboxListener): Ear {
    this.#inbox.register(tenure, listener);
    // Opened in the background with the first acquisition, so that the first wait finds it open.
    if (!this.#inbox.confirmed) void this.#inbox.open().catch(() => undefined);
    return new QueueEar(this.#inbox, tenure, this.#onMissed);
  }
}

/** A class, because an object with accessors and closures of its own costs some 800 bytes for every lock that is held. */
class QueueEar implements Ear {
  readonly #inbox: Inbox;
  readonly #tenure: string;
  readonly #onMissed: () => void;
  #past = false;

  constructor(inbox: Inbox, tenure: string, onMissed: () => void) {
    this.#inbox = inbox;
    this.#tenure = tenure;
    this.#onMissed = onMissed;
  }

  /**
   * A waiter in the queue that no message can reach would be skipped by every release. Past the first try it queues all the same: its asks
   * keep its place, and the subscriber will be back.
   */
  get mayQueue(): boolean {
    return this.#past || this.#inbox.confirmed;
  }

  get open(): boolean {
    return this.#inbox.confirmed;
  }

  listen(opened: () => void): void {
    this.#past = true;
    this.#inbox.open().then(opened, () => undefined);
  }

  missed(): void {
    this.#onMissed();
  }

  close(): void {
    this.#inbox.unregister(this.#tenure);
  }
}

/** Redisson's broadcast; see the module comment. */
export class RedissonWakeup implements Wakeup {
  readonly blind = true;
  readonly #inbox: Inbox;
  readonly #broadcast: ReleaseBroadcast;

  constructor(inbox: Inbox, broadcast: ReleaseBroadcast) {
    this.#inbox = inbox;
    this.#broadcast = broadcast;
  }

  ear(keys: LockKeys, tenure: string, listener: InboxListener): Ear {
    this.#inbox.register(tenure, listener);
    if (!this.#inbox.confirmed) void this.#inbox.open().catch(() => undefined);
    const look = () => listener.onGap();
    let membership: ReturnType<ReleaseBroadcast['join']> | undefined;
    let confirmed = false;
    return {
      mayQueue: false,
      get open() {
        return confirmed;
      },
      listen: (opened) => {
        if (membership !== undefined) return;
        membership = this.#broadcast.join(keys.releaseChannel, { onReleased: look, onGap: look });
        membership.confirmed.then(
          () => {
            confirmed = true;
            opened();
          },
          () => undefined,
        );
      },
      missed: () => undefined,
      close: () => {
        membership?.leave();
        this.#inbox.unregister(tenure);
      },
    };
  }
}
