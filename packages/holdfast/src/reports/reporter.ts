/**
 * Everything that leaves a client for those who watch it: events, counters, diagnostics channels, process warnings. Counted at once; what runs
 * code of users waits for locks to come to rest.
 */

import type { Channel } from 'node:diagnostics_channel';
import type { LockLimit, LockLostError } from '../errors.js';
import { channels } from './channels.js';
import { Events, type LockClientEvents } from './events.js';
import type { Site } from './site.js';
import { type AcquiredHow, Stats } from './stats.js';
import type { Tellings } from './tellings.js';

/** See the module comment. */
export class Reporter {
  readonly events = new Events();
  readonly stats = new Stats();
  readonly #clientId: string;
  readonly #tellings: Tellings;
  #warnedSelfWait = false;
  #warnedUnsafeSetting = false;

  constructor(clientId: string, tellings: Tellings) {
    this.#clientId = clientId;
    this.#tellings = tellings;
  }

  /** Somebody wants to know where locks were taken. */
  get wantsSites(): boolean {
    return this.events.hears('leak') || this.events.hears('self-wait');
  }

  tried(): void {
    this.stats.tried++;
  }

  acquired(name: string, waitedMs: number, how: AcquiredHow): void {
    this.stats.won++;
    this.stats.how[how]++;
    this.stats.waits.record(waitedMs);
    if (channels.acquired.hasSubscribers)
      this.#publish(channels.acquired, { clientId: this.#clientId, name, waitedMs, how });
  }

  busy(name: string): void {
    this.stats.refused++;
    if (channels.refused.hasSubscribers)
      this.#publish(channels.refused, { clientId: this.#clientId, name, outcome: 'busy' });
  }

  failed(name: string, error: unknown): void {
    this.stats.failed++;
    if (channels.refused.hasSubscribers) {
      this.#publish(channels.refused, { clientId: this.#clientId, name, outcome: 'error', error });
    }
  }

  /** Beside {@link failed}. */
  limited(limit: LockLimit): void {
    this.stats.limited[limit] = (this.stats.limited[limit] ?? 0) + 1;
  }

  released(name: string, heldMs: number): void {
    this.stats.holds.record(heldMs);
    if (channels.released.hasSubscribers) this.#publish(channels.released, { clientId: this.#clientId, name, heldMs });
  }

  renewal(outcome: 'renewed' | 'held' | 'lost' | 'unknown', latenessMs: number): void {
    this.stats.renewals[outcome]++;
    this.stats.lateness.record(latenessMs);
    if (channels.renewal.hasSubscribers) {
      this.#publish(channels.renewal, { clientId: this.#clientId, outcome, latenessMs });
    }
  }

  lost(name: string, error: LockLostError): void {
    this.#countLoss(name, error);
    this.#emit('lost', { name, error });
  }

  suspect(name: string): void {
    this.#emit('suspect', { name });
  }

  /** Lost to its scope: an event of its own, and a loss like any other to those who count. */
  leaked(name: string, error: LockLostError, site: Site | undefined): void {
    this.#countLoss(name, error);
    this.#emit('leak', { name, site: site?.stack });
  }

  foreignOwner(name: string): void {
    this.#emit('foreign-owner', { name });
  }

  selfWait(name: string, site: Site | undefined, holderSite: Site | undefined): void {
    this.#emit('self-wait', { name, site: site?.stack, holderSite: holderSite?.stack });
    if (this.#warnedSelfWait) return;
    this.#warnedSelfWait = true;
    process.emitWarning(
      `A call has waited for over a second for lock "${name}", which this process holds itself. If the call is nested in the code that ` +
        'holds the lock, it will wait for ever: take the lock with withLock(fn), or put the whole flow into client.run(fn), and nested ' +
        'calls re-enter.',
      {
        type: 'HoldfastWarning',
        code: 'HOLDFAST_SELF_WAIT',
        ...(site?.stack === undefined ? {} : { detail: site.stack }),
      },
    );
  }

  unsafeSetting(...[event]: LockClientEvents['unsafe-setting']): void {
    this.#emit('unsafe-setting', event);
    if (this.#warnedUnsafeSetting) return;
    this.#warnedUnsafeSetting = true;
    const { setting, value, advice } = event;
    process.emitWarning(`Locks are not safe on a Redis with ${setting} ${value}: ${advice}.`, {
      type: 'HoldfastWarning',
      code: 'HOLDFAST_UNSAFE_SETTING',
    });
  }

  error(error: unknown): void {
    this.#emit('error', error);
  }

  #emit<E extends keyof LockClientEvents>(event: E, ...args: LockClientEvents[E]): void {
    if (this.events.hears(event)) this.#tellings.tell(() => this.events.emit(event, ...args));
  }

  #publish(channel: Channel, message: object): void {
    this.#tellings.tell(() => channel.publish(message));
  }

  #countLoss(name: string, { reason }: LockLostError): void {
    this.stats.losses[reason] = (this.stats.losses[reason] ?? 0) + 1;
    if (channels.lost.hasSubscribers) this.#publish(channels.lost, { clientId: this.#clientId, name, reason });
  }
}
