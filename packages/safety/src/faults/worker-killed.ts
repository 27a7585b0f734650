import type { Nemesis } from './nemesis.js';

/** SIGKILL in the middle of everything; another process takes its seat. */
export const workerKilled: Nemesis = {
  name: 'sigkill',
  rest: [1_500, 5_000],
  async strike({ victims, random, note }) {
    const victim = random.pick(victims());
    note({ code: 'sigkill', state: 'once', target: victim.name });
    await victim.replace();
  },
};
