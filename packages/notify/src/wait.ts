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

/** How a wait may end by itself. Every part is optional; a wait without any costs one promise. */
export interface WaitOptions<T> {
  /** Needed for `expiresAt` and {@link Wait.expireAt}. */
  readonly timers?: TimerPort | undefined;
  /** When the wait expires, in the time of `timers`. Absent or `Infinity`: never. */
  readonly expiresAt?: number | undefined;
  /** Needed for `signal`. */
  readonly aborts?: AbortHub | undefined;
  /** Ends the wait when it aborts, in the constructor if it has aborted already. */
  readonly signal?: AbortSignal | undefined;
  /** Decides what these come to. One object, so that thousands of waits need no closures. */
  readonly handler?: WaitHandler<T> | undefined;
}

/** What an error thrown in here does: it becomes the rejection. */
export interface WaitHandler<T> {
  /**
   * Settles the expired wait, or moves its expiry to go on waiting.
   * Default: rejects with a `TimeoutError`, as `AbortSignal.timeout` does.
   */
  onExpire?(wait: Wait<T>): void;
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

  /** @throws TypeError when `expiresAt` comes without `timers`, or `signal` without `aborts`. */
  constructor(options?: WaitOptions<T>) {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#fulfil = resolve;
      this.#fail = reject;
    });
    this.#timers = options?.timers;
    this.#handler = options?.handler;
    if (options?.signal !== undefined) this.listen(options.signal, options.aborts);
    if (options?.expiresAt !== undefined) this.expireAt(options.expiresAt);
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

  /**
   * Sets or moves the expiry, in the time of `timers`; `Infinity` removes it. Does nothing once the wait is over.
   *
   * @throws TypeError when the wait was made without `timers`.
   */
  expireAt(time: number): void {
    if (this.#settled) return;
    if (time === Infinity) {
      this.#timer?.cancel();
      this.#timer = undefined;
    } else if (this.#timer !== undefined) {
      this.#timer.move(time);
    } else {
      const timers = this.#timers;
      if (timers === undefined) throw new TypeError('A wait that expires needs `timers`');
      this.#timer = timers.at(time, this);
    }
  }

  /** The wait expires: called by `timers`. */
  run(): void {
    this.#timer = undefined;
    if (this.#settled) return;
    const handler = this.#handler;
    if (handler?.onExpire === undefined) {
      this.reject(new DOMException('The wait expired', 'TimeoutError'));
      return;
    }
    this.react(() => handler.onExpire?.(this));
  }

  private listen(signal: AbortSignal, aborts: AbortHub | undefined): void {
    if (aborts === undefined) throw new TypeError('A wait with a `signal` needs `aborts`');
    this.#leaveSignal = aborts.subscribe(signal, () => this.abort(signal.reason));
  }

  private abort(reason: unknown): void {
    if (this.#settled) return;
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
