import * as core from '@holdfast/core';
import type { ClientParts } from '../client-parts.js';

/**
 * Goes on at once where a release has passed over so many waiters that have gone that it met its limit. Nobody waits for it: what it does not
 * reach is served by whoever asks next.
 */
export async function serveRest(parts: ClientParts, keys: core.LockKeys, left: number): Promise<void> {
  const { claimLeaseMs: claimMs, responseTimeoutMs } = parts.settings;
  const until = parts.clock.now() + responseTimeoutMs;
  // As many as before: it was refused.
  for (let before = Number.POSITIVE_INFINITY; left > 0 && left < before; ) {
    before = left;
    const command = core.serve(keys, { claimMs, trust: parts.link.trustsReceivers });
    const answer = await parts.wire.answer(keys.lock, () => command, { until });
    if (answer.kind !== 'reply') return;
    left = answer.reply.left;
  }
}
