import type { Nemesis } from './nemesis.js';

/** RST to all connections of one lock client: commands and messages. */
export const connectionsReset: Nemesis = {
  name: 'reset',
  rest: [20, 90],
  strike({ paths, random, note }) {
    const { proxies } = random.pick(paths);
    const count = proxies.reduce((sum, proxy) => sum + proxy.connections, 0);
    for (const proxy of proxies) proxy.reset();
    if (count > 0) note({ code: 'reset', state: 'once', count });
    return Promise.resolve();
  },
};
