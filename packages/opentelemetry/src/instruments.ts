/**
 * The instruments: one place for names, units, descriptions and bounds. Durations are in seconds, as OpenTelemetry has it; the namespace is
 * our own, because its conventions have nothing for distributed locks.
 */

import type { Meter, MeterProvider } from '@opentelemetry/api';

/**
 * In seconds: those of `client.stats()`. 15 and 20 are half and two thirds of a lease by default: what is left of it when a renewal comes late, and when it comes
 * in time. The highest are for jobs, which hold for minutes.
 */
export const BOUNDS_S = [
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60],
  ...[120, 300, 900, 3_600],
];

/** Makes them. */
export function instruments(meter: Meter) {
  const duration = (name: string, description: string) =>
    meter.createHistogram(`holdfast.${name}`, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: [...BOUNDS_S] },
    });
  const count = (name: string, unit: string, description: string) =>
    meter.createCounter(`holdfast.${name}`, { description, unit });
  const level = (name: string, unit: string, description: string) =>
    meter.createUpDownCounter(`holdfast.${name}`, { description, unit });
  return {
    acquireDuration: duration('acquire.duration', 'From the call for a lock to its answer'),
    holdDuration: duration('hold.duration', 'From the moment a call had its lock until it gave it back or lost it'),
    waiting: level('lock.waiting', '{call}', 'Calls for a lock that have no answer yet'),
    held: level('lock.held', '{hold}', 'Holds that are open'),
    losses: count('lock.losses', '{hold}', 'Holds that ended before their release'),
    handoffs: count('handoffs', '{handoff}', 'Locks that passed from one call to another that waited'),
    renewals: count('renewals', '{renewal}', 'Renewals of leases, by outcome'),
    renewalLateness: duration('renewal.lateness', 'How much later than due a renewal was sent'),
    leaseSlack: duration('lease.slack', 'How much of a whole lease was left when it was renewed'),
    refusals: count('limit.refusals', '{call}', "Calls above one of the client's limits"),
    fenceRejections: count(
      'fence.rejections',
      '{write}',
      'Writes that a guard refused, because a later holder had written',
    ),
    leaks: count('leaks', '{hold}', 'Locks that no code will unlock any more'),
    events: count('events', '{event}', 'Events of clients that are measured nowhere else'),
    selfWaits: count('self_waits', '{call}', 'Calls that wait for a lock that their own client holds'),
  };
}

/** All of one meter. */
export type Instruments = ReturnType<typeof instruments>;

/**
 * Those of the provider that there is by now. A global one may be set later: unlike tracers, meters that the API gave before that measure nothing for ever.
 */
export function instrumentsOf(provider: () => MeterProvider, onMade: (all: Instruments) => void): () => Instruments {
  let made: { readonly by: MeterProvider; readonly all: Instruments } | undefined;
  return () => {
    const by = provider();
    if (made?.by !== by) {
      made = { by, all: instruments(by.getMeter('@holdfast/opentelemetry')) };
      onMade(made.all);
    }
    return made.all;
  };
}
