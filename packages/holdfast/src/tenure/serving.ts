import type { ClientParts } from '../client-parts.js';
import type { Operations } from './operations.js';
import type { Release } from './recent-releases.js';

type WayThere = Pick<ClientParts, 'clock' | 'settings' | 'sender'>;

/**
 * Goes on at once where a release has passed over so many waiters that have gone that it met its limit. No call waits for it: what it does not
 * reach is served by the client that asks next.
 */
export function serveRest(parts: WayThere, operations: Operations, left: number): void {
  if (left > 0) void serve(parts, operations, left);
}

/** Withdraws what was given back once more, at a server that may not have heard of it. */
export async function withdraw(parts: WayThere, { operations, id }: Release): Promise<void> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  const command = () => operations.cancel(id, { tombstoneMs: 0, end: 'released' });
  const answer = await parts.sender.answer(operations.key, command, { until });
  if (answer.kind === 'reply') serveRest(parts, operations, answer.reply.left);
}

async function serve(parts: WayThere, operations: Operations, left: number): Promise<void> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  // As many as before: it was refused.
  for (let before = Number.POSITIVE_INFINITY; left > 0 && left < before; ) {
    before = left;
    const answer = await parts.sender.answer(operations.key, () => operations.serve(), { until });
    if (answer.kind !== 'reply') return;
    left = answer.reply.left;
  }
}
