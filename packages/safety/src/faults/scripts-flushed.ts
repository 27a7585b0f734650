import type { Nemesis } from './nemesis.js';

/** The server forgets all scripts. */
export const scriptsFlushed: Nemesis = {
  name: 'script-flush',
  rest: [200, 1_000],
  async strike({ anyMaster, note }) {
    const master = await anyMaster();
    await (await master.admin()).call('SCRIPT', 'FLUSH');
    note({ code: 'script-flush', state: 'once', target: String(master.port) });
  },
};
