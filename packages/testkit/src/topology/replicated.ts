import type { RedisServer } from '../redis/server.js';
import { waitUntil } from '../wait-until.js';

/** How long one WAIT may last before it is asked once more: a master counts a replica only from its first acknowledgement on. */
const ONE_WAIT_MS = 200;

/** Resolves when one replica of this master has all that was written before the call, by whomever. */
export async function whenReplicated(master: RedisServer): Promise<void> {
  const admin = await master.admin();
  const isConfirmed = async () => {
    // WAIT is about what its own connection has written, and nothing else: a message is a write, too, and leaves no key.
    await admin.publish('holdfast-testkit', '');
    return (await admin.wait(1, ONE_WAIT_MS)) >= 1;
  };
  await waitUntil(isConfirmed, { what: 'a replica to have what the master has', timeoutMs: 20_000 });
}
