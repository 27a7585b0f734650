/** The append-only file of a server: its own account of what it has done. */
import { join } from 'node:path';
import { type RedisServer, waitUntil } from '@holdfast/testkit';

export interface AppendOnly {
  readonly folder: string;
  /** From now on the file tells what is done from now on: all that was before is in its base, as a state. */
  begin(): Promise<void>;
}

/** Of a server that never begins anew by itself. */
export async function appendOnlyOf(server: RedisServer): Promise<AppendOnly> {
  const [, folder = ''] = await (await server.admin()).config('GET', 'dir');
  return {
    folder: join(folder, 'appendonlydir'),
    async begin() {
      const admin = await server.admin();
      await admin.bgrewriteaof();
      const isBegun = async () => {
        const info = await admin.info('persistence');
        return info.includes('aof_rewrite_in_progress:0') && info.includes('aof_rewrite_scheduled:0');
      };
      await waitUntil(isBegun, { what: 'a new append-only file' });
    },
  };
}
