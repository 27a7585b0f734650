/**
 * The wire: one command in, one answer out, whatever the connection does in between.
 *
 * The scripts are idempotent (protocol.md: fresh tenure ids, sequence numbers, tombstones), so a request may be sent again whenever
 * nobody knows whether it ran. That makes the life of a request simple:
 *
 *   waiting for a ready link -> in flight -> answered
 *        ^                          |
 *        +--- refused for now, connection lost, rejected without a reply: send again ---+
 *
 * A request is sent again only on a *new* connection or after its promise was rejected: on a connection that is still up a second copy
 * could not overtake the first. `onDoubt` is called each time a copy may still be on its way; a tenure that was ever in doubt leaves
 * a tombstone when it ends (it is *dirty*). The answer carries the send time of the copy that was answered, because deadlines count from it.
 *
 * What is not promised: that a request without an answer did not run.
 */

import { type Command, run, type ScriptPort } from '@holdfast/core';
import type { Appointment, Clock, Schedule } from '@holdfast/watchdog';
import type { Link } from './link.js';
import { Packet } from './packet.js';
import { redacted, verdictOf } from './reply-errors.js';
import type { SilenceGuard } from './silence-guard.js';

/** What became of a request. */
export type Answer<R> =
  | { kind: 'reply'; reply: R; sentAt: number }
  /** Redis refused it before any write and will again. */
  | { kind: 'refused'; code: string; error: Error }
  /** No answer by `until`, or the request was dropped. */
  | { kind: 'silent'; sent: boolean; error: Error | undefined };

/** How a request is sent. */
export interface RequestOptions {
  /** Clock time at which to give up. Infinite or absent: it lasts until it is answered or dropped. */
  readonly until?: number;
  /** A copy of the command may still be on its way. */
  readonly onDoubt?: () => void;
}

/** A request under way. */
export interface Request<R> {
  readonly answer: Promise<Answer<R>>;
  /** A copy has been handed to the connection. */
  readonly sent: boolean;
  /** A copy is unanswered, and the connection may still send it again by itself: also after the request was dropped. */
  readonly airborne: boolean;
  /** Stop sending it. The answer is `silent`. */
  drop(): void;
}

/** From this many requests under way, those of one turn leave as one packet. */
const CROWD = 8;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 500;

/** See the module comment. */
export class Wire {
  readonly #link: Link;
  readonly #port: ScriptPort;
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #silence: SilenceGuard;
  readonly #flights = new Set<Flight<unknown>>();
  readonly #packet = new Packet();
  #roundTripMs = 1;
  #whenDrained: (() => void) | undefined;

  constructor(parts: { link: Link; port: ScriptPort; clock: Clock; schedule: Schedule; silence: SilenceGuard }) {
    this.#link = parts.link;
    this.#port = parts.port;
    this.#clock = parts.clock;
    this.#schedule = parts.schedule;
    this.#silence = parts.silence;
    this.#link.listen({ onUp: () => this.#resend(), onDown: () => undefined });
  }

  /** Moving average of the round trip, in milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Sends what `build` makes, anew for each copy. */
  request<R>(build: () => Command<R>, options: RequestOptions = {}): Request<R> {
    const flight: Flight<R> = new Flight(build, options.onDoubt, () => this.#landed(flight as Flight<unknown>));
    this.#flights.add(flight as Flight<unknown>);
    const { until = Number.POSITIVE_INFINITY } = options;
    if (until !== Number.POSITIVE_INFINITY) flight.limit = this.#schedule.at(until, () => flight.drop());
    this.#launch(flight);
    return flight;
  }

  /** Resolves when nothing is under way any more, or at clock time `until`. */
  drained(until: number): Promise<void> {
    if (this.#flights.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const limit = this.#schedule.at(until, resolve);
      this.#whenDrained = () => {
        limit.cancel();
        resolve();
      };
    });
  }

  /** Drops every request. */
  close(): void {
    for (const flight of [...this.#flights]) flight.drop();
  }

  #landed(flight: Flight<unknown>): void {
    this.#flights.delete(flight);
    if (this.#flights.size === 0) this.#whenDrained?.();
  }

  #launch<R>(flight: Flight<R>): void {
    if (this.#link.ready) this.#send(flight);
    else if (this.#link.ended) flight.drop(new Error('The connection to Redis has been closed'));
    else flight.pause = this.#link.whenReady(() => this.#launch(flight));
  }

  #send<R>(flight: Flight<R>): void {
    let command: Command<R>;
    try {
      command = flight.build();
    } catch (error) {
      flight.refuse(error);
      return;
    }
    const sentAt = this.#clock.now();
    flight.takeOff(this.#link.epoch);
    this.#silence.sent(sentAt);
    if (this.#flights.size >= CROWD) this.#packet.gather(this.#link.redis.stream);
    run(this.#port, command).then(
      (reply) => {
        const now = this.#clock.now();
        this.#silence.answered(now);
        this.#roundTripMs += (now - sentAt - this.#roundTripMs) / 8;
        flight.replied(reply, sentAt);
      },
      (error: unknown) => {
        this.#silence.answered(this.#clock.now());
        const delayMs = flight.failed(error);
        if (delayMs === undefined) return;
        const retry = this.#schedule.at(this.#clock.now() + delayMs, () => this.#launch(flight));
        flight.pause = () => retry.cancel();
      },
    );
  }

  /** The link is up again: whatever was sent on an earlier connection and not answered goes out once more. */
  #resend(): void {
    const { epoch } = this.#link;
    for (const flight of [...this.#flights]) {
      if (!flight.overtakenBy(epoch)) continue;
      flight.doubt();
      this.#send(flight);
    }
  }
}

/** One request and all its copies. */
class Flight<R> implements Request<R> {
  readonly build: () => Command<R>;
  readonly answer: Promise<Answer<R>>;
  limit: Appointment | undefined;
  /** Ends the present wait for a ready link or for the next try. */
  pause: (() => void) | undefined;
  readonly #onDoubt: (() => void) | undefined;
  readonly #onSettled: () => void;
  #resolve!: (answer: Answer<R>) => void;
  #settled = false;
  #sentInEpoch = -1;
  #airborne = 0;
  #retryMs = FIRST_RETRY_MS;
  #lastError: Error | undefined;

  constructor(build: () => Command<R>, onDoubt: (() => void) | undefined, onSettled: () => void) {
    this.build = build;
    this.#onDoubt = onDoubt;
    this.#onSettled = onSettled;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get sent(): boolean {
    return this.#sentInEpoch >= 0;
  }

  get airborne(): boolean {
    return this.#airborne > 0;
  }

  takeOff(epoch: number): void {
    this.#sentInEpoch = epoch;
    this.#airborne++;
  }

  overtakenBy(epoch: number): boolean {
    return this.airborne && this.#sentInEpoch < epoch;
  }

  doubt(): void {
    this.#onDoubt?.();
  }

  replied(reply: R, sentAt: number): void {
    this.#airborne--;
    this.#settle({ kind: 'reply', reply, sentAt });
  }

  /** The command could not even be made: nothing was sent. */
  refuse(error: unknown): void {
    this.#settle({
      kind: 'refused',
      code: 'INVALID',
      error: error instanceof Error ? error : new Error(String(error)),
    });
  }

  /** Says after how many milliseconds to send another copy, if at all. */
  failed(error: unknown): number | undefined {
    this.#airborne--;
    if (this.#settled) return undefined;
    this.#lastError = redacted(error);
    const verdict = verdictOf(error);
    if (verdict.kind !== 'transient' && verdict.kind !== 'permanent') this.doubt();
    if (verdict.kind === 'permanent' || verdict.kind === 'nonsense') {
      this.#settle({ kind: 'refused', code: verdict.code, error: this.#lastError });
      return undefined;
    }
    if (this.#airborne > 0) return undefined;
    const delayMs = this.#retryMs;
    this.#retryMs = Math.min(delayMs * 2, LAST_RETRY_MS);
    return delayMs;
  }

  drop(error?: Error): void {
    this.#settle({ kind: 'silent', sent: this.sent, error: error ?? this.#lastError });
  }

  #settle(answer: Answer<R>): void {
    if (this.#settled) return;
    this.#settled = true;
    this.limit?.cancel();
    this.pause?.();
    this.#onSettled();
    this.#resolve(answer);
  }
}
