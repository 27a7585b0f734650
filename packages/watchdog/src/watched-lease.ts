/**
 * One lease: its state, and the one appointment that drives it.
 *
 *                 begin                    failed, overdue, suspect()
 *      pending ----------->  held  -------------------------------------->  suspect
 *         |                   |  ^                                          |   |
 *         |                   |  +----------- any proof of ownership -------+   |
 *         |                   |                                                 |
 *         +------- end -------+---- deadline passed, lost, lose() --> lost <----+
 *                                   end, close -----------------> ended
 *
 * The appointment stands at whatever comes first: the next renewal, or while one is in flight the moment it counts as overdue (half way
 * from sending to the deadline) and the moment the port has broken its promise; and always the deadline.
 *
 * Why it is right:
 * - A lease in `held` at its deadline proves that nothing ran in between: an unanswered renewal would have made it `suspect` half way. So
 *   the loss is the fault of the clock (a stalled loop, a stopped process, a suspended machine), not of Redis.
 * - `end` and `lose` leave a final state; whatever arrives later finds it and does nothing. Renewals are only planned from live states.
 * - At most one renewal is in flight, named by its attempt, so a late outcome of an older one cannot pass for that of the present one. Proof
 *   of ownership or of loss is used from whichever attempt it comes.
 */

import type { Attempt } from './attempt.js';
import type { BagItem } from './bag.js';
import type { Clock } from './clock.js';
import { UNPLACED } from './heap.js';
import type { Lease, LeaseListener, LeaseState, LeaseTerms } from './lease.js';
import type { Renewal, RenewalOutcome } from './renewal.js';
import { RenewalPlan } from './renewal-plan.js';
import type { Appointment, Schedule } from './schedule.js';
import { type Validation, Validity } from './validity.js';

/** A renewal whose outcome has come, and still mattered; or that was due, and could not be sent before the lease was over by the clock. */
export interface SettledRenewal<S> {
  readonly subject: S;
  readonly outcome: RenewalOutcome;
  /** How long after it was due it was sent, or the lease was found to be over. */
  readonly latenessMs: number;
  /** How much of a whole lease was left when it was renewed. Of no other: a claim is short by design until it is raised, and a fixed lease is only looked at. */
  readonly slackMs: number | undefined;
}

/** What a lease needs of its watchdog. */
export interface LeaseKeeper<S> extends Validation {
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Sends the renewal of this one, if it is due: thousands may be questioned one by one, and are not to look at each other. */
  renew(lease: WatchedLease<S>, now: number): void;
  /** Sends every renewal that is due, or nearly. */
  renewDue(now: number): void;
  /** The lease is over. */
  forget(lease: WatchedLease<S>): void;
  onRenewal(renewal: SettledRenewal<S>): void;
  /** Runs code of the lease's user: what it throws is reported. */
  guard(run: () => void): void;
}

/** See the module comment. */
export class WatchedLease<S> implements Lease<S>, BagItem {
  readonly subject: S;
  place = UNPLACED;
  readonly #keeper: LeaseKeeper<S>;
  readonly #listener: LeaseListener;
  readonly #validity: Validity;
  #state: LeaseState = 'pending';
  #appointment: Appointment | undefined;
  #attempt: Attempt | undefined;
  /** What it was questioned about is younger than the renewal in flight. */
  #questioned = false;
  readonly #plan = new RenewalPlan();

  constructor(keeper: LeaseKeeper<S>, subject: S, terms: LeaseTerms, listener: LeaseListener) {
    this.#keeper = keeper;
    this.subject = subject;
    this.#listener = listener;
    this.#validity = new Validity(terms, keeper);
  }

  get state(): LeaseState {
    this.check();
    return this.#state;
  }

  get deadline(): number {
    return this.#validity.deadline;
  }

  remainingMs(): number {
    return this.check() ? Math.max(0, this.deadline - this.#keeper.clock.now()) : 0;
  }

  begin(sentAt: number, remainingMs: number): boolean {
    if (this.#state !== 'pending') {
      this.confirm(sentAt, remainingMs);
      return this.check();
    }
    this.#validity.start(sentAt, remainingMs);
    if (!(this.deadline > this.#keeper.clock.now())) return false;
    this.#state = 'held';
    this.renewAfter(sentAt);
    return true;
  }

  beginUntil(deadline: number): boolean {
    const now = this.#keeper.clock.now();
    return this.begin(now, deadline - now);
  }

  confirm(sentAt: number, remainingMs: number, askedMs?: number): void {
    if (this.check()) this.proven(sentAt, this.#validity.request(sentAt, remainingMs, askedMs));
  }

  witness(sentAt: number, remainingMs: number): void {
    if (this.check()) this.proven(sentAt, this.#validity.verify(sentAt, remainingMs));
  }

  retune(terms: LeaseTerms): void {
    if (this.#state === 'pending') this.#validity.prepare(terms);
    if (!this.live) return;
    const now = this.#keeper.clock.now();
    if (!this.checkAt(now)) return;
    this.#validity.retune(terms);
    // They may want more than the plan, made for the old terms, would get in time.
    if (this.#validity.askMs(now) > 0) this.#plan.hasten(now + (this.deadline - now) / 3);
    this.arrange();
  }

  restart(sentAt: number, remainingMs: number): void {
    if (!this.check()) return;
    this.#validity.start(sentAt, remainingMs);
    this.renewAfter(sentAt);
    this.trust();
  }

  runOut(): void {
    if (!this.check()) return;
    this.#validity.runOut();
    this.#plan.rest();
    this.arrange();
  }

  get runsOut(): boolean {
    return this.#validity.runsOut;
  }

  check(): boolean {
    return this.live && this.checkAt(this.#keeper.clock.now());
  }

  /** Of a live one. */
  private checkAt(now: number): boolean {
    if (now < this.deadline) return true;
    this.lost(this.#validity.limitReason ?? (this.#state === 'held' ? 'clock' : 'unreachable'));
    return false;
  }

  lose(reason: string): void {
    if (this.#state === 'pending' || this.check()) this.lost(reason);
  }

  private lost(reason: string): void {
    this.finish('lost');
    if (reason === 'clock' || reason === 'unreachable') this.tellUnanswered();
    this.#keeper.guard(() => this.#listener.onLost(reason));
  }

  end(): void {
    if (this.live || this.#state === 'pending') this.finish('ended');
  }

  /** The connection is down: believed until the deadline, but with care. */
  suspect(): void {
    if (!this.check() || this.#state === 'suspect') return;
    this.#state = 'suspect';
    this.arrange();
    this.#keeper.guard(() => this.#listener.onSuspect());
  }

  /** The next renewal is due now, unless one is in flight. */
  hasten(now: number): void {
    if (!this.check()) return;
    this.#plan.forgive();
    this.#plan.hasten(now);
    this.arrange();
  }

  question(): void {
    const now = this.#keeper.clock.now();
    this.#questioned = this.#attempt !== undefined;
    this.hasten(now);
    if (!this.#questioned) this.#keeper.renew(this, now);
  }

  /** It belongs into a batch that is sent at `now`. */
  isDue(now: number): boolean {
    return this.live && this.#attempt === undefined && this.#plan.joinFrom <= now && now < this.deadline;
  }

  /** It is sent with this attempt. */
  startRenewal(attempt: Attempt): Renewal<S> {
    this.#attempt = attempt;
    this.#questioned = false;
    this.arrange();
    return { subject: this.subject, leaseMs: this.#validity.askMs(attempt.startedAt) };
  }

  /** The outcome of an attempt has come. */
  settle(attempt: Attempt, outcome: RenewalOutcome): void {
    if (!this.check()) return;
    const latenessMs = Math.max(0, attempt.startedAt - this.#plan.dueAt);
    const isWhole = outcome.kind === 'renewed' && this.#validity.isWhole;
    const slackMs = isWhole ? Math.max(0, this.deadline - this.#keeper.clock.now()) : undefined;
    // Before anything comes of it: an observer may want to know what a lost lease was of.
    this.#keeper.onRenewal({ subject: this.subject, outcome, latenessMs, slackMs });
    const current = this.#attempt === attempt;
    if (current) this.#attempt = undefined;
    switch (outcome.kind) {
      case 'lost':
        this.lose(outcome.reason);
        break;
      case 'unknown':
        if (!current) break;
        this.retry(attempt);
        this.suspect();
        break;
      default:
        this.#validity.renewed(outcome.sentAt, outcome.remainingMs, outcome.endsThen);
        this.renewAfter(outcome.sentAt);
        this.trust();
    }
  }

  /** Its appointment has come. */
  run(): void {
    if (!this.check()) return;
    const now = this.#keeper.clock.now();
    const attempt = this.#attempt;
    if (attempt === undefined) {
      if (now >= this.#plan.dueAt) this.#keeper.renewDue(now);
    } else if (now >= attempt.giveUpAt) {
      this.settle(attempt, { kind: 'unknown' });
    } else if (now >= this.overdueAt(attempt)) {
      this.suspect();
    }
    if (this.live) this.arrange();
  }

  private get live(): boolean {
    return this.#state === 'held' || this.#state === 'suspect';
  }

  private finish(state: 'lost' | 'ended'): void {
    this.#state = state;
    this.#appointment?.cancel();
    this.#keeper.forget(this);
  }

  /** The lease is over, and its renewal unanswered, or not even sent: who watches renewals, and how late they are, would not see the worst of them. */
  private tellUnanswered(): void {
    const sentAt = this.#attempt?.startedAt;
    const latenessMs = (sentAt ?? this.#keeper.clock.now()) - this.#plan.dueAt;
    if (sentAt === undefined && latenessMs <= 0) return;
    const { subject } = this;
    const outcome = { kind: 'unknown' } as const;
    this.#keeper.onRenewal({ subject, outcome, latenessMs: Math.max(0, latenessMs), slackMs: undefined });
  }

  /** A proof that prolongs nothing must not put the renewal off: enough of them would put it off beyond the deadline. */
  private proven(sentAt: number, isProlonged: boolean): void {
    if (isProlonged) this.renewAfter(sentAt);
    else this.arrange();
    this.trust();
  }

  /** Ownership is proven: an end to suspicion. */
  private trust(): void {
    this.#plan.forgive();
    if (this.#state !== 'suspect') return;
    this.#state = 'held';
    this.arrange();
  }

  /** The next renewal is one interval after this confirmation. */
  private renewAfter(confirmedAt: number): void {
    if (this.#validity.runsOut) this.#plan.rest();
    else this.#plan.follow(confirmedAt, this.#validity.intervalMs, this.deadline - confirmedAt);
    if (this.#questioned) this.#plan.hasten(this.#keeper.clock.now());
    this.arrange();
  }

  private retry({ jitter }: Attempt): void {
    const now = this.#keeper.clock.now();
    this.#plan.retry(now, this.#validity.intervalMs, jitter, this.deadline - now);
    this.arrange();
  }

  private arrange(): void {
    const time = Math.min(this.deadline, this.nextStep());
    if (this.#appointment === undefined) this.#appointment = this.#keeper.schedule.at(time, this);
    else this.#appointment.move(time);
  }

  private nextStep(): number {
    const attempt = this.#attempt;
    if (attempt === undefined) return this.#plan.dueAt;
    return this.#state === 'suspect' ? attempt.giveUpAt : Math.min(attempt.giveUpAt, this.overdueAt(attempt));
  }

  private overdueAt(attempt: Attempt): number {
    return (attempt.startedAt + this.deadline) / 2;
  }
}
