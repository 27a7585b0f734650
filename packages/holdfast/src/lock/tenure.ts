/**
 * A tenure: what Redis sees as owner. It exists from the moment this process wants a lock that it neither owns nor is queued for, until it
 * does neither again; local handoff keeps it. Its id is fresh, so nothing that is still on its way from an earlier tenure can act for it.
 *
 *                 acquired / mine / grant in time              give back
 *      asking  ------------------------------------>  held  --------------->  ended
 *        |  ^                                           |
 *        |  +-- wait: ask again after R, when the       |  lease over or not ours
 *        |      PTTL has passed, on a gap, or a         v
 *        |      grant came too late                   ended  -- cancel, until acknowledged
 *        +--- everybody gave up -> cancel ---------->
 *
 * Why it is right (protocol.md has the model):
 * - Only a reply, or a grant whose end lies in the future by server time, makes it held. A message alone is never believed longer.
 * - The lease is opened before the first ask is sent and ended, synchronously, before the release is sent: nothing is renewed after it.
 * - At most one counted operation (again, handoff, release) is under way, each with its own sequence number, so a copy changes nothing.
 * - `dirty` says that a copy of a command may still be on its way. Then the last command leaves a tombstone, which refuses that copy. A
 *   copy of a renewal needs none: it cannot create anything.
 */

import * as core from '@holdfast/core';
import type { LockKeys } from '@holdfast/core';
import { type InboxMessage, nextAskDelayMs } from '@holdfast/notify';
import type { Appointment, Lease, LeaseTerms } from '@holdfast/watchdog';
import type { Answer, Request } from '../connection/wire.js';
import type { LockLostReason } from '../errors.js';
import type { Parts } from './parts.js';
import type { Ear } from './wakeup.js';

/** What the monitor wants when an ask is sent. */
export interface Bid {
  readonly leaseMs: number;
  /** How long the most patient contender will still wait; 0 when nobody waits. */
  readonly patienceMs: number;
}

/** Told what becomes of the tenure. */
export interface TenureListener {
  bid(): Bid;
  onHeld(tenure: Tenure, how: 'asked' | 'granted'): void;
  /** Somebody else owns the lock. `askedAt`: when the question was sent. */
  onBusy(tenure: Tenure, askedAt: number, owner: 'holdfast' | 'foreign'): void;
  /** It will never be held; `error` is for those who wait. */
  onFailed(tenure: Tenure, error: AskFailure): void;
  onLost(tenure: Tenure, reason: LockLostReason): void;
  onSuspect(tenure: Tenure): void;
}

/** Why an ask has no outcome. */
export type AskFailure =
  | { kind: 'refused'; code: string; error: Error }
  | { kind: 'silent'; error: Error | undefined }
  | { kind: 'over' };

/** What an operation on a held tenure came to. */
export type HeldOutcome =
  | { kind: 'held' }
  | { kind: 'lost' }
  | { kind: 'refused'; code: string; error: Error }
  | { kind: 'silent'; error: Error | undefined };

/** What giving the lock back came to. `unheld`: Redis says it was not ours and nothing of ours explains it. */
export type ReleaseOutcome =
  | { kind: 'released' }
  | { kind: 'unheld' }
  | { kind: 'refused'; code: string; error: Error }
  | { kind: 'silent'; error: Error | undefined };

/** A waiter may be granted for F = 3R + C after its last ask (protocol.md, section 1). */
const FRESH_REASKS = 3;
/** How long after the end of the lease a late copy is still refused. */
const TOMBSTONE_TAIL_MS = 60_000;

/** See the module comment. */
export class Tenure {
  readonly id: string;
  readonly lease: Lease<Tenure>;
  readonly keys: LockKeys;
  readonly #parts: Parts;
  readonly #listener: TenureListener;
  readonly #ear: Ear;
  #state: 'asking' | 'held' | 'ended' = 'asking';
  #seq = 1;
  #ticket = 0;
  #dirty = false;
  #others = 0;
  /** Longest lease ever asked for: no lease of this tenure can outlast it by more than a claim. */
  #longestLeaseMs: number;
  #heldSince = 0;
  #ask: Request<core.AskReply> | undefined;
  #everAsked = false;
  #askAgain = false;
  #nextAsk: Appointment | undefined;
  #operation: Promise<HeldOutcome> | undefined;
  #operationRequest: Request<unknown> | undefined;
  #operations = 0;

  constructor(parts: Parts, keys: LockKeys, owner: string | undefined, terms: LeaseTerms, listener: TenureListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.keys = keys;
    this.id = parts.tenureId(owner);
    this.#longestLeaseMs = terms.leaseMs;
    this.lease = parts.watchdog.open(this, terms, {
      onLost: (reason) => this.#lost(reason as LockLostReason),
      onSuspect: () => this.#listener.onSuspect(this),
      onHeld: () => undefined,
    });
    this.#ear = parts.wakeup.ear(keys, this.id, {
      onMessage: (message) => this.#heard(message),
      onGap: () => this.ask(),
    });
  }

  get held(): boolean {
    return this.#state === 'held';
  }

  /** How many other processes are known to wait. */
  get others(): number {
    return this.#others;
  }

  /** Clock time since which it is held. */
  get heldSince(): number {
    return this.#heldSince;
  }

  /** No counted operation is under way. */
  get settled(): boolean {
    return this.#operations === 0;
  }

  /** A reply said how many others wait. */
  noteOthers(others: number): void {
    this.#others = others;
  }

  // ---------------------------------------------------------------- asking

  /** Asks now; while an ask is under way, once more after its answer. */
  ask(): void {
    if (this.#state !== 'asking') return;
    if (this.#ask !== undefined) {
      this.#askAgain = true;
      return;
    }
    this.#nextAsk?.cancel();
    this.#nextAsk = undefined;
    this.#askAgain = false;
    this.#everAsked = true;
    this.#ask = this.#parts.wire.request(() => this.#askCommand(), { onDoubt: this.#doubt });
    void this.#ask.answer.then((answer) => this.#answered(answer));
  }

  #askCommand(): core.Command<core.AskReply> {
    const { claimLeaseMs, reaskMs } = this.#parts.settings;
    const { leaseMs, patienceMs } = this.#listener.bid();
    const freshTtlMs = FRESH_REASKS * reaskMs + claimLeaseMs;
    const freshMs = this.#ear.mayQueue ? Math.min(freshTtlMs, Math.ceil(patienceMs)) : 0;
    return core.ask(this.keys, {
      tenure: this.id,
      leaseMs,
      freshMs,
      ticket: this.#ticket,
      freshTtlMs,
      claimMs: claimLeaseMs,
      trust: true,
    });
  }

  #answered(answer: Answer<core.AskReply>): void {
    this.#ask = undefined;
    if (answer.kind === 'reply') this.#replied(answer.reply, answer.sentAt);
    else if (this.#state === 'asking') this.#listener.onFailed(this, answer);
  }

  #replied(reply: core.AskReply, sentAt: number): void {
    if ('nowMs' in reply) this.#parts.serverClock.note(sentAt, reply.nowMs);
    if (this.#state === 'held') {
      // The grant was faster. `wait` was said before it.
      if (reply.kind === 'mine') this.lease.confirm(sentAt, reply.remainingMs);
      return;
    }
    if (this.#state !== 'asking') return;
    switch (reply.kind) {
      case 'acquired':
      case 'mine':
        this.#others = reply.others;
        if (this.lease.begin(sentAt, reply.remainingMs)) this.#becomeHeld('asked');
        else this.ask();
        return;
      case 'wait':
        this.#ticket = reply.ticket;
        this.#busy(reply, sentAt, reply.position);
        return;
      case 'busy':
        this.#busy(reply, sentAt, 0);
        return;
      case 'dead':
        this.#listener.onFailed(this, { kind: 'over' });
    }
  }

  #busy(reply: { remainingMs: number | undefined; foreign: boolean }, sentAt: number, position: number): void {
    this.#listener.onBusy(this, sentAt, reply.foreign ? 'foreign' : 'holdfast');
    if (this.#state !== 'asking' || this.#ask !== undefined) return;
    if (!this.#ear.open) this.#ear.listen(() => this.ask());
    if (this.#askAgain) {
      this.ask();
      return;
    }
    const { reaskMs } = this.#parts.settings;
    const delayMs = nextAskDelayMs({
      reaskMs,
      position,
      random: Math.random,
      ...(reply.remainingMs === undefined ? {} : { pttlMs: reply.remainingMs }),
    });
    this.#nextAsk = this.#parts.waits.at(this.#parts.clock.now() + delayMs, () => this.ask());
  }

  #heard(message: InboxMessage): void {
    switch (message.kind) {
      case 'grant':
        this.#granted(message.expiresAtMs, message.others);
        return;
      case 'contended':
        this.#others = Math.max(1, this.#others);
        return;
      case 'lost':
        if (this.#state === 'held') this.lease.lose('force-unlocked');
        else this.ask();
        return;
      case 'look':
        this.ask();
    }
  }

  #granted(expiresAtMs: number, others: number): void {
    if (this.#state !== 'asking') return;
    const deadline = this.#parts.serverClock.toLocal(expiresAtMs);
    if (deadline === undefined || !this.lease.beginUntil(deadline)) {
      this.ask();
      return;
    }
    this.#others = others;
    this.#becomeHeld('granted');
  }

  #becomeHeld(how: 'asked' | 'granted'): void {
    this.#state = 'held';
    this.#heldSince = this.#parts.clock.now();
    this.#nextAsk?.cancel();
    this.#nextAsk = undefined;
    this.#listener.onHeld(this, how);
  }

  // ---------------------------------------------------------------- held

  /** Levels came or went: what the lease is renewed to from now on. */
  retune(terms: LeaseTerms): void {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, terms.leaseMs);
    this.lease.retune(terms);
  }

  /** Counts one level up. Lasts until it is answered or the lease is over: the count must be known. */
  countUp(leaseMs: number): Promise<HeldOutcome> {
    return this.#inOrder(async (seq) => {
      const answer = await this.#send(() => core.again(this.keys, { tenure: this.id, seq, leaseMs }));
      if (answer.kind !== 'reply') return answer;
      if (answer.reply.kind === 'lost') return { kind: 'lost' };
      if (answer.reply.remainingMs !== undefined) this.lease.confirm(answer.sentAt, answer.reply.remainingMs);
      return { kind: 'held' };
    });
  }

  /** Counts one level down, not the last one. */
  countDown(): Promise<HeldOutcome> {
    return this.#inOrder(async (seq) => {
      const answer = await this.#send(() => this.#releaseCommand(seq));
      if (answer.kind !== 'reply') return answer;
      return answer.reply.kind === 'held' ? { kind: 'held' } : { kind: 'lost' };
    });
  }

  /** Gives the tenure, which must have count 1, a new lease for the next hold of this process. */
  passOn(terms: LeaseTerms): Promise<HeldOutcome> {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, terms.leaseMs);
    return this.#inOrder(async (seq) => {
      const answer = await this.#send(() => core.handoff(this.keys, { tenure: this.id, seq, leaseMs: terms.leaseMs }));
      if (answer.kind !== 'reply') return answer;
      if (answer.reply.kind === 'lost') return { kind: 'lost' };
      this.#parts.serverClock.note(answer.sentAt, answer.reply.nowMs);
      this.#others = answer.reply.others;
      this.lease.retune(terms, answer.sentAt, answer.reply.remainingMs);
      return { kind: 'held' };
    });
  }

  // ---------------------------------------------------------------- ending

  /** Gives the lock back. Whatever comes of it, nothing of this tenure is renewed or believed from this call on. */
  async giveBack(): Promise<ReleaseOutcome> {
    const { clock, wire, settings } = this.#parts;
    const until = clock.now() + settings.responseTimeoutMs;
    const { deadline } = this.lease;
    let sentTwice = false;
    const onDoubt = () => {
      sentTwice = true;
      this.#dirty = true;
    };
    this.#end();
    if (this.#operation !== undefined) await this.#operation;
    const seq = ++this.#seq;
    const answer = await wire.request(() => this.#releaseCommand(seq), { until, onDoubt }).answer;
    if (answer.kind === 'reply') {
      this.#ear.close();
      if (answer.reply.kind !== 'notHeld') return { kind: 'released' };
      // A first copy of this very release may have run, its reply lost with the connection; but not if the lease can have ended since.
      return sentTwice && clock.now() < deadline ? { kind: 'released' } : { kind: 'unheld' };
    }
    void this.cancel();
    return answer;
  }

  /** Leaves the queue, passes on a grant that crossed, undoes whatever an unanswered ask may still do. Lasts until acknowledged. */
  async cancel(): Promise<void> {
    if (this.#ask !== undefined) this.#dirty = true;
    this.#end();
    this.#ask?.drop();
    this.#operationRequest?.drop();
    if (this.#everAsked) {
      const { claimLeaseMs } = this.#parts.settings;
      const until = this.#parts.clock.now() + Math.max(this.#longestLeaseMs, claimLeaseMs) + claimLeaseMs;
      await this.#parts.wire.request(
        () =>
          core.cancel(this.keys, {
            tenure: this.id,
            tombstoneMs: this.#tombstoneMs(),
            claimMs: claimLeaseMs,
            trust: true,
          }),
        { until, onDoubt: this.#doubt },
      ).answer;
    }
    this.#ear.close();
  }

  /** Nothing was queued and nothing is on its way: it can be forgotten. */
  forget(): void {
    this.#end();
    this.#ear.close();
  }

  #end(): void {
    this.#state = 'ended';
    this.lease.end();
    this.#nextAsk?.cancel();
    this.#nextAsk = undefined;
  }

  #lost(reason: LockLostReason): void {
    if (this.#state === 'ended') return;
    this.#listener.onLost(this, reason);
  }

  #tombstoneMs(): number {
    return this.#dirty || this.#ask !== undefined ? this.#longestLeaseMs + TOMBSTONE_TAIL_MS : 0;
  }

  #releaseCommand(seq: number): core.Command<core.ReleaseReply> {
    return core.release(this.keys, {
      tenure: this.id,
      seq,
      tombstoneMs: this.#tombstoneMs(),
      claimMs: this.#parts.settings.claimLeaseMs,
      trust: true,
    });
  }

  async #send<R>(build: () => core.Command<R>): Promise<Answer<R>> {
    const request = this.#parts.wire.request(build, { onDoubt: this.#doubt });
    this.#operationRequest = request;
    return request.answer;
  }

  /** One counted operation at a time, each with the next sequence number. */
  async #inOrder(operation: (seq: number) => Promise<HeldOutcome>): Promise<HeldOutcome> {
    this.#operations++;
    const before = this.#operation;
    const mine = (async () => {
      if (before !== undefined) await before;
      if (this.#state !== 'held') return { kind: 'lost' } as const;
      return operation(++this.#seq);
    })();
    this.#operation = mine;
    try {
      return await mine;
    } finally {
      this.#operations--;
      if (this.#operation === mine) this.#operation = undefined;
    }
  }

  readonly #doubt = (): void => {
    this.#dirty = true;
  };
}
