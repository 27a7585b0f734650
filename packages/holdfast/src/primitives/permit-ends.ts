/**
 * When the leases of permits with ids end that this client has set.
 *
 * No process holds such permits, so at their end nobody gives them back before the next acquisition. A client of Redisson's that waits reads the
 * counter and listens to its channel: it would wait without end. So the client that has set the lease serves the semaphore then.
 */

import type { Appointment, Clock, Schedule } from '@holdfast/watchdog';

/** Ids whose leases were set by one command. */
interface End {
  /** Those that are out. */
  readonly ids: Set<string>;
  readonly appointment: Appointment;
}

/** See the module comment. One for a client: an id may be given back through another handle. */
export class PermitEnds {
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #ends = new Map<string, End>();

  /** @param schedule - one that keeps no process alive. */
  constructor(clock: Clock, schedule: Schedule) {
    this.#clock = clock;
    this.#schedule = schedule;
  }

  /** The leases of these ids begin now, whatever they were before. `serve` is run once for all that are out when they have ended. */
  set(ids: readonly string[], leaseMs: number | 'never', serve: () => void): void {
    this.forget(ids);
    if (leaseMs === 'never') return;
    // The clock of Redis may be slower by 1 % (docs/semantics.md, section 6), and before the end there is nothing to give back.
    const endsAt = this.#clock.now() + leaseMs + leaseMs / 100 + 2;
    const appointment = this.#schedule.at(endsAt, () => {
      this.forget(end.ids);
      serve();
    });
    const end: End = { ids: new Set(ids), appointment };
    for (const id of ids) this.#ends.set(id, end);
  }

  /** They were given back, or have ended. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      const end = this.#ends.get(id);
      this.#ends.delete(id);
      if (end?.ids.delete(id) && end.ids.size === 0) end.appointment.cancel();
    }
  }
}
