/**
 * Everything that a client tells its application: events, counters, diagnostics channels, process warnings. Counted at once; what runs
 * code of users waits for locks to come to rest.
 */

import type { SettledRenewal } from '@holdfast/watchdog';
import type { DeadlockWait, LockLimit, LockLostError, StaleTokenError } from '../errors.js';
import { type CallContext, runIn } from '../scopes/call-context.js';
import { anyChannelHeard, channels, type LockEventMessage, type LockHoldMessage, type Publisher } from './channels.js';
import { Events, type LeakHow, type LockClientEvents } from './events.js';
import { Found } from './found.js';
import type { Site } from './site.js';
import { type AcquiredHow, Stats } from './stats.js';
import type { LockSectionTrace } from './tracing.js';
import type { Inherited } from '../tenure/inherited.js';
import type { HoldOrigin } from '../exclusive/hold-origin.js';
import type { Tellings } from './tellings.js';
import { isThrown } from './thrown.js';

/** A call that wants a lock. */
export interface ReportedCall {
  readonly name: string;
  readonly context: CallContext;
}

/** A call that has it. */
export interface ReportedHold extends ReportedCall {
  readonly id: string;
  readonly site: Site | undefined;
}

/** A call that had it handed over. */
export interface OpenedHold extends ReportedHold {
  readonly how: AcquiredHow;
  readonly inherited: Inherited | undefined;
}

/** See the module comment. */
export class Reporter {
  readonly events = new Events();
  readonly stats = new Stats();
  readonly clientId: string;
  readonly #tellings: Tellings;
  readonly #holdIds: string;
  #holds = 0;
  /** The codes of the process warnings that were given. */
  readonly #warned = new Set<string>();

  /** @param holdIds - what the ids of its holds begin with. */
  constructor(clientId: string, holdIds: string, tellings: Tellings) {
    this.clientId = clientId;
    this.#holdIds = holdIds;
    this.#tellings = tellings;
  }

  /** There is a listener to be told where sections begin. */
  get wantsSites(): boolean {
    const { heard } = this.events;
    return heard.leak || heard['self-wait'] || heard.deadlock || heard['held-long'];
  }

  /** There is a listener or subscriber to be told of locks that no code will unlock. */
  get wantsLeaks(): boolean {
    return this.events.heard.leak || channels.leak.hasSubscribers || channels.event.hasSubscribers;
  }

  /** There is a listener or subscriber to be told in the context of the call. */
  get wantsContexts(): boolean {
    const { heard } = this.events;
    return anyChannelHeard() || heard.lost || heard.suspect || this.wantsSites;
  }

  /** An id for what is told of a hold. */
  newHoldId(): string {
    return `${this.#holdIds}${++this.#holds}`;
  }

  tried(): void {
    this.stats.acquisitions.tried++;
  }

  acquired(hold: ReportedHold, waitedMs: number, how: AcquiredHow): void {
    this.stats.acquisitions.won++;
    this.stats.how[how]++;
    this.stats.waits.record(waitedMs);
    this.stats.held++;
    if (channels.acquired.hasSubscribers)
      this.#publish(channels.acquired, hold.context, { ...this.#of(hold), waitedMs, how });
  }

  busy({ name, context }: ReportedCall): void {
    this.stats.acquisitions.refused++;
    if (channels.refused.hasSubscribers)
      this.#publish(channels.refused, context, { clientId: this.clientId, name, outcome: 'busy' });
  }

  /** Also when it needs the lock no more, which is no failure. */
  failed({ name, context }: ReportedCall, error: unknown): void {
    if (isThrown(error, Found)) {
      this.stats.acquisitions.found++;
      return;
    }
    this.stats.acquisitions.failed++;
    if (channels.refused.hasSubscribers)
      this.#publish(channels.refused, context, { clientId: this.clientId, name, outcome: 'error', error });
  }

  /** Beside {@link failed}. */
  limited(limit: LockLimit): void {
    this.stats.limited[limit] = (this.stats.limited[limit] ?? 0) + 1;
  }

  staleWrite(error: StaleTokenError): void {
    this.stats.staleWrites++;
    const { staleWrite } = channels;
    if (!staleWrite.hasSubscribers) return;
    this.#tellings.tell(() => staleWrite.publish({ clientId: this.clientId, name: error.lockName, error }));
  }

  released(hold: ReportedHold, heldMs: number): void {
    this.stats.holds.record(heldMs);
    this.stats.held--;
    if (channels.released.hasSubscribers) this.#publish(channels.released, hold.context, { ...this.#of(hold), heldMs });
  }

  /** @param holds - asked for only when there is a subscriber. */
  renewal(
    name: string,
    { outcome: { kind: outcome }, latenessMs, slackMs }: Omit<SettledRenewal<unknown>, 'subject'>,
    holds: () => readonly ReportedHold[],
  ): void {
    this.stats.renewals[outcome]++;
    this.stats.lateness.record(latenessMs);
    if (slackMs !== undefined) this.stats.slack.record(slackMs);
    if (!channels.renewal.hasSubscribers) return;
    const served = holds();
    const holdIds = served.map(({ id }) => id);
    const message = { clientId: this.clientId, name, holdIds, outcome, latenessMs, slackMs };
    // The lease is about to take the outcome in.
    queueMicrotask(() => this.#publish(channels.renewal, served[0]?.context, message));
  }

  /** @param heldMs - until it was lost; undefined: its release, which was told of, found that it was lost before. */
  lost(hold: ReportedHold, error: LockLostError, heldMs: number | undefined): void {
    const { reason } = error;
    if (heldMs !== undefined) this.stats.held--;
    this.stats.losses[reason] = (this.stats.losses[reason] ?? 0) + 1;
    if (channels.lost.hasSubscribers) this.#publish(channels.lost, hold.context, { ...this.#of(hold), reason, heldMs });
    this.#emit(hold.context, 'lost', { name: hold.name, holdId: hold.id, error });
  }

  suspect({ name, context }: ReportedCall): void {
    this.#emit(context, 'suspect', { name });
  }

  /** Lost to its scope: a loss like any other, and where it comes from is told besides. */
  leftOpen(hold: ReportedHold, error: LockLostError, heldMs: number): void {
    this.lost(hold, error, heldMs);
    this.leaked(hold, 'scope-ended');
    if (this.events.heard.leak) return;
    this.#warnOnce('HOLDFAST_LEAK', () => [
      `Lock "${hold.name}" was still held when its scope ended: others get it when its lease has run out, or code that goes on there unlocks it. ` +
        'Put the unlock() into a finally that comes before the end, or use withLock. Listen to the event "leak" to hear of each.',
      `The call that took it:\n${hold.site?.frames ?? notNoted('leak')}`,
    ]);
  }

  heldLong(hold: ReportedHold, heldMs: number): void {
    const { name, id: holdId, site } = hold;
    this.#emit(hold.context, 'held-long', { name, holdId, heldMs, site: site?.text });
  }

  foreignOwner(name: string): void {
    this.#emit(undefined, 'foreign-owner', { name });
  }

  /** @param site - of the call that waits. @param holder - the hold that it waits for. */
  selfWait({ name, context }: ReportedCall, site: Site, holder: Pick<HoldOrigin, 'kind' | 'site'>): void {
    this.#emit(context, 'self-wait', { name, site: site.text, holderSite: holder.site?.text });
    if (channels.selfWait.hasSubscribers) this.#publish(channels.selfWait, context, { clientId: this.clientId, name });
    this.#warnOnce('HOLDFAST_SELF_WAIT', () => [
      `A call has waited for over a second for lock "${name}", which this process holds itself. If the call is nested in the code that ` +
        'holds the lock, it will wait for ever: take the lock with withLock(fn), or put the whole flow into client.run(fn), and nested ' +
        'calls re-enter.',
      `The call that waits:\n${site.frames}\nThe call that holds the lock:\n` +
        (holder.site?.frames ??
          (holder.kind === 'section' ? '    a withLock or tryWithLock around the other' : notNoted('self-wait'))),
    ]);
  }

  /** @param waits - of the circle, that of the call that closed it first. @param then - what becomes of that call. */
  deadlock({ context }: ReportedCall, waits: readonly DeadlockWait[], then: 'refused' | 'waits'): void {
    this.#emit(context, 'deadlock', { waits });
    if (then === 'refused' || this.events.heard.deadlock) return;
    this.#warnOnce('HOLDFAST_DEADLOCK', () => [
      `Calls wait for each other, for the locks ${waits.map(({ name }) => `"${name}"`).join(', ')}, which none of them gives back: take ` +
        'locks in one order everywhere, or all at once with getMultiLock. Listen to the event "deadlock" to hear where.',
      waits.map(({ name, site }) => `Waits for "${name}":\n${site ?? '    not noted'}`).join('\n'),
    ]);
  }

  unsafeSetting(...[event]: LockClientEvents['unsafe-setting']): void {
    this.#emit(undefined, 'unsafe-setting', event);
    const { setting, value, advice } = event;
    this.#warnOnce('HOLDFAST_UNSAFE_SETTING', () => [
      `Locks are not safe on a Redis with ${setting} ${value}: ${advice}.`,
    ]);
  }

  error(error: unknown): void {
    this.#emit(undefined, 'error', error instanceof Error ? error : new Error(String(error), { cause: error }));
  }

  /** A warning of the process, for who listens to no event. */
  #warnOnce(code: string, words: () => [message: string, detail?: string]): void {
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    const [message, detail] = words();
    process.emitWarning(message, { type: 'HoldfastWarning', code, ...(detail === undefined ? {} : { detail }) });
  }

  #emit<E extends keyof LockClientEvents>(context: CallContext, event: E, ...args: LockClientEvents[E]): void {
    if (channels.event.hasSubscribers)
      this.#publish(channels.event, context, { clientId: this.clientId, event, detail: args[0] } as LockEventMessage);
    if (!this.events.heard[event]) return;
    this.#tellings.tell(() => runIn(context, () => this.events.emit(event, ...args)));
  }

  #publish<M>(channel: Publisher<M>, context: CallContext, message: M): void {
    this.#tellings.tell(() => runIn(context, () => channel.publish(message)));
  }

  /** What is told of a section under `hold`. */
  sectionTrace(hold: OpenedHold): LockSectionTrace {
    return { ...this.#of(hold), how: hold.how, inherited: hold.inherited };
  }

  #of({ name, id: holdId }: ReportedHold): LockHoldMessage {
    return { clientId: this.clientId, name, holdId };
  }

  /** No code can give it back any more. One that was `collected` is renewed all the same: what it guards may go on. */
  leaked(hold: ReportedHold, how: LeakHow): void {
    const { name, id: holdId, site } = hold;
    this.#emit(hold.context, 'leak', { name, holdId, how, site: site?.text });
    if (channels.leak.hasSubscribers) this.#publish(channels.leak, hold.context, { ...this.#of(hold), how });
  }
}

/** In place of the frames of a call that was made when none was noted any more. */
const notNoted = (event: keyof LockClientEvents): string =>
  `    not noted: while the event "${event}" has a listener, it is noted of each call`;
