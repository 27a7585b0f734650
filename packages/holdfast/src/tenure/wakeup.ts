/**
 * How a waiting tenure learns that it should look again: one strategy for each mode of a client.
 *
 * - queue: the tenure stands in the queue in Redis and a release writes it as owner and tells its inbox.
 * - Redisson: no tenure queues; every release is announced on the lock's channel and all clients that wait try again.
 *
 * In both, a message only says "look": timers repeat every ask, so that lost messages cost time and never the lock.
 */

import { type Inbox, type InboxListener, nextAskDelayMs, type ReaskSituation } from '@holdfast/notify';
import type { Appointment, Clock, Schedule } from '@holdfast/watchdog';
import { ForeignOwners, lettingInMs } from './foreign-owners.js';
import { type Broadcasts, BroadcastSubscription } from './broadcast-subscription.js';
import type { Operations } from './operations.js';

/** What no message has told of. */
export type Missed = 'grant' | 'free lock';

/** How one tenure is woken. */
export interface WakeupSubscription {
  /** Whether an ask may put the tenure into the queue now. */
  readonly mayQueue: boolean;
  /** Whether a message can reach the tenure now. */
  readonly open: boolean;
  /**
   * Starts listening for the release of a busy lock, unless it does or is about to. What was refused is tried anew. `opened` is called once when it listens;
   * in the queue mode never, since there the inbox tells all its listeners when it opens.
   */
  listen(opened: () => void): void;
  /** How long to wait, in milliseconds, before the next ask, now that one has found the lock busy. */
  pauseMs(found: ReaskSituation): number;
  /** No message came: of a grant, which was sent, or of a free lock, of which none may have been sent. */
  missed(what: Missed): void;
  close(): void;
}

/** One mode of waking; one for a client. */
export interface Wakeup {
  /** Other processes may be waiting without our knowing: the lock is handed over as if they were. */
  readonly blind: boolean;
  /** A message that gives a lock to a tenure that waits can reach this client now. */
  readonly hears: boolean;
  /** A grant was sent to this client, did not come, and none has come since: as where its user may not publish. */
  deaf?: boolean;
  /** Who else has the locks that this mode shares with clients in other languages; undefined: it shares none. */
  readonly foreignOwners: ForeignOwners | undefined;
  subscribe(operations: Operations, tenure: string, listener: InboxListener): WakeupSubscription;
}

/** The inbox is opened in the background with the first acquisition, so that the first wait finds it open. */
function hear(inbox: Inbox, tenure: string, listener: InboxListener): void {
  inbox.register(tenure, listener);
  if (!inbox.confirmed) void inbox.open();
}

/** Grants by message; see the module comment. */
export class QueueWakeup implements Wakeup {
  readonly blind = false;
  readonly foreignOwners = undefined;
  deaf = false;
  readonly inbox: Inbox;
  readonly onMissed: (what: Missed) => void;
  readonly #joins: 'when heard' | 'at once';

  /**
   * @param onMissed - no message came: the connection may be open and dead.
   * @param joins - whether a tenure that no message can reach yet joins the queue with its first ask. It may be passed over there, and comes back to its
   * place by its next ask, so only who wants its place more than a quick answer does it.
   */
  constructor(inbox: Inbox, onMissed: (what: Missed) => void, joins: 'when heard' | 'at once') {
    this.inbox = inbox;
    this.onMissed = onMissed;
    this.#joins = joins;
  }

  get hears(): boolean {
    return this.inbox.confirmed;
  }

  subscribe(_: Operations, tenure: string, listener: InboxListener): WakeupSubscription {
    hear(this.inbox, tenure, listener);
    return new QueueSubscription(this, tenure, this.#joins);
  }
}

/** A class, because an object with accessors and closures of its own costs some 800 bytes for every lock that is held. */
class QueueSubscription implements WakeupSubscription {
  readonly #wakeup: QueueWakeup;
  readonly #tenure: string;
  #joins: boolean;

  constructor(wakeup: QueueWakeup, tenure: string, joins: 'when heard' | 'at once') {
    this.#wakeup = wakeup;
    this.#tenure = tenure;
    this.#joins = joins === 'at once';
  }

  /**
   * A waiter in the queue that no message can reach would be skipped by every release. Past the first try it queues all the same: its asks
   * keep its place, and the subscriber will be back.
   */
  get mayQueue(): boolean {
    return this.#joins || this.#wakeup.inbox.confirmed;
  }

  get open(): boolean {
    return this.#wakeup.inbox.confirmed;
  }

  /** When the inbox opens it tells all who have a place there: nothing here may wait for that, which can take for ever. */
  listen(): void {
    this.#joins = true;
    void this.#wakeup.inbox.open();
  }

  pauseMs(found: ReaskSituation): number {
    return nextAskDelayMs(found);
  }

  missed(what: Missed): void {
    this.#wakeup.deaf ||= what === 'grant';
    this.#wakeup.onMissed(what);
  }

  close(): void {
    this.#wakeup.inbox.unregister(this.#tenure);
  }
}

interface RedissonWakeupParts {
  readonly inbox: Inbox;
  readonly broadcasts: Broadcasts;
  readonly clock: Clock;
  readonly waits: Schedule;
  readonly random: () => number;
  readonly sender: { roundTripMs(key: string): number };
}

/** Redisson's broadcast; see the module comment. */
export class RedissonWakeup implements Wakeup {
  readonly blind = true;
  readonly hears = false;
  readonly foreignOwners: ForeignOwners;
  readonly #parts: RedissonWakeupParts;

  constructor(parts: RedissonWakeupParts) {
    this.#parts = parts;
    this.foreignOwners = new ForeignOwners(parts.clock);
  }

  subscribe(operations: Operations, tenure: string, listener: InboxListener): WakeupSubscription {
    hear(this.#parts.inbox, tenure, listener);
    return new RedissonSubscription(this.#parts, this.foreignOwners, { operations, tenure, listener });
  }
}

class RedissonSubscription implements WakeupSubscription {
  readonly mayQueue = false;
  readonly #parts: RedissonWakeupParts;
  readonly #foreignOwners: ForeignOwners;
  readonly #key: string;
  readonly #tenure: string;
  readonly #listener: InboxListener;
  readonly #heard: BroadcastSubscription;
  /** A release was heard of, and others are let in first. */
  #later: Appointment | undefined;

  constructor(
    parts: RedissonWakeupParts,
    foreignOwners: ForeignOwners,
    { operations, tenure, listener }: { operations: Operations; tenure: string; listener: InboxListener },
  ) {
    const { releaseChannel, key } = operations;
    this.#parts = parts;
    this.#foreignOwners = foreignOwners;
    this.#key = key;
    this.#tenure = tenure;
    this.#listener = listener;
    this.#heard = new BroadcastSubscription(parts.broadcasts, releaseChannel, key, () => this.#look());
  }

  get open(): boolean {
    return this.#heard.open;
  }

  listen(opened: () => void): void {
    this.#heard.listen(opened);
  }

  #look(): void {
    if (!this.#foreignOwners.has(this.#key)) this.#listener.onGap();
    else this.#later ??= this.#letOthersIn();
  }

  #letOthersIn(): Appointment {
    const { clock, waits, random, sender } = this.#parts;
    const afterMs = random() * lettingInMs(sender.roundTripMs(this.#key));
    return waits.at(clock.now() + afterMs, () => {
      this.#later = undefined;
      this.#listener.onGap();
    });
  }

  pauseMs(found: ReaskSituation): number {
    return nextAskDelayMs(found);
  }

  missed(): void {}

  close(): void {
    this.#heard.close();
    this.#later?.cancel();
    this.#parts.inbox.unregister(this.#tenure);
  }
}
