/** The last step of a tenure on its way to Redis: its release, or its rest. */

import type { Command } from '@holdfast/core';
import type { Answer, AnswerListener, RequestSource } from '../connection/pending-command.js';
import type { Operations, ReleaseReply, Served } from './operations.js';
import { isRedirection } from '../connection/reply-errors.js';
import type { RecentReleases, Release } from './recent-releases.js';
import type { Bequest } from './stake.js';

/** What to tell the caller, if anything is wrong. `sentTwice`: an earlier copy of it may have run. */
export type FailureOfAnswer = (answer: Answer<ReleaseReply>, sentTwice: boolean) => Error | undefined;

/** What is known of it when it is answered. */
export interface SentStep extends Pick<Bequest, 'restUntil'> {
  readonly sentTwice: boolean;
  /** Of the lease, as it was when it was sent. */
  readonly deadline: number;
}

/** The tenure that ends. */
export interface EndingTenure {
  readonly id: string;
  readonly operations: Operations;
  /** See {@link Operations.release}. */
  tombstoneMs(): number;
  /** A copy of a command may still be on its way. */
  onDoubt(): void;
  /** What Redis has answered to the last step so far, where that was no. */
  refusal?: Error | undefined;
}

/** The command by which the name rests from now on; undefined when its time is over, or it has none. */
function restOf(
  { operations, id, seq, restUntil }: Release,
  tombstoneMs: number,
  now: number,
): Command<ReleaseReply> | undefined {
  if (restUntil === undefined || restUntil <= now) return undefined;
  return operations.rest?.(id, { seq, tombstoneMs, restMs: Math.ceil(restUntil - now) });
}

/** The command that ends a tenure whatever it is by now. What is to rest is not withdrawn before its time. */
export function withdrawalOf(release: Release, tombstoneMs: number, now: number): Command<ReleaseReply | Served> {
  const { operations, id, end = 'released' } = release;
  return restOf(release, tombstoneMs, now) ?? operations.cancel(id, { tombstoneMs, end });
}

/** The command that ends the last hold, for which there is a `bequest`. */
export function endOf(tenure: EndingTenure, seq: number, bequest: Bequest, now: number): Command<ReleaseReply> {
  const { operations, id } = tenure;
  const { restUntil, turn } = bequest;
  const tombstoneMs = tenure.tombstoneMs();
  const rest = restOf({ operations, id, seq, restUntil }, tombstoneMs, now);
  return rest ?? operations.release(id, { seq, tombstoneMs, turn });
}

/** See the module comment. */
export class LastStep implements RequestSource<ReleaseReply>, AnswerListener<ReleaseReply> {
  /** Settles in the very turn in which the answer comes; rejects with what the failure makes of it, if anything. */
  readonly outcome: Promise<void>;
  readonly #tenure: EndingTenure;
  readonly #seq: number;
  readonly #bequest: Bequest;
  readonly #failure: FailureOfAnswer;
  readonly #releases: RecentReleases;
  #sentTwice = false;
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  constructor(
    tenure: EndingTenure,
    seq: number,
    bequest: Bequest,
    { failure, releases }: { failure: FailureOfAnswer; releases: RecentReleases },
  ) {
    this.#releases = releases;
    this.#tenure = tenure;
    this.#seq = seq;
    this.#bequest = bequest;
    this.#failure = failure;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  build(now: number): Command<ReleaseReply> {
    return endOf(this.#tenure, this.#seq, this.#bequest, now);
  }

  onDoubt(): void {
    this.#sentTwice = true;
    this.#tenure.onDoubt();
  }

  onSetback(answer: Error): void {
    if (!isRedirection(answer)) this.#tenure.refusal = answer;
  }

  onAnswer(answer: Answer<ReleaseReply>): void {
    const error = this.#failure(answer, this.#sentTwice);
    if (answer.kind === 'reply') {
      const { operations, id } = this.#tenure;
      this.#releases.note({ operations, id, seq: this.#seq, restUntil: this.#bequest.restUntil }, answer.sentAt);
    }
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }
}
