import type { Command } from '@holdfast/core';
import { failureError } from './failures.js';
import type { Parts } from './parts.js';

/** One question to Redis within `responseTimeoutMs`. */
export async function query<R>(parts: Parts, name: string, command: Command<R>): Promise<R> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  const answer = await parts.wire.answer(name, () => command, { until, inLastingTrouble: 'give up' });
  if (answer.kind === 'reply') return answer.reply;
  throw failureError(name, answer);
}
