/**
 * The link: is there a connection to hand a command to, and is it still the same one?
 *
 * Nothing is given to ioredis unless its status is `ready`. Otherwise a command sits in ioredis' own queues, out of our sight, and settles
 * late or never. Waiting for `ready` happens here, inside the caller's deadline, and counts as definitely not sent.
 *
 * `epoch` counts the connections that ended. A command sent in an earlier epoch and not answered may or may not have run.
 */

import { outside } from '../scope.js';
import type { OpenedRedis } from './redis-input.js';

/** Told when the connection goes and comes. */
export interface LinkListener {
  onDown(): void;
  onUp(): void;
}

/** See the module comment. */
export class Link {
  readonly redis: OpenedRedis['redis'];
  readonly #ownership: OpenedRedis['ownership'];
  readonly #listeners: LinkListener[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #onError: (error: unknown) => void;
  #epoch = 0;
  #closed = false;

  constructor(opened: OpenedRedis, onError: (error: unknown) => void) {
    this.redis = opened.redis;
    this.#ownership = opened.ownership;
    this.#onError = onError;
    this.redis.on('ready', this.#up);
    this.redis.on('close', this.#down);
    // Without a listener ioredis prints errors of our own connection; those of yours stay yours.
    if (this.#ownership === 'ours') this.redis.on('error', onError);
  }

  get ready(): boolean {
    return this.redis.status === 'ready' && !this.#closed;
  }

  /** The connection is over and ioredis will not try again. */
  get ended(): boolean {
    return this.#closed || this.redis.status === 'end';
  }

  get epoch(): number {
    return this.#epoch;
  }

  listen(listener: LinkListener): void {
    this.#listeners.push(listener);
  }

  /** Calls `resume` once, when the link is ready (later, never at once). Returns how to forget it. */
  whenReady(resume: () => void): () => void {
    this.#waiting.add(resume);
    this.connect();
    return () => this.#waiting.delete(resume);
  }

  /** Starts a connection that was created lazily. Does nothing in any other state. */
  connect(): void {
    if (this.redis.status !== 'wait') return;
    // The error arrives as an event as well, and retries are ioredis' business.
    void outside(() => this.redis.connect().catch(() => undefined));
  }

  /** Replaces a connection of ours that is open but answers nothing. Yours is left alone. */
  recycle(): void {
    if (this.#ownership === 'ours' && this.ready) this.redis.disconnect(true);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.redis.off('ready', this.#up);
    this.redis.off('close', this.#down);
    this.#waiting.clear();
    if (this.#ownership === 'yours') return;
    await disconnect(this.redis);
    this.redis.off('error', this.#onError);
  }

  readonly #up = (): void => {
    for (const listener of this.#listeners) listener.onUp();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  };

  readonly #down = (): void => {
    this.#epoch++;
    for (const listener of this.#listeners) listener.onDown();
  };
}

/** Ends a connection of ours and waits until its socket is gone. */
export async function disconnect(redis: OpenedRedis['redis']): Promise<void> {
  // Between two attempts there is no socket, and ioredis tells nobody that it has stopped trying.
  const socketless = redis.status === 'end' || redis.status === 'wait' || redis.status === 'reconnecting';
  const ended = socketless ? undefined : new Promise<void>((resolve) => redis.once('end', () => resolve()));
  redis.disconnect();
  await ended;
}
