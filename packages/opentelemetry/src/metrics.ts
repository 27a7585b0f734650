import { type Attributes, type MeterProvider, metrics } from '@opentelemetry/api';
import type { LockAcquireTrace } from 'holdfast';
import { errorTypeOf, limitOf } from './errors.js';
import { groupAttributes, type GroupOf } from './groups.js';
import { instruments } from './instruments.js';
import { type Subscription, Subscriptions } from './subscriptions.js';

/** Options of {@link measureLocks}. */
export interface MeasureOptions {
  /** Adds the attribute `holdfast.lock.group`. Without it no metric says which lock it is about: names are too many for time series. */
  readonly group?: GroupOf;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider;
}

/** The handoffs among the ways in which a lock is had. */
const handoffKinds: ReadonlySet<string> = new Set(['local', 'passed', 'granted']);

/**
 * Measures the locks of all clients in this process, from now on. Calls and holds that are open already are counted in none of the metrics, so
 * that no level falls below 0.
 *
 * Not measured: what no message tells, such as how long a lock rests after `minHoldMs`.
 */
export function measureLocks({ group, meterProvider = metrics.getMeterProvider() }: MeasureOptions = {}): Subscription {
  const meter = instruments(meterProvider.getMeter('@holdfast/opentelemetry'));
  const about = (name: string, more: Attributes = {}) => ({ ...groupAttributes(name, group), ...more });
  const subscriptions = new Subscriptions();

  const startedAt = new WeakMap<LockAcquireTrace, number>();
  subscriptions.toTrace('holdfast:acquire', {
    start(trace) {
      startedAt.set(trace, performance.now());
      meter.waiting.add(1, about(trace.name));
    },
    asyncEnd(trace) {
      const started = startedAt.get(trace);
      if (started === undefined) return;
      meter.waiting.add(-1, about(trace.name));
      meter.acquireDuration.record((performance.now() - started) / 1_000, about(trace.name, outcomeOf(trace)));
    },
  });

  const held = new Set<string>();
  const ended = (holdId: string, name: string, heldMs: number | undefined, end: 'released' | 'lost') => {
    if (!held.delete(holdId)) return;
    meter.held.add(-1, about(name));
    if (heldMs !== undefined) meter.holdDuration.record(heldMs / 1_000, about(name, { 'holdfast.hold.end': end }));
  };
  subscriptions.to('holdfast:acquired', ({ name, holdId, how }) => {
    held.add(holdId);
    meter.held.add(1, about(name));
    if (handoffKinds.has(how)) meter.handoffs.add(1, about(name, { 'holdfast.handoff.kind': how }));
  });
  subscriptions.to('holdfast:released', ({ name, holdId, heldMs }) => ended(holdId, name, heldMs, 'released'));
  subscriptions.to('holdfast:lost', ({ name, holdId, heldMs, reason }) => {
    ended(holdId, name, heldMs, 'lost');
    meter.losses.add(1, about(name, { 'holdfast.loss.reason': reason }));
  });
  subscriptions.to('holdfast:refused', ({ name, error }) => {
    const limit = limitOf(error);
    if (limit !== undefined) meter.refusals.add(1, about(name, { 'holdfast.limit': limit }));
  });
  subscriptions.to('holdfast:renewal', ({ name, outcome, latenessMs, slackMs }) => {
    meter.renewals.add(1, about(name, { 'holdfast.renewal.outcome': outcome }));
    meter.renewalLateness.record(latenessMs / 1_000, about(name));
    if (outcome === 'renewed' || outcome === 'held') meter.leaseSlack.record(slackMs / 1_000, about(name));
  });
  subscriptions.to('holdfast:leak', ({ name, how }) => meter.leaks.add(1, about(name, { 'holdfast.leak.how': how })));
  subscriptions.to('holdfast:self-wait', ({ name }) => meter.selfWaits.add(1, about(name)));
  return subscriptions;
}

function outcomeOf({ outcome, how, error }: LockAcquireTrace): Attributes {
  if (outcome === undefined) return { 'holdfast.acquire.outcome': 'error', 'error.type': errorTypeOf(error) };
  return { 'holdfast.acquire.outcome': outcome, ...(how === undefined ? {} : { 'holdfast.acquire.how': how }) };
}
