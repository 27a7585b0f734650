/**
 * The append-only file of a server: its own account of what it has done.
 *
 * A replica writes down what its master sends it, and goes on with that when it takes over. So the file of each server tells all of a lock by itself, whoever
 * was the master when, as long as the keys of the lock stay with the same servers. After a full synchronization a file begins anew, with a state.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RedisServer, waitUntil } from '@holdfast/testkit';

export interface AppendOnly {
  /** From now on the file tells what is done from now on: all that was before is in its base, as a state. */
  begin(): Promise<void>;
  /** Copies what it tells. That of a server in a container cannot be read. */
  copyTo(folder: string): Promise<void>;
}

/** Such a file is text from the beginning, with the time, and begins anew when it is told to. */
export const readable: readonly string[] = [
  ...['--aof-timestamp-enabled', 'yes', '--aof-use-rdb-preamble', 'no'],
  ...['--auto-aof-rewrite-percentage', '0'],
];

/** Of a server that always writes one. */
export async function appendOnlyOf(server: RedisServer): Promise<AppendOnly> {
  const [, folder = ''] = await (await server.admin()).config('GET', 'dir');
  const isBegun = async () => {
    const info = await (await server.admin()).info('persistence');
    return info.includes('aof_rewrite_in_progress:0') && info.includes('aof_rewrite_scheduled:0');
  };
  const begun = () => waitUntil(isBegun, { what: 'a new append-only file' });
  return {
    async begin() {
      await begun();
      await (await server.admin()).bgrewriteaof();
      await begun();
    },
    async copyTo(destination) {
      // A replica may have begun anew by itself.
      await begun();
      const own = join(folder, 'appendonlydir');
      if (existsSync(own)) cpSync(own, destination, { recursive: true });
    },
  };
}

/** Of a server that writes one only from `begin()` until it has been copied: one that dies is to come back without its data. */
export async function passingAppendOnlyOf(server: RedisServer): Promise<AppendOnly> {
  const file = await appendOnlyOf(server);
  const write = async (state: 'yes' | 'no') => void (await (await server.admin()).config('SET', 'appendonly', state));
  return {
    async begin() {
      await write('yes');
      await file.begin();
    },
    async copyTo(destination) {
      await file.copyTo(destination);
      await write('no');
    },
  };
}
