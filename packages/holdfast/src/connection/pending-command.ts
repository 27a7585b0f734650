/**
 * A command that waits for its answer: one request and all its copies. It knows how many copies are under way, on which connection the last one went, what went wrong,
 * and its answer, which it gets once. The copies are sent by the `CommandSender`.
 */

import type { Command, ScriptForm } from '@holdfast/core';
import { type Appointment, type BagItem, UNPLACED } from '@holdfast/watchdog';
import type { Connection, ReplicaTerms } from './connection.js';
import type { Topology } from './topology.js';
import { redacted, type ErrorMeaning, meaningOf } from './reply-errors.js';
import { noConnection } from './trouble.js';

/** What became of a request. `node`: the server that has answered. */
export type Answer<R> =
  | { kind: 'reply'; reply: R; sentAt: number; node: string }
  /** It was done, but too few replicas have confirmed it. */
  | { kind: 'unconfirmed'; required: number; confirmed: number }
  /** Redis refused it before any write and will again. `server`: in a Cluster, the one that did. */
  | { kind: 'refused'; code: string; error: Error; server?: string | undefined }
  /** No answer by `until`, or the request was dropped. */
  | { kind: 'silent'; error: Error | undefined };

/** What a request asks for. An object and not functions, because there is one for each lock that is taken or given back; see docs/adr/0053. */
export interface RequestSource<R> {
  /** The command as it is at the time of sending, anew for each copy. */
  build(now: number): Command<R>;
  /** A copy of the command may still be on its way. */
  onDoubt?(): void;
  /** The server has answered that it cannot do it now. It is sent again. */
  onSetback?(answer: Error): void;
}

/** Told what became of a request: once, in the very turn in which that is known. It must not throw. */
export interface AnswerListener<R> {
  onAnswer(answer: Answer<R>): void;
}

/** How a request is sent. */
export interface RequestOptions<R = unknown> {
  /** Clock time at which to give up. Infinite or absent: it lasts until it is answered or dropped. */
  readonly until?: number;
  /** How many milliseconds to go on for after a first copy was handed to a connection. Absent: as `until` says. */
  readonly goOnMs?: number;
  /** Replies for which `needed` says so count only when enough replicas have what the connection wrote before them. */
  readonly confirmation?: Confirmation<R>;
  /**
   * What to do when its server cannot be reached and that does not pass by itself. Default: go on trying, as what must be undone does. `go on`: also
   * when the server cannot save, and takes no writes; anything else ends then, lest what was refused and is undone comes back all the time.
   */
  readonly inLastingTrouble?: 'give up' | 'go on';
  /** Asked before each copy: it has become known that there is nothing to do. Then the answer is `silent`. */
  readonly isMoot?: () => boolean;
  /** `in full`, where nobody may be here any more when the answer comes. Absent: by name. */
  readonly form?: ScriptForm;
}

/** See {@link RequestOptions}. */
export interface Confirmation<R> {
  readonly enough: ReplicaTerms;
  needed(reply: R): boolean;
}

/** A request under way. */
export interface Request<R> {
  /** Tells `listener`, the only one, when there is an answer, or now. */
  whenAnswered(listener: AnswerListener<R>): void;
  /** A copy is there without an answer: it may run. One that a server has refused for now has not; of any other `onDoubt` tells. */
  readonly mayRun: boolean;
  /** The last thing that a server has answered is that it cannot do it now; or the last copy has failed, and none was sent since. */
  readonly setback: boolean;
  /** The last thing that went wrong: with the connection, or with a copy. */
  readonly trouble: Error | undefined;
  /** Stop sending it. The answer is `silent`. */
  drop(): void;
}

/** Where a copy was sent. `epoch`: the number of its connection then. */
interface Sending {
  readonly connection: Connection;
  readonly epoch: number;
}

/** Redis cannot write its snapshots, and refuses every write until it can. */
const CANNOT_SAVE = 'MISCONF';
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 500;

/** See the module comment. */
export class PendingCommand<R> implements Request<R>, BagItem {
  place = UNPLACED;
  readonly #topology: Topology;
  readonly lockKey: string;
  readonly #source: RequestSource<R>;
  limit: Appointment | undefined;
  /** Ends the present wait for a ready topology or for the next try. */
  pause: (() => void) | undefined;
  readonly options: RequestOptions<R>;
  /** It leaves behind another request, in one command with it: never alone, and never again. */
  follows = false;
  /** Redis has refused another one that had left together with it: from now on it leaves alone. */
  apart = false;
  readonly #onSettled: (pending: PendingCommand<R>) => void;
  #listener: AnswerListener<R> | undefined;
  #answer: Answer<R> | undefined;
  /** The connection of the last copy, and the number of its connection then. */
  #connection: Connection | undefined;
  #epoch = 0;
  /** Copies without an answer that were sent on that connection: a client of yours may have forgotten others, which are never answered then. */
  #unansweredThere = 0;
  #retryMs = FIRST_RETRY_MS;
  #lastError: Error | undefined;
  #setback = false;
  /** A server has answered a copy that it cannot do it now. */
  #refused = false;
  /** The first connection on which its answer named no question. */
  #unnamedOn: { readonly node: string; readonly epoch: number } | undefined;

  constructor(
    topology: Topology,
    lockKey: string,
    source: RequestSource<R>,
    options: RequestOptions<R>,
    onSettled: (pending: PendingCommand<R>) => void,
  ) {
    this.#topology = topology;
    this.lockKey = lockKey;
    this.#source = source;
    this.options = options;
    this.#onSettled = onSettled;
  }

  whenAnswered(listener: AnswerListener<R>): void {
    if (this.#answer === undefined) this.#listener = listener;
    else listener.onAnswer(this.#answer);
  }

  build(now: number): Command<R> {
    return this.#source.build(now);
  }

  get mayRun(): boolean {
    return this.#unansweredThere > 0;
  }

  /** It ends when its server cannot be reached and that does not pass by itself. */
  get givesUp(): boolean {
    return this.options.inLastingTrouble === 'give up';
  }

  get settled(): boolean {
    return this.#answer !== undefined;
  }

  get trouble(): Error | undefined {
    const known = this.#topology.troubleWith(this.lockKey) ?? this.#lastError;
    return known ?? (this.#connection ? undefined : new Error(noConnection));
  }

  get setback(): boolean {
    return this.#setback && !this.settled;
  }

  sentOn(connection: Connection): void {
    if (!this.#wasSentOn(connection, connection.epoch)) {
      // That the connection before has broken is no answer.
      this.#setback = this.#refused;
      this.#unansweredThere = 0;
    }
    this.#connection = connection;
    this.#epoch = connection.epoch;
    this.#unansweredThere++;
  }

  /** Unanswered, and the connection it was sent on has ended. */
  get overtaken(): boolean {
    return this.#unansweredThere > 0 && this.#epoch < (this.#connection as Connection).epoch;
  }

  doubt(): void {
    this.#source.onDoubt?.();
  }

  replied(reply: R, sentAt: number, node: string): void {
    // A client of yours has sent it again before anything of ours could leave there. The copy before may have run.
    if (this.overtaken) this.doubt();
    this.settle({ kind: 'reply', reply, sentAt, node });
  }

  unconfirmed(required: number, confirmed: number): void {
    this.settle({ kind: 'unconfirmed', required, confirmed });
  }

  /** The command could not even be made: nothing was sent. */
  refuse(error: unknown): void {
    this.settle({ kind: 'refused', code: 'INVALID', error: redacted(error) });
  }

  /** A copy has failed. Says after how many milliseconds to send another one, if at all. */
  failed({ connection, epoch }: Sending, meaning: ErrorMeaning, error: unknown): number | undefined {
    const isRefused = meaning.kind === 'transient' || meaning.kind === 'permanent';
    if (this.settled) {
      // Nobody waits for it any more; whoever is to undo it may want to know that it has not run.
      if (isRefused && this.#wasSentOn(connection, epoch)) this.#unansweredThere--;
      return undefined;
    }
    // What Redis refuses for good, and is not said to mean this command, means another one that left together with it.
    const meansAnother = meaning.kind === 'unknown' && meaningOf(error).kind === 'permanent';
    if (!meansAnother) this.#lastError = this.#moreTelling(redacted(error));
    if (!isRefused || this.overtaken) this.doubt();
    const goesOn = this.options.inLastingTrouble === 'go on';
    const isFinal = meaning.kind === 'permanent' && !(goesOn && meaning.code === CANNOT_SAVE);
    if (isFinal || meaning.kind === 'nonsense' || this.#isElsewhere(meaning)) {
      this.settle({
        kind: 'refused',
        code: meaning.code,
        error: redacted(error),
        server: this.#topology.sharded ? connection.keyspace.address : undefined,
      });
      return undefined;
    }
    // Where the last copy went, it is that which brings on the next.
    if (!this.#wasSentOn(connection, epoch) || --this.#unansweredThere > 0) return undefined;
    if (this.follows) {
      this.drop();
      return undefined;
    }
    if (meansAnother && !this.apart) {
      // Redis is well: a call that has little time left waits for nothing but the answer.
      this.apart = true;
      return 0;
    }
    this.#setback = true;
    if (meaningOf(error).kind === 'transient') {
      this.#refused = true;
      this.#source.onSetback?.(redacted(error));
    }
    const delayMs = this.#retryMs;
    this.#retryMs = Math.min(delayMs * 2, LAST_RETRY_MS);
    return delayMs;
  }

  /** An ASK only says who is to be asked: in a slot that is on its way, who has answered the last try by TRYAGAIN. */
  #moreTelling(error: Error): Error {
    const last = this.#lastError;
    return error.message.startsWith('ASK ') && last?.message.startsWith('TRYAGAIN ') ? last : error;
  }

  /** The last copy was. */
  #wasSentOn(connection: Connection, epoch: number): boolean {
    return connection === this.#connection && epoch === this.#epoch;
  }

  /** A server that was given alone is a node of a Cluster: nobody here follows to where it points. */
  #isElsewhere(meaning: ErrorMeaning): meaning is ErrorMeaning & { code: string } {
    return meaning.kind === 'transient' && !this.#topology.sharded && /^(MOVED|ASK)$/.test(meaning.code);
  }

  /** The answer that came on `connection` now names no question. Whether one did so before that connection was last made. */
  unnamedBefore({ node, epoch }: Connection): boolean {
    const first = (this.#unnamedOn ??= { node, epoch });
    return first.node !== node || first.epoch !== epoch;
  }

  drop(error?: Error): void {
    this.settle({ kind: 'silent', error: error ?? this.trouble });
  }

  private settle(answer: Answer<R>): void {
    if (this.settled) return;
    this.#answer = answer;
    this.limit?.cancel();
    this.pause?.();
    this.#onSettled(this);
    this.#listener?.onAnswer(answer);
  }
}
