import type { preHandlerHookHandler } from 'fastify';
import type { LockClient } from 'holdfast';

/** Opens a scope for each request; it lasts until the response has ended. `app.addHook('preHandler', scopePerRequest(client))`, on the root. */
export const scopePerRequest =
  (client: LockClient): preHandlerHookHandler =>
  (_request, reply, done) => {
    void client.run(
      () =>
        new Promise<void>((ended) => {
          // `closed`: the caller had gone before. `close`: the answer was sent, or the caller has gone.
          if (reply.raw.closed) ended();
          else reply.raw.once('close', ended);
          done();
        }),
    );
  };
