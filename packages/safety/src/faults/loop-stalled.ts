import { mostlyShort, type Nemesis } from './nemesis.js';

/** A worker computes without a break, sometimes for longer than its leases last. */
export const loopStalled: Nemesis = {
  name: 'stall',
  rest: [300, 1_500],
  async strike({ victims, random, note, times }) {
    const victim = random.pick(victims());
    const ms = mostlyShort(random, [20, times.watchdogTimeoutMs * 1.3]);
    note({ code: 'stall', state: 'on', target: victim.name });
    await victim.stall(ms);
    note({ code: 'stall', state: 'off', target: victim.name });
  },
};
