import { mostlyShort, type Nemesis } from './nemesis.js';

/** Every byte of one client is late, sometimes by more than a lease. */
export const delay: Nemesis = {
  name: 'delay',
  rest: [200, 900],
  async strike({ paths, random, pause, note, times }) {
    const { proxies } = random.pick(paths);
    const lateMs = mostlyShort(random, [2, times.watchdogTimeoutMs * 1.5]);
    note({ code: 'delay', state: 'on', target: `${lateMs} ms` });
    for (const proxy of proxies) proxy.delay(lateMs, random.pick(['up', 'down', 'both']));
    await pause(mostlyShort(random, [200, 3_000]));
    for (const proxy of proxies) proxy.delay(0);
    note({ code: 'delay', state: 'off' });
  },
};
