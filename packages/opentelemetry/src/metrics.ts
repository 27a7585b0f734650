import { type Attributes, type MeterProvider, metrics } from '@opentelemetry/api';
import type { LockAcquireTrace } from 'holdfast';
import { checkOptions } from './check-options.js';
import { errorTypeOf, limitOf } from './errors.js';
import { isOfClient, isOfLock } from './events.js';
import { groupAttributes, type GroupOf } from './groups.js';
import { type Instruments, instrumentsOf } from './instruments.js';
import { startCounts, startCountsOf } from './rare-counts.js';
import { guard, type Subscription, Subscriptions } from './subscriptions.js';

/** Options of {@link measureLocks}. */
export interface MeasureOptions {
  /** Adds the attribute `holdfast.lock.group`. Without it no metric says which lock it is about: names are too many for time series. Where it fails the lock is counted without a group, and the process is warned once. */
  readonly group?: GroupOf | undefined;
  /** Default: the global one, also one that is set later. */
  readonly meterProvider?: MeterProvider | undefined;
}

/** Where a level was raised, and of what. */
interface Raised {
  readonly meter: Instruments;
  readonly lock: Attributes;
}

/** The handoffs among the ways in which a lock is had. */
const handoffKinds: ReadonlySet<string> = new Set(['local', 'passed', 'granted']);

/**
 * Measures the locks of all clients in this process, from now on. Calls and holds that are open already are in no level and no duration, so
 * that no level falls below 0; what becomes of them, such as a loss or a renewal, is counted.
 *
 * Not measured: what no message tells, such as how long a lock rests after `minHoldMs`.
 *
 * @throws TypeError for options that cannot be used.
 */
export function measureLocks(options: MeasureOptions = {}): Subscription {
  checkOptions('measureLocks', options, ['meterProvider', 'getMeter']);
  const { group, meterProvider } = options;
  const meter = instrumentsOf(() => meterProvider ?? metrics.getMeterProvider(), startCounts);
  const about = (name: string, more: Attributes = {}) => {
    const lock = groupAttributes(name, group);
    startCountsOf(meter(), lock);
    return { ...lock, ...more };
  };
  const subscriptions = new Subscriptions();
  guard(meter);

  // What raised a level lowers it, under the same attributes, whatever the group function says by then, or the provider is.
  const waits = new Map<LockAcquireTrace, { readonly startedAt: number } & Raised>();
  subscriptions.toTrace('holdfast:acquire', {
    start(trace) {
      const lock = about(trace.name);
      const raised = { meter: meter(), lock };
      waits.set(trace, { startedAt: performance.now(), ...raised });
      raised.meter.waiting.add(1, lock);
    },
    asyncEnd(trace) {
      const wait = waits.get(trace);
      if (wait === undefined) return;
      waits.delete(trace);
      wait.meter.waiting.add(-1, wait.lock);
      const waitedMs = performance.now() - wait.startedAt;
      wait.meter.acquireDuration.record(waitedMs / 1_000, { ...wait.lock, ...outcomeOf(trace) });
    },
  });

  const held = new Map<string, Raised>();
  const ended = (holdId: string, heldMs: number | undefined, end: 'released' | 'lost') => {
    const hold = held.get(holdId);
    if (hold === undefined) return;
    held.delete(holdId);
    hold.meter.held.add(-1, hold.lock);
    if (heldMs !== undefined)
      hold.meter.holdDuration.record(heldMs / 1_000, { ...hold.lock, 'holdfast.hold.end': end });
  };
  subscriptions.to('holdfast:acquired', ({ name, holdId, how }) => {
    const lock = about(name);
    const raised = { meter: meter(), lock };
    held.set(holdId, raised);
    raised.meter.held.add(1, lock);
    if (handoffKinds.has(how)) raised.meter.handoffs.add(1, { ...lock, 'holdfast.handoff.kind': how });
  });
  subscriptions.to('holdfast:released', ({ holdId, heldMs }) => ended(holdId, heldMs, 'released'));
  subscriptions.to('holdfast:lost', ({ name, holdId, heldMs, reason }) => {
    ended(holdId, heldMs, 'lost');
    meter().losses.add(1, about(name, { 'holdfast.loss.reason': reason }));
  });
  subscriptions.to('holdfast:refused', ({ name, error }) => {
    const limit = limitOf(error);
    if (limit !== undefined) meter().refusals.add(1, about(name, { 'holdfast.limit': limit }));
  });
  subscriptions.to('holdfast:renewal', ({ name, outcome, latenessMs, slackMs }) => {
    meter().renewals.add(1, about(name, { 'holdfast.renewal.outcome': outcome }));
    meter().renewalLateness.record(latenessMs / 1_000, about(name));
    if (slackMs !== undefined) meter().leaseSlack.record(slackMs / 1_000, about(name));
  });
  subscriptions.to('holdfast:leak', ({ name, how }) => meter().leaks.add(1, about(name, { 'holdfast.leak.how': how })));
  subscriptions.to('holdfast:stale-write', ({ name }) => meter().fenceRejections.add(1, about(name)));
  subscriptions.to('holdfast:self-wait', ({ name }) => meter().selfWaits.add(1, about(name)));
  subscriptions.to('holdfast:event', (message) => {
    const event = { 'holdfast.event': message.event };
    if (isOfLock(message)) meter().events.add(1, about(message.detail.name, event));
    else if (isOfClient(message)) meter().events.add(1, event);
  });
  // Nothing lowers them any more, and the provider may go on.
  subscriptions.add(() => {
    for (const { meter: of, lock } of waits.values()) of.waiting.add(-1, lock);
    for (const { meter: of, lock } of held.values()) of.held.add(-1, lock);
    waits.clear();
    held.clear();
  });
  return subscriptions;
}

function outcomeOf({ outcome, how, error }: LockAcquireTrace): Attributes {
  if (outcome === undefined) return { 'holdfast.acquire.outcome': 'error', 'error.type': errorTypeOf(error) };
  return { 'holdfast.acquire.outcome': outcome, ...(how === undefined ? {} : { 'holdfast.acquire.how': how }) };
}
