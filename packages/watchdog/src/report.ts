/** Hands an error to its listener, from where nothing may be thrown. */
export function report(error: unknown, onError: (error: unknown) => void): void {
  try {
    onError(error);
  } catch {
    // The last resort failed. Throwing on would end the process from a timer.
  }
}
