import { mostlyShort, type Nemesis } from './nemesis.js';

/** DEBUG SLEEP: the server does nothing at all for a while, expiry included. */
export const serverSleeps: Nemesis = {
  name: 'debug-sleep',
  rest: [2_000, 6_000],
  async strike({ anyMaster, random, note }) {
    const master = await anyMaster();
    const admin = await master.admin();
    note({ code: 'debug-sleep', state: 'on', target: String(master.port) });
    await admin.call('DEBUG', 'SLEEP', mostlyShort(random, [30, 1_000]) / 1_000);
    note({ code: 'debug-sleep', state: 'off', target: String(master.port) });
  },
};
