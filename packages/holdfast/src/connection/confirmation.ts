import type { Clock } from '@holdfast/watchdog';
import type { Copy, CopyKeeper } from './copy.js';
import type { Confirmation } from './pending-command.js';

/**
 * Has replicas confirm what `copy` has written, which `reply` is the answer to. WAIT speaks of what its own connection has written. When that is lost, the
 * command is sent again, and then confirmed anew.
 */
export async function confirm<R>(
  copy: Copy<R>,
  reply: R,
  clock: Clock,
  keeper: Pick<CopyKeeper, 'failed'>,
): Promise<void> {
  const { pending, connection, epoch, sentAt } = copy;
  const { enough } = pending.options.confirmation as Confirmation<R>;
  connection.sent(clock.now());
  let confirmed: number;
  try {
    confirmed = await connection.replicated(enough, epoch);
  } catch (error) {
    // Whatever the error says is about WAIT: the command itself has run.
    pending.doubt();
    keeper.failed(copy, error);
    return;
  }
  connection.answered(clock.now());
  if (confirmed >= enough.min) pending.replied(reply, sentAt, connection.node);
  else pending.unconfirmed(enough.min, confirmed);
}
