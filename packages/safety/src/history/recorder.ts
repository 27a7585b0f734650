/**
 * Writes the history of one process.
 *
 * Events are gathered and appended to the file in batches, with a synchronous write (some microseconds: it ends in the
 * page cache, which outlives the process). A batch goes out when it is large, when it is old, and at the exit of the process.
 *
 * **What a SIGKILL loses** is the last batch, never something in the middle: the file is a prefix of what happened, maybe with
 * a torn last line. That keeps the checkers sound, because of how they read it: a level that is open at the end of the file
 * counts as held up to its worker's *last event on disk* only. Its release may be among what is lost; an interval that ends
 * too early can hide a violation in that last moment, but cannot invent one. Operations without an end count as `info`.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { nowMicros } from './clock.js';
import type { End, HistoryEvent, Invoke, Note } from './event.js';

type Unstamped<E> = E extends HistoryEvent ? Omit<E, 'at' | 'worker'> : never;
type WithoutOp<E> = E extends { readonly op: number } ? Omit<E, 'op'> : never;

/** An operation that begins; {@link Recorder.invoke} numbers and stamps it. */
export type InvokeToRecord = WithoutOp<Unstamped<Invoke>> & { readonly at?: number };
/** An end or a note; stamped now unless it says when it was. */
export type ToRecord = Unstamped<End | Note> & { readonly at?: number };

export interface RecorderOptions {
  /** Appended to; made when absent. */
  readonly file: string;
  /** Name of this life of this process. */
  readonly worker: string;
  /** Events that wait at most. Default 256. */
  readonly batch?: number;
  /** How long an event waits at most, in milliseconds. Default 50. */
  readonly batchMs?: number;
}

export class Recorder {
  readonly worker: string;
  readonly #fd: number;
  readonly #batch: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onExit = (): void => this.flush();
  #waiting: string[] = [];
  #ops = 0;
  #open = true;

  constructor({ file, worker, batch = 256, batchMs = 50 }: RecorderOptions) {
    this.worker = worker;
    this.#fd = openSync(file, 'a');
    this.#batch = batch;
    this.#timer = setInterval(() => this.flush(), batchMs).unref();
    process.on('exit', this.#onExit);
  }

  /** Records that an operation begins. Returns its number, to be given with its end. */
  invoke(event: InvokeToRecord): number {
    this.#ops += 1;
    this.#add({ ...event, op: this.#ops });
    return this.#ops;
  }

  /** Records an end or a note. */
  record(event: ToRecord): void {
    this.#add(event);
  }

  /** Appends what waits to the file. */
  flush(): void {
    if (this.#waiting.length === 0 || !this.#open) return;
    const lines = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    let written = 0;
    while (written < lines.length) written += writeSync(this.#fd, lines, written);
  }

  /** Flushes and closes the file. What is recorded later is dropped. */
  close(): void {
    if (!this.#open) return;
    this.flush();
    this.#open = false;
    clearInterval(this.#timer);
    process.off('exit', this.#onExit);
    closeSync(this.#fd);
  }

  #add(event: { readonly type: HistoryEvent['type']; readonly op?: number; readonly at?: number }): void {
    if (!this.#open) return;
    this.#waiting.push(`${JSON.stringify({ ...event, at: event.at ?? nowMicros(), worker: this.worker })}\n`);
    if (this.#waiting.length >= this.#batch) this.flush();
  }
}
