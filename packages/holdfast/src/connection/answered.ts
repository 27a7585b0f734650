import type { Answer, Request } from './pending-command.js';

/** Settles in the very turn in which the answer comes; rejects with what `failure` makes of it, if anything. */
export function answered<R>(request: Request<R>, failure: (answer: Answer<R>) => Error | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    request.whenAnswered((answer) => {
      const error = failure(answer);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}
