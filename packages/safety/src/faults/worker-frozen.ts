import { mostlyShort, type Nemesis } from './nemesis.js';

/** SIGSTOP, often beyond the lease, then SIGCONT. */
export const workerFrozen: Nemesis = {
  name: 'worker-stop',
  rest: [400, 2_000],
  async strike({ victims, random, pause, note, times }) {
    const victim = random.pick(victims());
    const ms = mostlyShort(random, [50, times.watchdogTimeoutMs * 2]);
    note({ code: 'worker-stop', state: 'on', target: victim.name });
    victim.freeze();
    await pause(ms);
    victim.thaw();
    note({ code: 'worker-stop', state: 'off', target: victim.name });
  },
};
