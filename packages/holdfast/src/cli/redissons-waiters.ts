/** Clients of Redisson that wait for a lock which is free now, by whichever of its kinds: who takes one by its name does not know for which. */

import { lockKeys, readWriteKeys } from '@holdfast/core';
import type { Redis } from 'ioredis';
import type { Call } from './command-line.js';

/**
 * Tells them to look. Those of its plain lock have been told by the script that took it. Nothing is said of what is refused: they come when the lease is over that
 * they were told.
 */
export async function tellRedissonsWaiters(call: Call, name: string): Promise<void> {
  const prefixes = { prefix: call.prefix, keyPrefix: call.site.keyPrefix };
  const { fairLine, releaseChannel } = lockKeys(name, prefixes);
  const connected = await call.site.connect(call.answerWithinMs).catch(() => undefined);
  if (connected === undefined) return;
  const { servers, end } = connected;
  // In a Cluster all but one know nothing of the line, and may not tell those who listen where the lock is.
  const lines = await Promise.all(servers.map((server) => server.lindex(fairLine, 0).catch(() => null)));
  const messages = [[readWriteKeys(name, prefixes).releaseChannel, '1']];
  for (const first of lines) if (first !== null) messages.push([`${releaseChannel}:${first}`, '0']);
  const tell = (server: Redis, command: string) =>
    messages.map((message) => server.call(command, ...message).catch(() => undefined));
  const sharded = call.site.kind === 'cluster' ? servers.flatMap((server) => tell(server, 'SPUBLISH')) : [];
  await Promise.all([...tell(servers[0], 'PUBLISH'), ...sharded]);
  end();
}
