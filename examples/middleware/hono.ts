import type { LockClient } from 'holdfast';
import type { MiddlewareHandler } from 'hono';

/** Opens a scope for each request; it lasts until the handler has answered. `app.use(scopePerRequest(client))` */
export const scopePerRequest =
  (client: LockClient): MiddlewareHandler =>
  (_context, next) =>
    client.run(next);
