import { truthful } from '../truthful-signal.js';

/** Aborts when the lock is lost; `error` is then why, as is `reason`. */
export type RedlockAbortSignal = AbortSignal & { error?: Error };

/** A {@link RedlockAbortSignal}, and what aborts it. */
export interface RoutineSignal {
  readonly signal: RedlockAbortSignal;
  abort(error: Error): void;
}

/** `look` is called before each look at the signal, and may abort it. */
export function routineSignal(look: () => void): RoutineSignal {
  const controller = new AbortController();
  const { signal } = controller;
  truthful(signal, look);
  Object.defineProperty(signal, 'error', { get: () => (signal.aborted ? (signal.reason as unknown) : undefined) });
  return { signal, abort: (error) => controller.abort(error) };
}
