import { mostlyShort, type Nemesis } from './nemesis.js';

/** CLIENT PAUSE: the server reads commands and runs none of them, or none that write, until it is over. */
export const writesPaused: Nemesis = {
  name: 'client-pause',
  rest: [2_000, 6_000],
  async strike({ anyMaster, random, pause, note }) {
    const master = await anyMaster();
    const mode = random.pick(['WRITE', 'ALL'] as const);
    const ms = mostlyShort(random, [50, 1_500]);
    await (await master.admin()).call('CLIENT', 'PAUSE', ms, mode);
    note({ code: 'client-pause', state: 'on', target: `${master.port} ${mode}` });
    await pause(ms);
    note({ code: 'client-pause', state: 'off', target: `${master.port} ${mode}` });
  },
};
