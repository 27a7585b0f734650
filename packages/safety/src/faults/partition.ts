import type { Direction } from '@holdfast/testkit';
import { mostlyShort, type Nemesis } from './nemesis.js';

const directions: readonly Direction[] = ['up', 'down', 'both'];

/**
 * Nothing gets from one client to the servers, or back, or neither way: held back and delivered late when it ends, or swallowed, after
 * which the connections that have lost something are reset.
 */
export const partition: Nemesis = {
  name: 'partition',
  rest: [100, 700],
  async strike({ paths, random, pause, note, times }) {
    const { proxies } = random.pick(paths);
    const direction = random.pick(directions);
    const manner = random.pick(['hold', 'drop'] as const);
    const ms = mostlyShort(random, [100, times.watchdogTimeoutMs * 2]);
    const count = proxies.reduce((sum, proxy) => sum + proxy.connections, 0);
    const target = `${manner} ${direction}`;
    note({ code: 'partition', state: 'on', target, count });
    for (const proxy of proxies) proxy[manner](direction);
    await pause(ms);
    await Promise.all(proxies.map((proxy) => proxy.heal()));
    note({ code: 'partition', state: 'off', target });
  },
};
