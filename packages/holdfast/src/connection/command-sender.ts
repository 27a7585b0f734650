/**
 * The sender of commands: one command in, one answer out, whatever the connection does in between.
 *
 * The scripts are idempotent (docs/architecture.md: fresh tenure ids, sequence numbers, tombstones), so a request may be sent again whenever
 * the client cannot know whether it ran. That makes the life of a request simple:
 *
 *   waiting for a ready connection -> under way -> answered
 *        ^                                |
 *        +--- refused for now, connection lost, rejected without a reply: send again ---+
 *
 * Each copy looks for its connection anew, because the lock may have moved to another server. A request waits for its own server only.
 *
 * A request is sent again only on a *new* connection or after its promise was rejected: on a connection that is still up a second copy could not overtake the
 * first. `onDoubt` is called each time a copy may still be on its way; a tenure that was ever in doubt leaves a tombstone when it ends (it is *dirty*). The
 * answer carries the send time of the copy that was answered, because deadlines count from it.
 *
 * The scripts say which question they answer. An answer that belongs to another question counts as none, and a connection of ours is replaced; on one of
 * yours the request is sent again until an answer fits. An answer that names no question at all counts the same on a connection of ours, once: if the next
 * connection answers the request so too, it is nonsense, and the request is refused. On one of yours it is refused at once.
 *
 * Everything ends. Most requests have a time (`until`). What undoes an ask of which a copy may still arrive waits for a connection however long that
 * takes, because until then that copy may take the lock, but not without end for an answer: once a copy of its own has left it goes on for `goOnMs`,
 * which is the longest lease there was and as long as a tombstone lasts beyond that. By then the lease is over, and the undoing arrives behind the ask.
 *
 * Requests made together ({@link CommandSender.together}) may leave as one command, on which they do what they would have done one after the other.
 * Each is sent again alone: what that command is refused for good for says nothing about any. One made {@link CommandSender.behind} another leaves with it or not at all.
 *
 * What is not promised: that a request without an answer did not run.
 */

import type { Command } from '@holdfast/core';
import { Bag, type Clock, type Schedule } from '@holdfast/watchdog';
import {
  type Answer,
  PendingCommand,
  type Request,
  type RequestOptions,
  type RequestSource,
} from './pending-command.js';
import { confirm } from './confirmation.js';
import type { Connection } from './connection.js';
import { Copy, meaningFor } from './copy.js';
import { Departures, type JointCopyKeeper } from './departures.js';
import { leaderFor } from './joint-copies.js';
import { none } from '../lists.js';
import { type NextTurn, whenRead } from './reading.js';
import { FIRST_ROUND_TRIP_MS } from './round-trips.js';
import type { Detour, Topology } from './topology.js';
import type { ErrorMeaning } from './reply-errors.js';
import { isLasting } from './trouble.js';
import { connectionClosed } from './unavailable.js';

const noOptions: RequestOptions<never> = {};

/** See the module comment. */
export class CommandSender {
  readonly #topology: Topology;
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #nextTurn: NextTurn;
  readonly #pending = new Bag<PendingCommand<unknown>>();
  readonly #departures: Departures;
  #whenDrained: (() => void) | undefined;
  #held: { readonly lockKey: string | undefined; readonly copies: Copy<unknown>[] } | undefined;
  /** The lock key of what is followed; see {@link behind}. */
  #leader: string | undefined;
  #closed = false;

  constructor(parts: { topology: Topology; clock: Clock; schedule: Schedule; nextTurn: NextTurn }) {
    this.#topology = parts.topology;
    this.#clock = parts.clock;
    this.#schedule = parts.schedule;
    this.#nextTurn = parts.nextTurn;
    this.#departures = new Departures(this.#keeper, parts.topology, this.#pending);
    this.#topology.listen({
      onUp: () => this.#resend(),
      onLastingTrouble: (covers, error) => {
        for (const pending of this.#pending) if (pending.givesUp && covers(pending.lockKey)) pending.drop(error);
      },
    });
  }

  /** What a round trip to the server of a lock takes as a rule, in milliseconds. */
  roundTripMs(lockKey: string): number {
    return this.#topology.connectionTo(lockKey)?.roundTripMs ?? FIRST_ROUND_TRIP_MS;
  }

  /** Sends what `source` builds to the server of `lockKey`. */
  request<R>(lockKey: string, source: RequestSource<R>, options: RequestOptions<R> = noOptions): Request<R> {
    const pending: PendingCommand<R> = new PendingCommand(this.#topology, lockKey, source, options, this.#settled);
    this.#pending.add(pending as PendingCommand<unknown>);
    const leader = this.#leader;
    // What is asked for by whoever hears of this request does not follow.
    this.#leader = undefined;
    if (leader === undefined) this.#launch(pending);
    else this.#follow(pending, leader);
    // Once it is on its way: what is done while Redis works makes no caller wait longer.
    const { until = Infinity } = options;
    if (until !== Infinity && !pending.settled) pending.limit = this.#schedule.at(until, () => this.#expire(pending));
    // The copy may still arrive. Its answer would not, and this client does not send it again.
    if (this.#closed) pending.drop();
    return pending;
  }

  /** The answer to {@link request}, for callers that need nothing but the answer. */
  answer<R>(
    lockKey: string,
    source: RequestSource<R> | (() => Command<R>),
    options?: RequestOptions<R>,
  ): Promise<Answer<R>> {
    const request = this.request(lockKey, typeof source === 'function' ? { build: source } : source, options);
    return new Promise((resolve) => request.whenAnswered({ onAnswer: resolve }));
  }

  /** What `work` asks to be sent before it returns, of one lock if that is named, leaves when it has returned: what can be one command as one, in the place of the first. */
  together<T>(work: () => T, lockKey?: string): T {
    const around = this.#held;
    if (around !== undefined && around.lockKey === undefined) return work();
    const copies: Copy<unknown>[] = [];
    this.#held = { lockKey, copies };
    try {
      return work();
    } finally {
      this.#held = around;
      this.#departures.leaveTogether(copies);
    }
  }

  /**
   * The first request of `work` leaves in one command with that of the same script for `leader`, made before in the work of {@link together} under way, or
   * is not sent. Nor is a second copy of it: when anything goes wrong its answer is `silent`.
   */
  behind(leader: string, work: () => void): void {
    this.#leader = leader;
    try {
      work();
    } finally {
      this.#leader = undefined;
    }
  }

  /** Resolves when nothing is under way any more, or at clock time `until`. */
  drained(until: number): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const limit = this.#schedule.at(until, () => whenRead(this.#nextTurn, resolve));
      this.#whenDrained = () =>
        // What was to be sent behind that is under way by then.
        this.#nextTurn(() => {
          if (this.#pending.size > 0) return;
          limit.cancel();
          resolve();
        });
    });
  }

  /** Drops every request, and those to come: they leave where there is a connection, and are not waited for. */
  close(): void {
    this.#closed = true;
    for (const pending of this.#pending) pending.drop();
  }

  readonly #settled = (pending: unknown): void => {
    this.#pending.delete(pending as PendingCommand<unknown>);
    if (this.#pending.size === 0) this.#whenDrained?.();
  };

  /** Its time is over. What came while the event loop stood still is its answer all the same. */
  #expire<R>(pending: PendingCommand<R>): void {
    whenRead(this.#nextTurn, () => pending.drop());
  }

  #launch<R>(pending: PendingCommand<R>): void {
    const connection = this.#topology.connectionTo(pending.lockKey);
    const trouble =
      connection === undefined && pending.givesUp ? this.#topology.troubleWith(pending.lockKey) : undefined;
    if (pending.options.isMoot?.() === true) pending.drop();
    else if (connection !== undefined) this.#send(pending, connection);
    else if (this.#topology.ended) pending.drop(connectionClosed());
    else if (isLasting(trouble)) pending.drop(trouble);
    else pending.pause = this.#topology.whenReady(pending.lockKey, () => this.#launch(pending));
  }

  #send<R>(pending: PendingCommand<R>, connection: Connection): void {
    const copy = this.#copyOf(pending, connection);
    if (copy === undefined) return;
    const { lockKey = pending.lockKey, copies } = this.#held ?? {};
    if (copies !== undefined && lockKey === pending.lockKey) copies.push(copy as Copy<unknown>);
    else this.#departures.leave(copy);
  }

  #follow<R>(pending: PendingCommand<R>, leaderKey: string): void {
    pending.follows = true;
    const leader = leaderFor(pending.lockKey, leaderKey, this.#held?.copies ?? none, this.#topology);
    const copy = leader && this.#copyOf(pending, leader.connection);
    if (leader === undefined || copy === undefined) pending.drop();
    else leader.followers = [...(leader.followers ?? none), copy as Copy<unknown>];
  }

  /** Undefined when the command cannot be made. */
  #copyOf<R>(pending: PendingCommand<R>, connection: Connection): Copy<R> | undefined {
    const sentAt = this.#clock.now();
    let command: Command<R>;
    try {
      command = pending.build(sentAt);
    } catch (error) {
      pending.refuse(error);
      return undefined;
    }
    pending.sentOn(connection);
    const { goOnMs } = pending.options;
    if (goOnMs !== undefined) pending.limit ??= this.#schedule.at(sentAt + goOnMs, () => this.#expire(pending));
    connection.sent(sentAt);
    return new Copy(pending, connection, { command, sentAt }, this.#keeper);
  }

  readonly #keeper: JointCopyKeeper = {
    replied: (copy, reply) => this.#replied(copy, reply, this.#tookUntilNow(copy)),
    failed: (copy, error) => this.#failed(copy, error),
    repliedTogether: (copies, replies) => {
      // It was one round trip, however many it was for.
      const now = this.#tookUntilNow(copies[0] as Copy<unknown>);
      copies.forEach((copy, index) => this.#replied(copy, replies[index], now));
    },
    failedTogether: (copies, error) => {
      for (const copy of copies) {
        const meaning = meaningFor(copy, error);
        // Once, before all are sent again: where they go then is what has been learnt from it.
        if (copy === copies[0]) this.#learn(copy.connection, meaning);
        // What is refused for now is so before any effect, and of all of them.
        this.#goOn(copy, error, meaning.kind === 'transient' ? meaning : { kind: 'unknown' });
      }
    },
  };

  #tookUntilNow<R>({ connection, sentAt }: Copy<R>): number {
    const now = this.#clock.now();
    connection.took(now - sentAt, now);
    return now;
  }

  #replied<R>(copy: Copy<R>, reply: R, now: number): void {
    const { pending, connection, sentAt } = copy;
    connection.answered(now);
    if (connection.retired) this.#failed(copy, new Error('Its server does not keep this lock any more'));
    else if (!pending.settled && pending.options.confirmation?.needed(reply))
      void confirm(copy, reply, this.#clock, this.#keeper);
    else pending.replied(reply, sentAt, connection.node);
  }

  #failed<R>(copy: Copy<R>, error: unknown): void {
    const meaning = meaningFor(copy, error);
    this.#goOn(copy, error, meaning, this.#learn(copy.connection, meaning));
  }

  #learn(connection: Connection, meaning: ErrorMeaning): Detour | undefined {
    return meaning.kind === 'transient' ? this.#topology.refused({ ...meaning, connection }) : undefined;
  }

  #goOn<R>(copy: Copy<R>, error: unknown, meaning: ErrorMeaning, detour?: Detour): void {
    const { pending, connection } = copy;
    const now = this.#clock.now();
    connection.answered(now);
    const delayMs = pending.failed(copy, meaning, error);
    if (delayMs === undefined) return;
    if (detour !== undefined) {
      const again = this.#copyOf(pending, detour.connection);
      if (again !== undefined) this.#departures.leaveAlone(again, detour.port);
      return;
    }
    if (delayMs === 0) return this.#launch(pending);
    const retry = this.#schedule.at(now + delayMs, () => this.#launch(pending));
    pending.pause = () => retry.cancel();
  }

  /** A connection is up again: whatever was sent on its earlier connection and not answered goes out once more. */
  #resend(): void {
    for (const pending of this.#pending) {
      if (!pending.overtaken) continue;
      pending.doubt();
      if (pending.follows) pending.drop();
      else this.#launch(pending);
    }
  }
}
