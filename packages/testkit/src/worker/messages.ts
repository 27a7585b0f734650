/** Parent to worker. */
export type ToWorker = { kind: 'call'; id: number; method: string; args: unknown[] } | { kind: 'finish' };

/** An error as it crosses the process boundary. */
export interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
  code: unknown;
}

/** Worker to parent. */
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: SentError }
  | { kind: 'event'; event: string; data: unknown };

/** What a worker can be asked to do. Arguments and results cross as JSON. */
export type WorkerMethods = Record<string, (...args: never[]) => unknown>;

export function describeError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined, code: undefined };
  const { name, message, stack } = error;
  return { name, message, stack, code: 'code' in error ? error.code : undefined };
}
