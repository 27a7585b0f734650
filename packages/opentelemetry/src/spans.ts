/**
 * Two kinds of spans. `holdfast.acquire` lasts from the call for a lock to its answer: beside it stands what the application did meanwhile, so a long
 * one says what a request has waited for. `holdfast.section` lasts as long as a `withLock`, its release included, and is the parent of what runs inside.
 */

import {
  type Attributes,
  context,
  type Span,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace as traceApi,
} from '@opentelemetry/api';
import { tracingChannel } from 'node:diagnostics_channel';
import type { LockAcquireTrace, LockSectionTrace } from 'holdfast';
import { ActiveContext } from './active-span.js';
import { checkOptions } from './check-options.js';
import { errorTypeOf } from './errors.js';
import { groupAttributes, type GroupOf } from './groups.js';
import { Handovers } from './handovers.js';
import { guard, type Subscription, Subscriptions } from './subscriptions.js';

/** Options of {@link traceLocks}. */
export interface TraceOptions {
  /** Adds the attribute `holdfast.lock.group`, and the group to the names of spans. */
  readonly group?: GroupOf | undefined;
  /** Default: the global one, also one that is set later, or in the place of another. */
  readonly tracerProvider?: TracerProvider | undefined;
}

/**
 * Makes spans of the locks of all clients in this process, from now on. A span says the name of its lock (`holdfast.lock.name`): whoever reads the traces
 * reads the names.
 *
 * The span of a call that waited is linked to that of the hold which handed it the lock, where both are of one client. A hold without section, of
 * `lock()` or `acquire()`, has no span of its own: there the link is to the call that acquired it.
 *
 * @throws TypeError for options that cannot be used.
 */
export function traceLocks(options: TraceOptions = {}): Subscription {
  checkOptions('traceLocks', options, ['tracerProvider', 'getTracer']);
  const { group, tracerProvider } = options;
  const spans = new LockSpans(tracersOf(tracerProvider), group);
  const subscriptions = new Subscriptions();
  subscriptions.toTrace('holdfast:acquire', {
    start: (call) => spans.asked(call),
    asyncEnd: (call) => spans.answered(call),
  });
  subscriptions.to('holdfast:acquired', ({ holdId }) => spans.open(holdId));
  subscriptions.to('holdfast:released', (hold) => spans.closed(hold));
  subscriptions.to('holdfast:lost', (hold) => spans.closed(hold, hold.reason));
  subscriptions.toTrace('holdfast:section', { asyncEnd: (section) => spans.left(section) });
  const { start } = tracingChannel<ReturnType<typeof context.active>, LockSectionTrace>('holdfast:section');
  const active = new ActiveContext();
  start.bindStore(active, (section) => guard(() => spans.entered(section)) ?? context.active());
  subscriptions.add(() => start.unbindStore(active));
  return subscriptions;
}

/** A tracer of the global provider is asked for with each span: one that the API gave before stays with the provider that there was first. */
function tracersOf(given: TracerProvider | undefined): () => Tracer {
  const tracerOf = (provider: TracerProvider) => provider.getTracer('@holdfast/opentelemetry');
  if (given === undefined) return () => tracerOf(traceApi.getTracerProvider());
  const tracer = tracerOf(given);
  return () => tracer;
}

/** The spans that are open, and what is known of holds. */
class LockSpans {
  readonly #tracer: () => Tracer;
  readonly #group: GroupOf | undefined;
  readonly #calls = new WeakMap<LockAcquireTrace, Span>();
  readonly #sections = new WeakMap<LockSectionTrace, Span>();
  /** Of each open hold, the span to link to; undefined until it has one. */
  readonly #holds = new Map<string, Span | undefined>();
  readonly #handovers = new Handovers();

  constructor(tracer: () => Tracer, group: GroupOf | undefined) {
    this.#tracer = tracer;
    this.#group = group;
  }

  asked(call: LockAcquireTrace): void {
    const { waitMs } = call;
    const wait: Attributes = waitMs === undefined ? {} : { 'holdfast.acquire.wait_ms': waitMs };
    this.#calls.set(call, this.#begin('holdfast.acquire', call, wait));
    this.#handovers.awaited(call);
  }

  answered(call: LockAcquireTrace): void {
    const span = this.#calls.get(call);
    if (span === undefined) return;
    const from = this.#handovers.answered(call);
    if (from !== undefined) span.addLink({ context: from, attributes: { 'holdfast.link': 'released_by' } });
    const { outcome = 'error', holdId, how, inherited } = call;
    span.setAttribute('holdfast.acquire.outcome', outcome);
    if (how !== undefined) span.setAttribute('holdfast.acquire.how', how);
    if (inherited !== undefined) span.setAttribute('holdfast.hold.inherited', inherited.reason);
    if (holdId !== undefined) {
      span.setAttribute('holdfast.hold.id', holdId);
      this.#linkTo(holdId, span);
    }
    // That a lock is busy is an answer.
    if (outcome === 'error') failed(span, call.error);
    span.end();
  }

  /** A hold is open. */
  open(holdId: string): void {
    this.#holds.set(holdId, undefined);
  }

  /** And is not any more. */
  closed(
    { holdId, ...lock }: { readonly clientId: string; readonly name: string; readonly holdId: string },
    reason?: string,
  ): void {
    const span = this.#holds.get(holdId);
    this.#holds.delete(holdId);
    if (span === undefined) return;
    this.#handovers.released({ holdId, ...lock }, span.spanContext());
    if (reason !== undefined && span.isRecording()) span.addEvent('holdfast.lost', { 'holdfast.loss.reason': reason });
  }

  /** @returns the context in which the section runs. */
  entered(section: LockSectionTrace): ReturnType<typeof context.active> {
    const { holdId, how, inherited } = section;
    const span = this.#begin('holdfast.section', section, { 'holdfast.hold.id': holdId, 'holdfast.acquire.how': how });
    if (inherited !== undefined) span.setAttribute('holdfast.hold.inherited', inherited.reason);
    this.#sections.set(section, span);
    this.#linkTo(holdId, span);
    return traceApi.setSpan(context.active(), span);
  }

  left(section: LockSectionTrace): void {
    const span = this.#sections.get(section);
    if (span === undefined) return;
    if ('error' in section) failed(span, section.error);
    span.end();
  }

  /** Not of a hold that was lost before its call could hear of it. */
  #linkTo(holdId: string, span: Span): void {
    if (this.#holds.has(holdId)) this.#holds.set(holdId, span);
  }

  #begin(
    kind: 'holdfast.acquire' | 'holdfast.section',
    { clientId, name }: { readonly clientId: string; readonly name: string },
    more: Attributes,
  ): Span {
    const grouped = groupAttributes(name, this.#group);
    const { 'holdfast.lock.group': group } = grouped;
    return this.#tracer().startSpan(typeof group === 'string' ? `${kind} ${group}` : kind, {
      attributes: { 'holdfast.lock.name': name, 'holdfast.client.id': clientId, ...grouped, ...more },
    });
  }
}

function failed(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorTypeOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
  // Of anything else that was thrown there may be nothing to read.
  if (error instanceof Error) span.recordException(error);
}
