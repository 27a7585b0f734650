/** Aborts when the lock is lost; `error` is then why, as is `reason`. */
export type RedlockAbortSignal = AbortSignal & { error?: Error };

/** A {@link RedlockAbortSignal}, and what aborts it. */
export interface RoutineSignal {
  readonly signal: RedlockAbortSignal;
  abort(error: Error): void;
}

/**
 * `look` is called before each look at the signal, and may abort it: a routine has nothing else to ask, and after a stalled event loop no timer has run yet.
 * As `truthful-signal.ts`, which is no part of what holdfast exports.
 */
export function routineSignal(look: () => void): RoutineSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const inherited = Object.getPrototypeOf(signal) as object;
  for (const key of ['aborted', 'reason', 'throwIfAborted'] as const)
    Object.defineProperty(signal, key, {
      configurable: true,
      get: () => {
        look();
        return Reflect.get(inherited, key, signal) as unknown;
      },
    });
  Object.defineProperty(signal, 'error', { get: () => signal.reason as unknown });
  return { signal, abort: (error) => controller.abort(error) };
}
