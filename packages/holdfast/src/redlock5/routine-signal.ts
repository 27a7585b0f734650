/** Aborts when the lock is lost; `error` is then why, as is `reason`. */
export type RedlockAbortSignal = AbortSignal & { error?: Error };

/** A {@link RedlockAbortSignal}, and what aborts it. */
export interface RoutineSignal {
  readonly signal: RedlockAbortSignal;
  abort(error: Error): void;
}

/**
 * Each look at the signal calls `look` before, which may abort it: after a stalled event loop no timer has run yet that could have, and a routine has nothing
 * else to ask.
 */
export function routineSignal(look: () => void): RoutineSignal {
  const controller = new AbortController();
  const signal: RedlockAbortSignal = controller.signal;
  let error: Error | undefined;
  const lookFirst = (key: keyof RedlockAbortSignal, read: () => unknown) =>
    Object.defineProperty(signal, key, {
      configurable: true,
      get: () => {
        look();
        return read();
      },
    });
  for (const key of ['aborted', 'reason', 'throwIfAborted'] as const)
    lookFirst(key, () => Reflect.get(Object.getPrototypeOf(signal) as object, key, signal) as unknown);
  lookFirst('error', () => error);
  return {
    signal,
    abort: (reason) => {
      error = reason;
      controller.abort(reason);
    },
  };
}
