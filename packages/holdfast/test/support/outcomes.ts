/** The outcome of a call that may throw at once or reject later. */
export async function eventually<T>(call: () => T | Promise<T>): Promise<T> {
  return call();
}

/** What a call failed with; undefined when it did not. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
