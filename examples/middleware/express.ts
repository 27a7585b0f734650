import type { RequestHandler } from 'express';
import type { LockClient } from 'holdfast';

/** Opens a scope for each request; it lasts until the response has ended. `app.use(scopePerRequest(client))`, behind body parsers. */
export const scopePerRequest =
  (client: LockClient): RequestHandler =>
  (_request, response, next) => {
    void client.run(
      () =>
        new Promise<void>((ended) => {
          // `closed`: the caller had gone before. `close`: the answer was sent, or the caller has gone.
          if (response.closed) ended();
          else response.once('close', ended);
          next();
        }),
    );
  };
