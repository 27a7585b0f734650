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
 * The scripts say which question they answer. An answer that belongs to another question counts as none, and a connection of ours is replaced;
 * on one of yours the request is sent again until an answer fits. An answer that names no question at all counts the same on a connection
 * of ours, once: if the next connection answers the request so too, it is nonsense, and the request is refused. On one of yours it is
 * refused at once.
 *
 * Everything ends. Most requests have a time (`until`). What undoes an ask that your own connection may still deliver waits for a connection
 * however long that takes, because until then that ask may take the lock, but not without end for an answer: once a copy has left it goes on
 * for `goOnMs`, which is the longest lease there was and as long as a tombstone lasts beyond that. By then the lease is over, and a connection
 * that delivers the ask delivers the undoing behind it.
 *
 * What is not promised: that a request without an answer did not run.
 */

import { type Command, MisdirectedReplyError, start, UnnamedReplyError } from '@holdfast/core';
import { Bag, type Clock, type Schedule } from '@holdfast/watchdog';
import { type Answer, type Confirmation, Flight, type Request, type RequestOptions } from './flight.js';
import { FIRST_ROUND_TRIP_MS, type Line } from './line.js';
import type { Link } from './link.js';
import { type Verdict, verdictOf } from './reply-errors.js';
import { isLasting } from './trouble.js';
import { connectionClosed } from './unavailable.js';

/** From this many requests under way, those of one turn leave as one packet. */
const CROWD = 8;

/** See the module comment. */
export class Wire {
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #flights = new Bag<Flight<unknown>>();
  #whenDrained: (() => void) | undefined;
  #closed = false;

  constructor(parts: { link: Link; clock: Clock; schedule: Schedule }) {
    this.#link = parts.link;
    this.#clock = parts.clock;
    this.#schedule = parts.schedule;
    this.#link.listen({
      onUp: () => this.#resend(),
      onDown: () => undefined,
      onLastingTrouble: (covers, error) => {
        for (const flight of this.#flights) if (flight.givesUp && covers(flight.lockKey)) flight.drop(error);
      },
    });
  }

  /** Moving average of the round trip to the server of a lock, in milliseconds. */
  roundTripMs(lockKey: string): number {
    return this.#link.lineTo(lockKey)?.roundTripMs ?? FIRST_ROUND_TRIP_MS;
  }

  /** Sends what `build` makes at the time of sending, anew for each copy, to the server of `lockKey`. */
  request<R>(lockKey: string, build: (now: number) => Command<R>, options: RequestOptions<R> = {}): Request<R> {
    const flight: Flight<R> = new Flight(this.#link, lockKey, build, options, this.#landed);
    this.#flights.add(flight as Flight<unknown>);
    this.#launch(flight);
    // Once it is on its way: what is done while Redis works costs nobody any time.
    const { until = Number.POSITIVE_INFINITY } = options;
    if (until !== Number.POSITIVE_INFINITY && !flight.settled)
      flight.limit = this.#schedule.at(until, () => flight.drop());
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
    for (const flight of this.#flights) flight.drop();
  }

  readonly #landed = (flight: unknown): void => {
    this.#flights.delete(flight as Flight<unknown>);
    if (this.#flights.size === 0) this.#whenDrained?.();
  };

  #launch<R>(flight: Flight<R>): void {
    const line = this.#link.lineTo(flight.lockKey);
    const trouble = line === undefined && flight.givesUp ? this.#link.troubleWith(flight.lockKey) : undefined;
    if (line !== undefined) this.#send(flight, line);
    else if (this.#link.ended) flight.drop(connectionClosed());
    else if (isLasting(trouble)) flight.drop(trouble);
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
    if (flight.goOnMs !== undefined) flight.limit ??= this.#schedule.at(sentAt + flight.goOnMs, () => flight.drop());
    line.sent(sentAt);
    if (this.#flights.size >= CROWD) line.gather();
    start(
      line.port,
      command,
      (reply) => {
        const now = this.#clock.now();
        line.answered(now);
        line.took(now - sentAt);
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
    const verdict = verdictOn(flight, line, error);
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
    for (const flight of this.#flights) {
      if (!flight.overtaken) continue;
      flight.doubt();
      this.#launch(flight);
    }
  }
}

function verdictOn<R>(flight: Flight<R>, line: Line, error: unknown): Verdict {
  if (error instanceof MisdirectedReplyError) line.outOfStep(error);
  if (!(error instanceof UnnamedReplyError)) return verdictOf(error);
  const connection = line.outOfStep(error);
  return connection === 'replaced' && !flight.unnamedBefore(line) ? { kind: 'unknown' } : verdictOf(error);
}
