/**
 * What a tenure hears in its client's inbox, and what comes of it.
 *
 *      message      tenure asks                                       tenure is held
 *      grant        held until its end by server time, if believed;   nothing
 *                   else: ask
 *      contended    other processes wait                              other processes wait
 *      lost         ask                                               verify the lease
 *      look         ask                                               other processes wait; verify the lease, if it names this tenure
 *      (a gap)      ask                                               nothing: the watchdog looks after leases
 *
 * How far a message is believed, and how many commands it may cause, is decided by {@link MessageTrust}.
 */

import type { InboxListener, InboxMessage } from '@holdfast/notify';
import type { ClientParts } from '../client-parts.js';
import { tokenOf } from './fence.js';
import type { Inherited } from './inherited.js';
import { MessageTrust } from './message-trust.js';
import type { Operations } from './operations.js';
import type { ServerInstant } from './server-clock.js';

/**
 * A server tells its time in whole milliseconds, so the time between two of its readings may seem 1 ms longer than it was; another for
 * clocks that differ in rate between two asks. Without it a grant that comes faster than that would be asked about.
 */
export const CLOCK_GRAIN_MS = 2;

/** What a grant says beside its end. */
export interface GrantNews {
  readonly others: number;
  readonly token: number | undefined;
  readonly inherited?: Inherited;
  /** How many critical sections a turn has; absent: the releaser did not know. */
  readonly turn?: number;
}

/** The tenure that hears. */
export interface MessageSubject {
  readonly operations: Operations;
  readonly asking: boolean;
  readonly held: boolean;
  /** Whether a message can reach it now. */
  readonly reachable: boolean;
  /** It was granted until a local clock time; undefined when only Redis is believed. Answers false then, and when that has passed. */
  beginUntil(deadline: number | undefined, news: GrantNews): boolean;
  /** Another process waits. */
  contended(): void;
  /** Asks for the lock, unless it is held or over. */
  ask(): void;
  /** Has the lease verified. */
  verify(): void;
}

/** See the module comment; one for each tenure. */
export class TenureMessages implements InboxListener {
  readonly #parts: ClientParts;
  readonly #tenure: MessageSubject;
  /** Undefined while no message has come and only the server can know the tenure's id. */
  #trust: MessageTrust | undefined;

  constructor(parts: ClientParts, tenure: MessageSubject) {
    this.#parts = parts;
    this.#tenure = tenure;
  }

  /** A message has said since clock time `time` that it was forced out. */
  forcedSince(time: number): boolean {
    return this.#trust?.forcedSince(time) === true;
  }

  /** What is said to the tenure from now on, other clients may hear. */
  expose(): void {
    this.trusted.expose();
  }

  onGap(): void {
    if (!this.#tenure.reachable) this.expose();
    this.#tenure.ask();
  }

  onMessage(message: InboxMessage): void {
    switch (message.kind) {
      case 'grant':
        if (this.#tenure.asking) this.onGrant(message, { ...message, token: tokenOf(message.token) });
        return;
      case 'contended':
        this.#tenure.contended();
        return;
      case 'lost':
        this.trusted.force(this.#parts.clock.now());
        this.look();
        return;
      case 'look':
        // One that names no tenure may be news for those that ask, and for no others.
        if (!this.#tenure.asking && message.tenure === undefined) return;
        // From a version that is newer: that another process waits, or that the lock was taken away.
        if (this.#tenure.held) this.#tenure.contended();
        this.look();
    }
  }

  /** A message has said something of which only Redis can be believed. */
  look(): void {
    if (!this.trusted.mayLook(this.#parts.clock.now())) return;
    if (this.#tenure.held) this.#tenure.verify();
    else this.#tenure.ask();
  }

  private onGrant(end: ServerInstant, news: GrantNews): void {
    const { serverClock, topology, clock, settings, grants } = this.#parts;
    const deadline = serverClock.toLocal(topology.nodeOf(this.#tenure.operations.key), end);
    // A grant lasts for a claim. One that says it lasts longer may be forged, or comes from a client with other settings: the reply decides.
    const credible = deadline !== undefined && deadline - clock.now() <= settings.claimLeaseMs + CLOCK_GRAIN_MS;
    const believed = this.trusted.grant() && credible && grants !== 'asked about';
    if (!this.#tenure.beginUntil(believed ? deadline : undefined, news)) this.look();
  }

  private get trusted(): MessageTrust {
    return (this.#trust ??= new MessageTrust(this.#parts.settings.reaskMs));
  }
}
