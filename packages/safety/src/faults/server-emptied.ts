import { admitWorkers } from '../site/site.js';
import type { Nemesis } from './nemesis.js';

/** SIGKILL of one server of several that keep nothing: it comes back empty, and has forgotten every lock that it had voted for. */
export const serverEmptied: Nemesis = {
  name: 'server-emptied',
  rest: [2_000, 8_000],
  async strike({ anyMaster, note }) {
    const server = await anyMaster();
    note({ code: 'server-emptied', state: 'on', target: String(server.port) });
    await server.restart();
    await admitWorkers([server]);
    note({ code: 'server-emptied', state: 'off', target: String(server.port) });
  },
};
