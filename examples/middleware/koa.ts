import type { LockClient } from 'holdfast';
import type { Middleware } from 'koa';

/** Opens a scope for each request; it lasts until the response has ended. `app.use(scopePerRequest(client))`, behind body parsers. */
export const scopePerRequest =
  (client: LockClient): Middleware =>
  (context, next) =>
    new Promise<void>((answered, failed) => {
      void client.run(
        () =>
          new Promise<void>((ended) => {
            // `closed`: the caller had gone before. `close`: the answer was sent, or the caller has gone.
            if (context.res.closed) ended();
            else context.res.once('close', ended);
            next().then(answered, failed);
          }),
      );
    });
