import { describeError } from './messages.js';
import type { FromWorker, ToWorker, WorkerMethods } from './messages.js';

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

const endWithParent = (): void => process.exit();

/** The worker's side of the line. */
export interface WorkerLine {
  /** Tells the parent that something happened: it appears in `worker.events` there. Data crosses as JSON. */
  emit(event: string, data?: unknown): void;
}

/**
 * Answers the parent's calls. For the file that `spawnWorker` runs; call it once, when the methods can be used.
 *
 * Calls run concurrently; a rejection crosses with its name, message and `code`. The worker ends when its parent does,
 * and after `worker.finish()` as soon as nothing of its own keeps it alive.
 *
 * @throws Error when the process was not started by `spawnWorker`.
 */
export function serveWorker({ methods }: { methods: WorkerMethods }): WorkerLine {
  if (process.send === undefined) throw new Error('serveWorker() is for files that spawnWorker() runs');
  const answer = async (id: number, name: string, args: unknown[]): Promise<void> => {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (method === undefined) throw new Error(`the worker has no method ${name}`);
      const value: unknown = await Reflect.apply(method, methods, args);
      send({ kind: 'result', id, value });
    } catch (error) {
      send({ kind: 'error', id, error: describeError(error) });
    }
  };
  process.on('disconnect', endWithParent);
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'call') {
      void answer(message.id, message.method, message.args);
    } else {
      process.off('disconnect', endWithParent);
      process.disconnect();
    }
  });
  send({ kind: 'ready' });
  return { emit: (event, data) => send({ kind: 'event', event, data }) };
}
