import { type Attributes, type MeterProvider, metrics } from '@opentelemetry/api';
import type { LockAcquireTrace } from 'holdfast';
import { errorTypeOf, limitOf } from './errors.js';
import { groupAttributes, type GroupOf } from './groups.js';
import { instruments } from './instruments.js';
import { type Subscription, Subscriptions } from './subscriptions.js';

/** Options of {@link measureLocks}. */
export interface MeasureOptions {
  /** Adds the attribute `holdfast.lock.group`. Without it no metric says which lock it is about: names are too many for time series. */
  readonly group?: GroupOf | undefined;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined;
}

/** The handoffs among the ways in which a lock is had. */
const handoffKinds: ReadonlySet<string> = new Set(['local', 'passed', 'granted']);

/**
 * Measures the locks of all clients in this process, from now on. Calls and holds that are open already are in no level and no duration, so
 * that no level falls below 0; what becomes of them, such as a loss or a renewal, is counted.
 *
 * Not measured: what no message tells, such as how long a lock rests after `minHoldMs`.
 */
export function measureLocks({ group, meterProvider = metrics.getMeterProvider() }: MeasureOptions = {}): Subscription {
  const meter = instruments(meterProvider.getMeter('@holdfast/opentelemetry'));
  const about = (name: string, more: Attributes = {}) => ({ ...groupAttributes(name, group), ...more });
  const subscriptions = new Subscriptions();

  // What raised a level lowers it, under the same attributes, whatever the group function says by then.
  const calls = new WeakMap<LockAcquireTrace, { readonly startedAt: number; readonly lock: Attributes }>();
  subscriptions.toTrace('holdfast:acquire', {
    start(trace) {
      const lock = about(trace.name);
      calls.set(trace, { startedAt: performance.now(), lock });
      meter.waiting.add(1, lock);
    },
    asyncEnd(trace) {
      const call = calls.get(trace);
      if (call === undefined) return;
      meter.waiting.add(-1, call.lock);
      meter.acquireDuration.record((performance.now() - call.startedAt) / 1_000, { ...call.lock, ...outcomeOf(trace) });
    },
  });

  const held = new Map<string, Attributes>();
  const ended = (holdId: string, heldMs: number | undefined, end: 'released' | 'lost') => {
    const lock = held.get(holdId);
    if (lock === undefined) return;
    held.delete(holdId);
    meter.held.add(-1, lock);
    if (heldMs !== undefined) meter.holdDuration.record(heldMs / 1_000, { ...lock, 'holdfast.hold.end': end });
  };
  subscriptions.to('holdfast:acquired', ({ name, holdId, how }) => {
    const lock = about(name);
    held.set(holdId, lock);
    meter.held.add(1, lock);
    if (handoffKinds.has(how)) meter.handoffs.add(1, { ...lock, 'holdfast.handoff.kind': how });
  });
  subscriptions.to('holdfast:released', ({ holdId, heldMs }) => ended(holdId, heldMs, 'released'));
  subscriptions.to('holdfast:lost', ({ name, holdId, heldMs, reason }) => {
    ended(holdId, heldMs, 'lost');
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
