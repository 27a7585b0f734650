/** Holds a lease on real timers and then has nothing else to do. */

import { systemClock, Watchdog } from '@holdfast/watchdog';

const clock = systemClock();
const watchdog = new Watchdog<string>({
  clock,
  port: { batchKey: () => 'all', renew: () => new Promise(() => undefined) },
  random: Math.random,
  mostIntervalMs: 600_000,
  holders: () => 1,
  onError: console.error,
  onRenewal: () => undefined,
});
const lease = watchdog.open(
  'a',
  { leaseMs: 600_000, mode: 'watched' },
  { onLost: () => undefined, onSuspect: () => undefined },
);
lease.begin(clock.now(), 600_000);
console.log(lease.state);
