/** What holdfast's errors say of themselves. Looked at by shape: a process may have several copies of the classes. */

interface Coded {
  readonly code: string;
  readonly limit?: string;
}

function isCoded(error: unknown): error is Coded {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}

/** For the attribute `error.type`: the code of an error of holdfast; `_OTHER` for any other, such as the reason of an abort signal. */
export function errorTypeOf(error: unknown): string {
  return isCoded(error) && error.code.startsWith('LOCK_') ? error.code : '_OTHER';
}

/** The limit of the client that a call was above, if that is what it was refused for. */
export function limitOf(error: unknown): string | undefined {
  return isCoded(error) && error.code === 'LOCK_LIMIT' ? error.limit : undefined;
}
