/**
 * The wire: one command in, one answer out, whatever the connection does in between.
 *
 * The scripts are idempotent (protocol.md: fresh tenure ids, sequence numbers, tombstones), so a request may be sent again whenever
 * nobody knows whether it ran. That makes the life of a request simple:
 *
 *   waiting for a ready line -> in flight -> answered
 *        ^                          |
 *        +--- refused for now, connection lost, rejected without a reply: send again ---+
 *
 * Each copy looks for its line anew, because the lock may have moved to another server. A request waits for its own server only.
 *
 * A request is sent again only on a *new* connection or after its promise was rejected: on a connection that is still up a second copy
 * could not overtake the first. `onDoubt` is called each time a copy may still be on its way; a tenure that was ever in doubt leaves
 * a tombstone when it ends (it is *dirty*). The answer carries the send time of the copy that was answered, because deadlines count from it.
 *
 * What is not promised: that a request without an answer did not run.
 */

import { type Command, start } from '@holdfast/core';
import type { Appointment, Clock, Schedule } from '@holdfast/watchdog';
import type { Line, ReplicaTerms } from './line.js';
import type { Link } from './link.js';
import { redacted, type Verdict, verdictOf } from './reply-errors.js';

/** What became of a request. `node`: the server that has answered. */
export type Answer<R> =
  | { kind: 'reply'; reply: R; sentAt: number; node: string }
  /** It was done, but too few replicas have confirmed it. */
  | { kind: 'unconfirmed'; required: number; confirmed: number }
  /** Redis refused it before any write and will again. */
  | { kind: 'refused'; code: string; error: Error }
  /** No answer by `until`, or the request was dropped. */
  | { kind: 'silent'; sent: boolean; error: Error | undefined };

/** How a request is sent. */
export interface RequestOptions<R = unknown> {
  /** Clock time at which to give up. Infinite or absent: it lasts until it is answered or dropped. */
  readonly until?: number;
  /** A copy of the command may still be on its way. */
  readonly onDoubt?: () => void;
  /** Replies for which `needed` says so count only when enough replicas have what the connection wrote before them. */
  readonly confirmation?: Confirmation<R>;
}

/** See {@link RequestOptions}. */
export interface Confirmation<R> {
  readonly enough: ReplicaTerms;
  needed(reply: R): boolean;
}

/** A request under way. */
export interface Request<R> {
  /** Calls `listener`, the only one, when there is an answer: in the very turn in which it comes, or now. It must not throw. */
  whenAnswered(listener: (answer: Answer<R>) => void): void;
  /** A copy has been handed to the connection. */
  readonly sent: boolean;
  /** A copy is unanswered, and the connection may still send it again by itself: also after the request was dropped. */
  readonly airborne: boolean;
  /** The last thing that went wrong: with the connection, or with a copy. */
  readonly trouble: Error | undefined;
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
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #flights = new Set<Flight<unknown>>();
  #roundTripMs = 1;
  #whenDrained: (() => void) | undefined;
  #closed = false;

  constructor(parts: { link: Link; clock: Clock; schedule: Schedule }) {
    this.#link = parts.link;
    this.#clock = parts.clock;
    this.#schedule = parts.schedule;
    this.#link.listen({ onUp: () => this.#resend(), onDown: () => undefined });
  }

  /** Moving average of the round trip, in milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Sends what `build` makes at the time of sending, anew for each copy, to the server of `lockKey`. */
  request<R>(lockKey: string, build: (now: number) => Command<R>, options: RequestOptions<R> = {}): Request<R> {
    const flight: Flight<R> = new Flight(this.#link, lockKey, build, options, this.#landed);
    this.#flights.add(flight as Flight<unknown>);
    const { until = Number.POSITIVE_INFINITY } = options;
    if (until !== Number.POSITIVE_INFINITY) flight.limit = this.#schedule.at(until, () => flight.drop());
    this.#launch(flight);
    // It may still arrive. Its answer would not, and nobody is left to send it again.
    if (this.#closed) flight.drop();
    return flight;
  }

  /** The answer to {@link request}, for who has nothing else to do with it. */
  answer<R>(lockKey: string, build: (now: number) => Command<R>, options?: RequestOptions<R>): Promise<Answer<R>> {
    const request = this.request(lockKey, build, options);
    return new Promise((resolve) => request.whenAnswered(resolve));
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

  /** Drops every request, and those to come: they leave where there is a connection, and are not waited for. */
  close(): void {
    this.#closed = true;
    for (const flight of [...this.#flights]) flight.drop();
  }

  readonly #landed = (flight: unknown): void => {
    this.#flights.delete(flight as Flight<unknown>);
    if (this.#flights.size === 0) this.#whenDrained?.();
  };

  #launch<R>(flight: Flight<R>): void {
    const line = this.#link.lineTo(flight.lockKey);
    if (line !== undefined) this.#send(flight, line);
    else if (this.#link.ended) flight.drop(new Error('The connection to Redis has been closed'));
    else flight.pause = this.#link.whenReady(flight.lockKey, () => this.#launch(flight));
  }

  #send<R>(flight: Flight<R>, line: Line): void {
    const sentAt = this.#clock.now();
    let command: Command<R>;
    try {
      command = flight.build(sentAt);
    } catch (error) {
      flight.refuse(error);
      return;
    }
    const { epoch } = line;
    flight.takeOff(line);
    line.sent(sentAt);
    if (this.#flights.size >= CROWD) line.gather();
    start(
      line.port,
      command,
      (reply) => {
        const now = this.#clock.now();
        line.answered(now);
        this.#roundTripMs += (now - sentAt - this.#roundTripMs) / 8;
        if (line.retired) this.#failed(flight, line, new Error('Its server does not keep this lock any more'));
        else if (!flight.settled && flight.confirmation?.needed(reply))
          void this.#confirm(flight, line, epoch, reply, sentAt);
        else flight.replied(reply, sentAt, line.node);
      },
      (error) => this.#failed(flight, line, error),
    );
  }

  /** WAIT speaks of what its own connection has written. When that is lost, the command is sent again, and then confirmed anew. */
  async #confirm<R>(flight: Flight<R>, line: Line, epoch: number, reply: R, sentAt: number): Promise<void> {
    const { enough } = flight.confirmation as Confirmation<R>;
    line.sent(this.#clock.now());
    let confirmed: number;
    try {
      confirmed = await line.replicated(enough, epoch);
    } catch (error) {
      // Whatever the error says is about WAIT: the command itself has run.
      flight.doubt();
      this.#failed(flight, line, error);
      return;
    }
    line.answered(this.#clock.now());
    if (confirmed >= enough.min) flight.replied(reply, sentAt, line.node);
    else flight.unconfirmed(enough.min, confirmed);
  }

  #failed<R>(flight: Flight<R>, line: Line, error: unknown): void {
    const now = this.#clock.now();
    line.answered(now);
    const verdict = verdictOf(error);
    const { lockKey } = flight;
    const detour = verdict.kind === 'transient' ? this.#link.refused({ ...verdict, line, lockKey }) : undefined;
    const delayMs = flight.failed(verdict, error);
    if (delayMs === undefined) return;
    if (detour !== undefined) {
      this.#send(flight, detour);
      return;
    }
    const retry = this.#schedule.at(now + delayMs, () => this.#launch(flight));
    flight.pause = () => retry.cancel();
  }

  /** A line is up again: whatever was sent on its earlier connection and not answered goes out once more. */
  #resend(): void {
    for (const flight of [...this.#flights]) {
      if (!flight.overtaken) continue;
      flight.doubt();
      this.#launch(flight);
    }
  }
}

/** One request and all its copies. */
class Flight<R> implements Request<R> {
  readonly #link: Link;
  readonly lockKey: string;
  readonly build: (now: number) => Command<R>;
  limit: Appointment | undefined;
  /** Ends the present wait for a ready link or for the next try. */
  pause: (() => void) | undefined;
  readonly confirmation: Confirmation<R> | undefined;
  readonly #onDoubt: (() => void) | undefined;
  readonly #onSettled: (flight: Flight<R>) => void;
  #listener: ((answer: Answer<R>) => void) | undefined;
  #answer: Answer<R> | undefined;
  /** The line of the last copy, and the number of its connection then. */
  #line: Line | undefined;
  #epoch = 0;
  #airborne = 0;
  #retryMs = FIRST_RETRY_MS;
  #lastError: Error | undefined;

  constructor(
    link: Link,
    lockKey: string,
    build: (now: number) => Command<R>,
    options: RequestOptions<R>,
    onSettled: (flight: Flight<R>) => void,
  ) {
    this.#link = link;
    this.lockKey = lockKey;
    this.build = build;
    this.confirmation = options.confirmation;
    this.#onDoubt = options.onDoubt;
    this.#onSettled = onSettled;
  }

  whenAnswered(listener: (answer: Answer<R>) => void): void {
    if (this.#answer === undefined) this.#listener = listener;
    else listener(this.#answer);
  }

  get sent(): boolean {
    return this.#line !== undefined;
  }

  get settled(): boolean {
    return this.#answer !== undefined;
  }

  get airborne(): boolean {
    return this.#airborne > 0;
  }

  get trouble(): Error | undefined {
    const known = this.#link.troubleWith(this.lockKey) ?? this.#lastError;
    return known ?? (this.sent ? undefined : new Error('There was no connection to Redis'));
  }

  takeOff(line: Line): void {
    this.#line = line;
    this.#epoch = line.epoch;
    this.#airborne++;
  }

  /** Unanswered, and the connection it was sent on has ended. */
  get overtaken(): boolean {
    return this.airborne && this.#line !== undefined && this.#epoch < this.#line.epoch;
  }

  doubt(): void {
    this.#onDoubt?.();
  }

  replied(reply: R, sentAt: number, node: string): void {
    this.#airborne--;
    this.#settle({ kind: 'reply', reply, sentAt, node });
  }

  unconfirmed(required: number, confirmed: number): void {
    this.#airborne--;
    this.#settle({ kind: 'unconfirmed', required, confirmed });
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
  failed(verdict: Verdict, error: unknown): number | undefined {
    this.#airborne--;
    if (this.settled) return undefined;
    this.#lastError = redacted(error);
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
    this.#settle({ kind: 'silent', sent: this.sent, error: error ?? this.trouble });
  }

  #settle(answer: Answer<R>): void {
    if (this.settled) return;
    this.#answer = answer;
    this.limit?.cancel();
    this.pause?.();
    this.#onSettled(this);
    this.#listener?.(answer);
  }
}
