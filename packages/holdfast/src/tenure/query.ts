import type { Command } from '@holdfast/core';
import { atCaller } from '../reports/caller.js';
import { failureError } from './failures.js';
import type { ClientParts } from '../client-parts.js';
import type { Operations } from './operations.js';

/** One question to Redis within `responseTimeoutMs`. */
export async function query<R>(
  parts: Pick<ClientParts, 'clock' | 'settings' | 'sender'>,
  about: Pick<Operations, 'name' | 'primitive' | 'key'>,
  command: Command<R>,
): Promise<R> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  const answer = await parts.sender.answer(about.key, () => command, { until, inLastingTrouble: 'give up' });
  if (answer.kind === 'reply') return answer.reply;
  return atCaller(failureError(about, answer));
}
