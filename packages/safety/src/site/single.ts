import { startPrivateRedis } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { appendOnlyOf, readable } from './append-only.js';
import type { Fronts, Site } from './site.js';
import { serverArgs } from './site.js';
import { WORKER_USER } from './reach.js';
import type { ServerClock } from './server-clock.js';

/** Known to the server whenever it starts. */
const user = ['--user', WORKER_USER, 'on', 'nopass', '~*', '&*', '+@all'];

/** A server that is killed comes back with its data: every write is in the file before it is answered. The file can be replayed. */
const durable: readonly string[] = [...['--appendonly', 'yes', '--appendfsync', 'everysec'], ...readable];

/** One server. With `clock` its wall clock can be set. */
export async function singleSite(clock: ServerClock | undefined): Promise<Site> {
  const server = await startPrivateRedis({
    args: [...serverArgs, ...user, ...durable],
    ...(clock === undefined ? {} : { serverEnv: clock.serverEnv }),
  });
  return {
    kind: 'single',
    nodes: [server],
    clock,
    appendOnly: [await appendOnlyOf(server)],
    connect: () => new Redis(server.url),
    masters: () => Promise.resolve([server]),
    reach(fronts: Fronts) {
      const proxy = fronts.get(server);
      if (proxy === undefined) throw new Error('no proxy in front of the server');
      return { kind: 'single', at: { host: proxy.host, port: proxy.port } };
    },
    whenReady: async () => void (await (await server.admin()).ping()),
    stop: async () => {
      await server.stop();
      clock?.remove();
    },
  };
}
