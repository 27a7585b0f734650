import type { Nemesis } from './nemesis.js';

const patienceMs = 150;
const atOnce = 3;

/** Two answers on one connection change places: no network does that, but a proxy or a client library with a bug. */
export const answersSwapped: Nemesis = {
  name: 'answers-swapped',
  rest: [20, 200],
  async strike({ paths, random, pause, note }) {
    const proxies = random
      .shuffled(paths)
      .slice(0, atOnce)
      .map((path) => random.pick(path.proxies));
    const swaps = () => proxies.reduce((sum, proxy) => sum + proxy.swaps, 0);
    const before = swaps();
    for (const proxy of proxies) proxy.swapNextReplies();
    await pause(patienceMs);
    // An answer that has met no other must not wait for one, and a server that nobody talks to must not be struck when it is master.
    for (const proxy of proxies) proxy.withdrawSwaps();
    const count = swaps() - before;
    if (count > 0) note({ code: 'answers-swapped', state: 'once', count });
  },
};
