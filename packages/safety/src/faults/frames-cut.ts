import type { Nemesis } from './nemesis.js';

const patienceMs = 150;
const atOnce = 2;

/** Connections end in the middle of a command, which never runs, or of a reply. */
export const framesCut: Nemesis = {
  name: 'frame-cut',
  rest: [20, 100],
  async strike({ paths, random, pause, note }) {
    const proxies = random
      .shuffled(paths)
      .slice(0, atOnce)
      .map((path) => random.pick(path.proxies));
    const cuts = () => proxies.reduce((sum, proxy) => sum + proxy.cuts, 0);
    const before = cuts();
    for (const proxy of proxies) proxy.cutNext(random.next() < 0.5 ? 'up' : 'down');
    await pause(patienceMs);
    // Else those that nothing has met would all strike when their server becomes master.
    for (const proxy of proxies) proxy.withdrawCuts();
    const count = cuts() - before;
    if (count > 0) note({ code: 'frame-cut', state: 'once', count });
  },
};
