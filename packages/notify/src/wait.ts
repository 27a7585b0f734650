import type { AbortHub } from './abort-hub.js';

/** One entry in the schedule behind a {@link TimerPort}. */
export interface TimerEntry {
  move(time: number): void;
  cancel(): void;
}

/** Runs a task once at an absolute time of a clock that the port chooses; one schedule serves any number of waits. */
export interface TimerPort {
  at(time: number, task: { run(): void }): TimerEntry;
}

/** What a wait has that may expire. */
export interface Expiring<T> {
  readonly timers: TimerPort;
  /** When it expires, in the time of `timers`. Absent or `Infinity`: not before {@link Wait.expireAt} says so. */
  readonly expiresAt?: number | undefined;
  /** Decides what this, and an abort, come to. One object, so that thousands of waits need no closures. */
  readonly handler: WaitHandler<T>;
}

/** What a wait has that a signal may end. */
export interface Abortable {
  readonly aborts: AbortHub;
  /** Ends the wait when it aborts, in the constructor if it has aborted already. */
  readonly signal: AbortSignal | undefined;
}

type Without<Part> = { readonly [Name in keyof Part]?: undefined };

/** How a wait may end by itself. A wait without any of it costs one promise. */
export type WaitOptions<T> = (Expiring<T> | Without<Expiring<T>>) & (Abortable | Without<Abortable>);

/** What an error thrown in here does: it becomes the rejection. */
export interface WaitHandler<T> {
  /** Settles the expired wait, or moves its expiry to go on waiting. */
  onExpire(wait: Wait<T>): void;
  /** Settles the aborted wait. Default: rejects with the signal's reason. */
  onAbort?(wait: Wait<T>, reason: unknown): void;
}

/**
 * A one-shot wait. It ends when its owner resolves or rejects it, when it expires, or when its signal aborts. The first of
 * these wins and the others do nothing; with the end of the wait its timer and its abort listener are gone.
 *
 * The value says why the wait ended; the awaiting code decides what follows from it.
 * A rejection without a handler is an unhandled one, as that of any promise: see {@link quietWait}.
 */
export class Wait<T> {
  /** Settles with the wait. */
  readonly promise: Promise<T>;
  #settled = false;
  #fulfil!: (value: T) => void;
  #fail!: (error: unknown) => void;
  readonly #timers: TimerPort | undefined;
  readonly #handler: WaitHandler<T> | undefined;
  #timer: TimerEntry | undefined;
  #leaveSignal: (() => void) | undefined;

  constructor(options: WaitOptions<T> = {}) {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#fulfil = resolve;
      this.#fail = reject;
    });
    this.#timers = options.timers;
    this.#handler = options.handler;
    if (options.signal !== undefined) this.listen(options.signal, options.aborts);
    if (options.expiresAt !== undefined) this.expireAt(options.expiresAt);
  }

  /** Whether the wait is over. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Ends the wait with a value. Answers false, and does nothing, when it is over already. */
  resolve(value: T): boolean {
    if (!this.end()) return false;
    this.#fulfil(value);
    return true;
  }

  /** Ends the wait with an error. Answers false, and does nothing, when it is over already. */
  reject(error: unknown): boolean {
    if (!this.end()) return false;
    this.#fail(error);
    return true;
  }

  /** Sets or moves the expiry of one that has `timers`, in their time; `Infinity` removes it. Does nothing once the wait is over. */
  expireAt(time: number): void {
    if (this.#settled) return;
    if (time === Infinity) {
      this.#timer?.cancel();
      this.#timer = undefined;
    } else if (this.#timer !== undefined) {
      this.#timer.move(time);
    } else {
      this.#timer = this.#timers?.at(time, this);
    }
  }

  /** The wait expires: called by `timers`. */
  run(): void {
    this.#timer = undefined;
    if (!this.#settled) this.react(() => this.#handler?.onExpire(this));
  }

  private listen(signal: AbortSignal, aborts: AbortHub): void {
    this.#leaveSignal = aborts.subscribe(signal, () => this.abort(signal.reason));
  }

  private abort(reason: unknown): void {
    const handler = this.#handler;
    if (handler?.onAbort === undefined) this.reject(reason);
    else this.react(() => handler.onAbort?.(this, reason));
  }

  /** Runs a handler from a timer or event: what it throws rejects the wait, and does not reach the event loop. */
  private react(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.reject(error);
    }
  }

  private end(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#leaveSignal?.();
    this.#leaveSignal = undefined;
    return true;
  }
}

/** A wait whose rejection is never reported as unhandled; code that awaits it gets the rejection all the same. */
export function quietWait<T>(): Wait<T> {
  const wait = new Wait<T>();
  wait.promise.catch(() => undefined);
  return wait;
}
