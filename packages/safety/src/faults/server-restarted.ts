import type { Nemesis } from './nemesis.js';

/** SIGKILL of the server, which comes back on the same port with what its append-only file has: everything that it had answered. */
export const serverRestarted: Nemesis = {
  name: 'server-kill',
  rest: [4_000, 12_000],
  async strike({ anyMaster, note }) {
    const master = await anyMaster();
    note({ code: 'server-kill', state: 'on', target: String(master.port) });
    await master.restart();
    note({ code: 'server-kill', state: 'off', target: String(master.port) });
  },
};
