/**
 * A client that says who it is, as others find it in Redis: one key for each client, whatever it holds, with a TTL that is kept in the rhythm of the
 * watchdog. Written in the background from the first tenure on, by plain commands beside those of locks; nothing waits for it, and nothing depends on
 * it: where it is refused, locks work and their holders have no names. That is told once, and tried again in the same rhythm: memory is freed, and
 * rights are granted.
 *
 *   (no tenure yet) -> due -> TIME, SET -> due again after a third of the TTL
 *                              |     no connection: due again when there is one
 *                              |     no answer: due again soon
 *                              |     refused: told, due again after a third of the TTL
 *   end: DEL, if anything was written
 */

import { clientKey } from '@holdfast/core';
import type { Appointment, Schedule } from '@holdfast/watchdog';
import type { ClientParts } from '../client-parts.js';
import type { ClientCard } from '../identity.js';
import { meaningOf, redacted } from '../connection/reply-errors.js';
import { withinLimit } from './within-limit.js';
import type { TenureStamp } from './tenure-stamp.js';

/** Shorter leases need no faster rhythm here. */
const LEAST_TTL_MS = 10_000;
/** At the latest, where there was no connection. */
const SOON_MS = 500;

type State = 'idle' | 'due' | 'writing' | 'over';

/** See the module comment. */
export class Registration {
  readonly #parts: ClientParts;
  readonly #background: Schedule;
  readonly #stamp: TenureStamp;
  readonly #card: ClientCard;
  readonly #key: string;
  readonly #ttlMs: number;
  #state: State = 'idle';
  #next: Appointment | undefined;
  #wasWritten = false;
  #isRefused = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: ClientParts, background: Schedule, stamp: TenureStamp, card: ClientCard) {
    this.#parts = parts;
    this.#background = background;
    this.#stamp = stamp;
    this.#card = card;
    this.#key = clientKey(parts.reporter.clientId);
    this.#ttlMs = Math.max(parts.settings.watchdogTimeoutMs, LEAST_TTL_MS);
    stamp.onTenure = () => {
      if (this.#state === 'idle') this.#due(0);
    };
    // In the next turn: locks that waited for the connection go first. Where it leads to another server now, the name may be gone.
    parts.topology.listen({
      onUp: (covers) => {
        if (this.#state === 'due' && covers(this.#key)) this.#due(0);
      },
    });
  }

  /** Takes away what was written. Never rejects, and takes no longer than `attemptTimeoutMs`. */
  async end(): Promise<void> {
    this.#state = 'over';
    await this.#inTime(this.#writing);
    if (this.#wasWritten) await this.#inTime(this.#keyspace?.remove(this.#key));
  }

  get #rhythmMs(): number {
    return Math.floor(this.#ttlMs / 3);
  }

  get #keyspace() {
    return this.#parts.topology.connectionTo(this.#key)?.keyspace;
  }

  #due(delayMs: number): void {
    if (this.#state === 'over') return;
    this.#state = 'due';
    this.#next?.cancel();
    this.#next = this.#background.at(this.#parts.clock.now() + delayMs, () => {
      if (this.#state !== 'due') return;
      this.#state = 'writing';
      // A client of yours may forget the question with its connection, and never answer.
      this.#writing = this.#inTime(this.#write().catch(this.#failed)).then((nextMs = SOON_MS) => this.#due(nextMs));
    });
  }

  /** Answers when it is due again. */
  async #write(): Promise<number> {
    const keyspace = this.#keyspace;
    if (keyspace === undefined) return SOON_MS;
    const before = this.#stamp.ageMs;
    const time = await keyspace.time();
    const epochMs = Math.round(time - (before + this.#stamp.ageMs) / 2);
    if (this.#state === 'over') return 0;
    this.#wasWritten = true;
    await keyspace.put(this.#key, JSON.stringify({ ...this.#card, epochMs }), this.#ttlMs);
    this.#isRefused = false;
    return this.#rhythmMs;
  }

  /** Answers when it is due again, if not soon. */
  readonly #failed = (error: unknown): number | undefined => {
    if (meaningOf(error).kind !== 'permanent') return undefined;
    if (!this.#isRefused && this.#state !== 'over') this.#tell(error);
    this.#isRefused = true;
    return this.#rhythmMs;
  };

  #tell(error: unknown): void {
    const cause = redacted(error);
    this.#parts.reporter.error(
      new Error(
        `Redis refuses to keep the name of this client; locks work, but others cannot see who holds them: ${cause.message}`,
        { cause },
      ),
    );
  }

  #inTime<T>(work: Promise<T> | undefined): Promise<T | undefined> {
    return withinLimit(this.#parts, this.#parts.settings.attemptTimeoutMs, work);
  }
}
