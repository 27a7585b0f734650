import { startPrivateRedis } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { type Fronts, type Site, admitWorkers, serverArgs } from './site.js';

const nodes = 3;

/** Three servers that know nothing of each other, for locks by majority. They keep nothing: whoever is killed comes back empty. */
export async function majoritySite(): Promise<Site> {
  const servers = await Promise.all(Array.from({ length: nodes }, () => startPrivateRedis({ args: [...serverArgs] })));
  await admitWorkers(servers);
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  return {
    kind: 'majority',
    nodes: servers,
    clock: undefined,
    appendOnly: [],
    connect: () => new Redis(first.url),
    masters: () => Promise.resolve(servers),
    reach: (fronts: Fronts) => ({
      kind: 'majority',
      nodes: servers.map((server) => {
        const proxy = fronts.get(server);
        if (proxy === undefined) throw new Error('no proxy in front of a server');
        return { host: proxy.host, port: proxy.port };
      }),
    }),
    whenReady: async () => {
      await Promise.all(servers.map(async (server) => (await server.admin()).ping()));
      await admitWorkers(servers); // whoever came back empty has forgotten its users too
    },
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}
