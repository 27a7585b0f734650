import type { ClientParts } from '../client-parts.js';
import type { Answer, RequestOptions } from '../connection/pending-command.js';
import { type EndingTenure, withdrawalOf } from './last-step.js';
import type { Operations, ReleaseReply, Served } from './operations.js';
import type { Release } from './recent-releases.js';

type WayThere = Pick<ClientParts, 'clock' | 'settings' | 'sender'>;

/**
 * Goes on at once where a release has passed over so many waiters that have gone that it met its limit, and tells who waits in a line of another
 * library. No call waits for it: what it does not reach is served by the client that asks next.
 */
export function serveRest(parts: WayThere, operations: Operations, left: number): void {
  if (left > 0) void serve(parts, operations, left);
  if (operations.invite !== undefined)
    void serve(parts, { key: operations.key, serve: operations.invite.bind(operations) });
}

/** Gives back once more what was given back, at a server that may not have heard of it. */
export async function giveBackAgain(parts: WayThere, release: Release): Promise<void> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  await withdraw(parts, release, { tombstoneMs: () => release.tombstoneMs ?? 0, onDoubt: () => undefined }, { until });
}

/** Sends the command that ends `tenure` whatever it is by now. */
export async function withdraw(
  parts: WayThere,
  release: Release,
  tenure: Pick<EndingTenure, 'tombstoneMs' | 'onDoubt'>,
  options: RequestOptions<never>,
): Promise<Answer<ReleaseReply | Served>> {
  const { operations } = release;
  const source = {
    build: (now: number) => withdrawalOf(release, tenure.tombstoneMs(), now),
    onDoubt: () => tenure.onDoubt(),
  };
  const answer = await parts.sender.answer<ReleaseReply | Served>(operations.key, source, options);
  if (answer.kind === 'reply' && 'left' in answer.reply) serveRest(parts, operations, answer.reply.left);
  return answer;
}

/** Serves all who wait, of whom there may be `left`. Nobody is told of what goes wrong. */
export async function serve(
  parts: WayThere,
  operations: Pick<Operations, 'key' | 'serve'>,
  left = Infinity,
): Promise<void> {
  const until = parts.clock.now() + parts.settings.responseTimeoutMs;
  let before: number;
  do {
    before = left;
    const answer = await parts.sender.answer(operations.key, () => operations.serve(), { until });
    if (answer.kind !== 'reply') return;
    left = answer.reply.left;
    // As many as before: it was refused.
  } while (left > 0 && left < before);
}
