import { admitWorkers } from '../site/site.js';
import type { Nemesis } from './nemesis.js';

/**
 * SIGKILL of one or two servers of those that keep nothing, two of three being a majority: they come back empty, and have forgotten every lock that
 * they had voted for.
 */
export const serversEmptied: Nemesis = {
  name: 'server-emptied',
  rest: [1_500, 5_000],
  async strike({ site, random, note }) {
    const servers = random.shuffled(site.nodes).slice(0, random.next() < 0.5 ? 2 : 1);
    await Promise.all(
      servers.map(async (server) => {
        note({ code: 'server-emptied', state: 'on', target: String(server.port) });
        await server.restart();
        await admitWorkers([server]);
        note({ code: 'server-emptied', state: 'off', target: String(server.port) });
      }),
    );
  },
};
