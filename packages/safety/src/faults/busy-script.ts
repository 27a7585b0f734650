import { mostlyShort, type Nemesis } from './nemesis.js';

const loop = `
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local ends = now() + tonumber(ARGV[1])
while now() < ends do end
return 1`;

/** A script of somebody else runs for long: everybody is told BUSY. */
export const busyScript: Nemesis = {
  name: 'busy-script',
  rest: [2_000, 6_000],
  async strike({ anyMaster, random, note }) {
    const master = await anyMaster();
    note({ code: 'busy-script', state: 'on', target: String(master.port) });
    await (await master.admin()).call('EVAL', loop, 0, mostlyShort(random, [100, 700]));
    note({ code: 'busy-script', state: 'off', target: String(master.port) });
  },
};
