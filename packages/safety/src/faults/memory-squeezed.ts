import { mostlyShort, type Nemesis } from './nemesis.js';

/** The server has no memory left: writes that take some are refused with OOM. */
export const memorySqueezed: Nemesis = {
  name: 'oom',
  rest: [1_500, 5_000],
  async strike({ anyMaster, random, pause, note }) {
    const master = await anyMaster();
    const admin = await master.admin();
    await admin.config('SET', 'maxmemory', '1mb');
    note({ code: 'oom', state: 'on', target: String(master.port) });
    await pause(mostlyShort(random, [50, 1_000]));
    await admin.config('SET', 'maxmemory', '0');
    note({ code: 'oom', state: 'off', target: String(master.port) });
  },
};
