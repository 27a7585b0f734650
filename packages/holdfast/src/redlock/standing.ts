/**
 * Whether a node may vote.
 *
 * A server that was restarted may have forgotten a lock: if it voted again at once, two clients could have a majority each. So it does not
 * count until every lease that it can have known is over: for the longest lease that any client asks for, and 1 % for clocks that run at
 * different rates, after its start. The same holds for a server that is no master, or was made one by a failover: it may never have heard of
 * a lock, for however long it runs.
 *
 * A server tells its age by the clock of its machine, and a clock that is set forward makes it older than it is. So a run that took the place of one
 * that was known here is as old as this client has known it, by its own clock, and for each run the age that was found first is kept. What the
 * server says is believed only of the first run that a client ever sees at a node: nothing else is known of it.
 *
 * A server that was restarted has ended its connections. So the server at the other end of a connection stays the same run of the same server, and is
 * looked at once for each connection, before anything is asked on it. That is why there must be no proxy between that keeps a connection open.
 */

import type { Redis } from 'ioredis';
import type { Connection } from '../connection/connection.js';
import { listenTo } from '../connection/listen-to.js';
import { redacted } from '../connection/reply-errors.js';
import { readServerInfo, type ServerInfo } from './server-info.js';

/** What is known of it now. */
export type Verdict =
  | { readonly kind: 'may vote' }
  /** Not asked yet, or not connected. */
  | { readonly kind: 'unknown' }
  /** `until`: clock time. */
  | { readonly kind: 'young'; readonly until: number }
  | { readonly kind: 'replica' }
  | { readonly kind: 'promoted' }
  | { readonly kind: 'unreadable'; readonly error: Error };

/** What it needs. */
export interface StandingOptions {
  readonly now: () => number;
  readonly at: (time: number, action: () => void) => { cancel(): void };
  readonly longestLeaseMs: number;
  /** A server that writes every command to its log before it answers forgets nothing. */
  readonly durable: boolean;
  /** The present connection, if it is up: it counts what is owed. */
  readonly connection: () => Pick<Connection, 'sent' | 'answered'> | undefined;
  /** Something has become known. */
  readonly onNews: () => void;
  readonly onError: (error: Error) => void;
}

/** One run of a server: another one begins with each start. */
interface Run {
  readonly id: string;
  /** It was started at this clock time, or before. */
  readonly bornBy: number;
}

/** The margin that every lease has for clocks that run at different rates. */
const DRIFT = 1.01;
/** A server tells its age in whole seconds. */
const AGE_GRAIN_MS = 1_000;
/** A server that refuses to tell is asked again after this. */
const ASK_AGAIN_MS = 1_000;

const unknown: Verdict = { kind: 'unknown' };
const mayVote: Verdict = { kind: 'may vote' };

/** See the module comment; one for each node. */
export class Standing {
  readonly #redis: Redis;
  readonly #options: StandingOptions;
  readonly #stop: () => void;
  /** Counts the connections that ended. */
  #epoch = 0;
  #asking: number | undefined;
  #verdict: Verdict = unknown;
  /** The last that was seen, also while there is no connection. */
  #run: Run | undefined;
  #isRunKnown = false;
  #again: { cancel(): void } | undefined;

  constructor(redis: Redis, options: StandingOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#stop = listenTo(redis, { ready: this.#look, close: this.#forget });
  }

  /** Of the server at the other end of the present connection. */
  get verdict(): Verdict {
    if (this.#verdict.kind === 'young' && this.#options.now() >= this.#verdict.until) this.#verdict = mayVote;
    return this.#verdict;
  }

  /** Which run of which server it is, as far as is known. */
  get runId(): string | undefined {
    return this.#isRunKnown ? this.#run?.id : undefined;
  }

  /** Asks, if that has not been done: a client of yours may have been connected before we came. */
  learn(): void {
    if (this.#verdict.kind === 'unknown' && this.#redis.status === 'ready') this.#look();
  }

  /** It refuses what only a master does. Should it be one again on this connection, which may be yours to end, it has the data of another server. */
  demoted(): void {
    this.#verdict = { kind: 'replica' };
    this.#options.onNews();
  }

  close(): void {
    this.#epoch++;
    this.#verdict = unknown;
    this.#again?.cancel();
    this.#stop();
  }

  readonly #forget = (): void => {
    this.#epoch++;
    this.#verdict = unknown;
    this.#isRunKnown = false;
    this.#again?.cancel();
    this.#options.onNews();
  };

  readonly #look = (): void => {
    if (this.#asking !== this.#epoch) void this.#ask(this.#epoch);
  };

  /** Never rejects. */
  async #ask(epoch: number): Promise<void> {
    this.#asking = epoch;
    let verdict: Verdict;
    try {
      const info = readServerInfo(await this.#info(epoch));
      if (info === undefined) throw new Error('INFO does not say how long the server has been running, and what it is');
      if (epoch !== this.#epoch) return;
      const { bornBy } = this.#meet(info);
      verdict = await this.#judge(info, bornBy + this.#options.longestLeaseMs * DRIFT + AGE_GRAIN_MS);
    } catch (error) {
      verdict = { kind: 'unreadable', error: redacted(error) };
    }
    if (epoch !== this.#epoch) return;
    this.#asking = undefined;
    this.#verdict = verdict;
    if (verdict.kind === 'unreadable') {
      this.#options.onError(verdict.error);
      this.#again = this.#options.at(this.#options.now() + ASK_AGAIN_MS, this.#look);
    }
    this.#options.onNews();
  }

  /** A server that owes it is silent, as one that owes a vote is: calls end in time, and the connection is replaced. */
  async #info(epoch: number): Promise<string> {
    const { now, connection } = this.#options;
    const owing = connection();
    owing?.sent(now());
    try {
      return await this.#redis.info();
    } finally {
      // What was owed on a connection is forgotten with it.
      if (epoch === this.#epoch) owing?.answered(now());
    }
  }

  /** The run that has answered now; see the module comment. */
  #meet({ runId, uptimeMs }: ServerInfo): Run {
    this.#isRunKnown = true;
    if (this.#run?.id !== runId) {
      const now = this.#options.now();
      // The age is that of now or of before, so it is not overrated.
      this.#run = { id: runId, bornBy: this.#run === undefined ? now - uptimeMs : now };
    }
    return this.#run;
  }

  async #judge(info: ServerInfo, until: number): Promise<Verdict> {
    if (info.role !== 'master') return { kind: 'replica' };
    if (info.promoted) return { kind: 'promoted' };
    if (this.#options.now() >= until) return mayVote;
    return this.#options.durable && info.logs && (await this.#logsBeforeItAnswers())
      ? mayVote
      : { kind: 'young', until };
  }

  async #logsBeforeItAnswers(): Promise<boolean> {
    const answer: unknown = await this.#redis.config('GET', 'appendfsync').catch(() => undefined);
    return Array.isArray(answer) && answer[1] === 'always';
  }
}
