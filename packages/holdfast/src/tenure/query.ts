import type { Command } from '@holdfast/core';
import { atCaller } from '../reports/caller.js';
import { failureError } from './failures.js';
import type { ClientParts } from '../client-parts.js';
import type { Operations } from './operations.js';

/** One question to Redis within `responseTimeoutMs`. */
export async function query<R>(
  parts: Pick<ClientParts, 'clock' | 'settings' | 'sender'>,
  { name, key }: Pick<Operations, 'name' | 'key'>,
  command: Command<R>,
): Promise<R> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  const answer = await parts.sender.answer(key, () => command, { until, inLastingTrouble: 'give up' });
  if (answer.kind === 'reply') return answer.reply;
  return atCaller(failureError(name, answer));
}
