import type { RedisServer } from '../redis/server.js';

/** What nodes that follow each other need to be quick, and empty after a restart: a synchronisation leaves its file behind. */
export const replicationArgs = ['--repl-diskless-sync-delay', '0', '--rdb-del-sync-files', 'yes'];

/** All of these servers with their `admin()`, or none: when one does not start, those that did are stopped. */
export async function startTogether(starts: readonly Promise<RedisServer>[]): Promise<RedisServer[]> {
  const settled = await Promise.allSettled(starts);
  const started = settled.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = settled.find((start) => start.status === 'rejected');
  if (failure !== undefined) {
    await stopTogether(started);
    throw failure.reason;
  }
  // Connected now, so that a test which uses one for the first time leaves nothing new behind.
  await Promise.all(started.map((server) => server.admin()));
  return started;
}

export async function stopTogether(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
