/** What holdfast's errors say of themselves. Looked at by shape: a process may have several copies of the classes. */

interface Coded {
  readonly code: string;
  readonly limit?: string;
}

function isCoded(error: unknown): error is Coded {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}

/**
 * For the attribute `error.type`: the code of an error of holdfast, or the name of the reason that the platform gives a signal (`AbortError`, and `TimeoutError`
 * of `AbortSignal.timeout`), by which calls that their caller has given up can be told from faults. `_OTHER` for any other.
 */
export function errorTypeOf(error: unknown): string {
  if (isCoded(error) && error.code.startsWith('LOCK_')) return error.code;
  const isReason = error instanceof DOMException && (error.name === 'AbortError' || error.name === 'TimeoutError');
  return isReason ? error.name : '_OTHER';
}

/** The limit of the client that a call was above, if that is what it was refused for. */
export function limitOf(error: unknown): string | undefined {
  return isCoded(error) && error.code === 'LOCK_LIMIT' ? error.limit : undefined;
}
