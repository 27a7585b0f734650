import type { Command } from '@holdfast/core';
import { atCaller } from '../reports/caller.js';
import type { Answer } from '../connection/pending-command.js';
import { failureError } from './failures.js';
import type { ClientParts } from '../client-parts.js';
import type { Operations } from './operations.js';

type WayThere = Pick<ClientParts, 'clock' | 'settings' | 'sender'>;

/** What comes of one question to the server of `key`, within `responseTimeoutMs`. */
export function ask<R>({ clock, settings, sender }: WayThere, key: string, command: Command<R>): Promise<Answer<R>> {
  const until = clock.now() + settings.responseTimeoutMs;
  return sender.answer(key, () => command, { until, inLastingTrouble: 'give up' });
}

/** The same, for who needs the reply. @throws what there is to tell where there is none. */
export async function query<R>(
  parts: WayThere,
  about: Pick<Operations, 'name' | 'primitive' | 'key'>,
  command: Command<R>,
): Promise<R> {
  const answer = await ask(parts, about.key, command);
  if (answer.kind === 'reply') return answer.reply;
  return atCaller(failureError(about, answer));
}
