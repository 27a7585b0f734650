import { mostlyShort, type Nemesis } from './nemesis.js';

/** A balancer without a backend: connections of one client are reset, new ones accepted and closed at once. */
export const acceptThenClose: Nemesis = {
  name: 'accept-then-close',
  rest: [500, 2_000],
  async strike({ paths, random, pause, note }) {
    const { proxies } = random.pick(paths);
    const count = proxies.reduce((sum, proxy) => sum + proxy.connections, 0);
    note({ code: 'accept-then-close', state: 'on', count });
    for (const proxy of proxies) {
      proxy.acceptThenClose();
      proxy.reset();
    }
    await pause(mostlyShort(random, [100, 1_500]));
    await Promise.all(proxies.map((proxy) => proxy.heal()));
    note({ code: 'accept-then-close', state: 'off' });
  },
};
