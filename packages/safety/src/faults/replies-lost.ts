import type { Nemesis } from './nemesis.js';

/** How long losses that were ordered are waited for: not every client sends something meanwhile. */
const patienceMs = 150;
const atOnce = 4;

/** Commands run, their replies never arrive, the connections end. */
export const repliesLost: Nemesis = {
  name: 'reply-lost',
  rest: [10, 60],
  async strike({ paths, random, pause, note }) {
    const proxies = random
      .shuffled(paths)
      .slice(0, atOnce)
      .map((path) => random.pick(path.proxies));
    const lost = () => proxies.reduce((sum, proxy) => sum + proxy.repliesLost, 0);
    const before = lost();
    // Scripts only: the loss of a handshake is an ordinary reset.
    for (const proxy of proxies) proxy.loseNextReply({ after: (request) => request.includes('eval') });
    await pause(patienceMs);
    // A server that nobody talks to now would be struck when it is master, a hundred times for each second until then.
    for (const proxy of proxies) proxy.withdrawLosses();
    const count = lost() - before;
    if (count > 0) note({ code: 'reply-lost', state: 'once', count });
  },
};
