import { ManualClock } from '@holdfast/testkit';
import { type Lease, type LeaseTerms, type SettledRenewal, Watchdog } from '@holdfast/watchdog';
import { type Subject, TestPort } from './test-port.js';

/** Terms most tests use. */
export const watched: LeaseTerms = { leaseMs: 30_000, mode: 'watched' };
export const fixed: LeaseTerms = { leaseMs: 30_000, mode: 'fixed' };

/** Whom {@link Watchdog.verify} and {@link Watchdog.suspect} concern in most tests. */
export const everyone = () => true;

/** A watchdog on a manual clock and a scripted port, with a journal of all that listeners heard. */
export function harness({
  mostIntervalMs = Number.POSITIVE_INFINITY,
  holders = 0,
  startMs = 1_000_000,
}: {
  mostIntervalMs?: number;
  holders?: number;
  startMs?: number;
} = {}) {
  const clock = new ManualClock(startMs);
  const port = new TestPort(clock);
  const errors: unknown[] = [];
  const renewals: SettledRenewal<Subject>[] = [];
  const heard: { subject: Subject; what: string; at: number }[] = [];
  let timersSet = 0;
  const countingClock = {
    now: () => clock.now(),
    setTimer: (run: () => void, delayMs: number) => {
      timersSet++;
      return clock.setTimer(run, delayMs);
    },
    clearTimer: (timer: Parameters<ManualClock['clearTimer']>[0]) => clock.clearTimer(timer),
  };
  const watchdog = new Watchdog<Subject>({
    clock: countingClock,
    port,
    onError: (error) => errors.push(error),
    onRenewal: (info) => renewals.push(info),
    random: Math.random,
    mostIntervalMs,
    holders: () => holders,
  });

  function open(subject: Subject = 's:a', terms: LeaseTerms = watched): Lease<Subject> {
    const note = (what: string) => heard.push({ subject, what, at: clock.now() });
    return watchdog.open(subject, terms, {
      onLost: (reason) => note(`lost: ${reason}`),
      onSuspect: () => note('suspect'),
    });
  }

  /** A lease that begins now with all it asked for. */
  function hold(subject: Subject = 's:a', terms: LeaseTerms = watched): Lease<Subject> {
    const lease = open(subject, terms);
    port.endsAt.set(subject, clock.now() + terms.leaseMs);
    if (!lease.begin(clock.now(), terms.leaseMs)) throw new Error('the lease did not begin');
    return lease;
  }

  return {
    clock,
    port,
    watchdog,
    errors,
    renewals,
    heard,
    open,
    hold,
    start: startMs,
    whatWasHeard: () => heard.map(({ what }) => what),
    timersSet: () => timersSet,
  };
}
