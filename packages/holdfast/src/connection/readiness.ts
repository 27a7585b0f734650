/**
 * Whether a client could lock now: every server that keeps locks is reached, as far as they are known, and messages are heard.
 *
 * A wait for that makes the connections which are missing, and ends at once when one of them cannot be made as things are. A connection over which nothing is
 * asked shows nothing of a server that hangs: so the wait hears from each that has been quiet, too.
 */

import type { AbortHub, Inbox } from '@holdfast/notify';
import { Wait } from '@holdfast/notify';
import { LockClientClosedError } from '../errors.js';
import type { Topology } from './topology.js';
import { whenOver, type Timing } from './reading.js';
import { redacted } from './reply-errors.js';
import type { Subscriber } from './subscriber.js';
import { isLasting } from './trouble.js';
import { connectionClosed, unavailable } from './unavailable.js';

/** Any would do: it is only by a lock that a topology is asked to connect. */
const SOME_LOCK = 'holdfast';

/** How a wait may end, except by being ready. */
export interface Patience {
  /** Time in which the event loop stood still does not count. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What waits need. */
export interface ReadinessParts extends Timing {
  readonly aborts: AbortHub;
}

/** See the module comment. */
export class Readiness {
  readonly #topology: Topology;
  readonly #inbox: Pick<Inbox, 'confirmed' | 'open'> | undefined;
  readonly #parts: ReadinessParts;
  readonly #messages: Pick<Subscriber, 'trouble'> | undefined;
  readonly #waiting = new Set<Wait<void>>();
  #resume: (() => void) | undefined;
  /** The inbox is being opened. That may take for ever, and calls come and go meanwhile. */
  #opening = false;
  #closed = false;

  /** @param inbox - has to be heard besides; undefined for who only asks and waits for no message: a replica can tell too. */
  constructor(
    topology: Topology,
    inbox: Pick<Inbox, 'confirmed' | 'open'> | undefined,
    parts: ReadinessParts,
    messages?: Pick<Subscriber, 'trouble'>,
  ) {
    this.#messages = messages;
    this.#topology = topology;
    this.#inbox = inbox;
    this.#parts = parts;
    topology.listen({
      onDown: () => {
        if (topology.ended) this.#fail(connectionClosed());
      },
      onLastingTrouble: (_, error) => this.#fail(error),
    });
  }

  get ready(): boolean {
    return !this.#closed && this.#reached && this.#inbox?.confirmed !== false;
  }

  get #reached(): boolean {
    return this.#topology.ready && (this.#inbox === undefined || this.#topology.takesLocks);
  }

  /** Who only asks finds that out by what it asks. */
  get #answers(): boolean {
    return this.#inbox === undefined || this.#topology.stir();
  }

  /** Rejects with LockUnavailableError when its time is over. */
  wait({ timeoutMs, signal }: Patience): Promise<void> {
    if (this.#closed) return Promise.reject(new LockClientClosedError());
    const waiter = new Wait<void>({ aborts: this.#parts.aborts, signal });
    this.#waiting.add(waiter);
    const limit = whenOver(timeoutMs, this.#parts, () => {
      const { ready } = this;
      waiter.reject(
        unavailable(
          ready ? 'Redis did not answer in time' : 'The client could not connect in time',
          undefined,
          this.#topology.trouble ?? (ready ? undefined : this.#messages?.trouble),
        ),
      );
    });
    const left = () => {
      limit.cancel();
      this.#waiting.delete(waiter);
    };
    waiter.promise.then(left, left);
    const trouble = this.#topology.trouble;
    if (this.#topology.ended) this.#fail(connectionClosed());
    else if (isLasting(trouble)) this.#fail(trouble as Error);
    else this.#look();
    return waiter.promise;
  }

  close(): void {
    this.#closed = true;
    this.#resume?.();
    for (const waiter of this.#waiting) waiter.reject(new LockClientClosedError());
  }

  #fail(error: Error): void {
    for (const waiter of this.#waiting) waiter.reject(unavailable('The client cannot connect', undefined, error));
  }

  readonly #look = (): void => {
    this.#resume?.();
    this.#resume = undefined;
    if (this.#waiting.size === 0) return;
    this.#topology.connect();
    if (!this.#reached || !this.#answers) {
      this.#resume = this.#topology.whenReady(SOME_LOCK, this.#look);
    } else if (this.#inbox === undefined || this.#inbox.confirmed) {
      for (const waiter of this.#waiting) waiter.resolve();
    } else if (!this.#opening) {
      this.#opening = true;
      const opened = this.#inbox.open().finally(() => {
        this.#opening = false;
      });
      opened.then(this.#look, (error: unknown) => this.#fail(redacted(error)));
    }
  };
}
