/** Hears of errors that no caller is there to receive. */
export type ErrorListener = (error: unknown) => void;

/** Runs a callback that is not ours: what it throws is reported, and never stops the caller. */
export function guarded(run: () => void, onError: ErrorListener): void {
  try {
    run();
  } catch (error) {
    report(error, onError);
  }
}

/** Hands an error to its listener. */
export function report(error: unknown, onError: ErrorListener): void {
  try {
    onError(error);
  } catch {
    // The listener itself is broken. Throwing here would end the process from inside a socket or timer event.
  }
}
