import type { Command, LockKeys } from '@holdfast/core';
import { atCaller } from '../reports/caller.js';
import { failureError } from './failures.js';
import type { ClientParts } from '../client-parts.js';

/** One question to Redis within `responseTimeoutMs`. */
export async function query<R>(parts: ClientParts, keys: LockKeys, command: Command<R>): Promise<R> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  const answer = await parts.wire.answer(keys.lock, () => command, { until, inLastingTrouble: 'give up' });
  if (answer.kind === 'reply') return answer.reply;
  return atCaller(failureError(keys.name, answer));
}
