import { mostlyShort, type Nemesis, type Range } from './nemesis.js';

const frozenFor = (range: Range): Nemesis => ({
  name: 'server-stop',
  rest: [3_000, 9_000],
  async strike({ anyMaster, random, pause, note }) {
    const master = await anyMaster();
    const ms = mostlyShort(random, range);
    await master.stopProcess();
    note({ code: 'server-stop', state: 'on', target: String(master.port) });
    await pause(ms);
    await master.continueProcess();
    note({ code: 'server-stop', state: 'off', target: String(master.port) });
  },
});

/** SIGSTOP of the server, up to longer than a lease: what was sent meanwhile runs afterwards. */
export const serverFrozen = frozenFor([50, 2_500]);

/** The same where silence makes another server master: shorter than that. */
export const serverFrozenBriefly = frozenFor([50, 700]);
