/** Somebody at the server itself: what it sends is executed at once, on a connection of its own, or refused. */

import type { MemoryServer } from '@holdfast/memory';

export function asOperator(server: MemoryServer, ...requests: readonly (readonly string[])[]): void {
  const operator = server.accept({ receive: () => undefined, hungUp: () => undefined });
  for (const request of requests) operator.execute(request);
  operator.close();
}
