import { WORKER_USER } from '../site/reach.js';
import type { Nemesis } from './nemesis.js';

/** CLIENT KILL of up to three connections of workers: they carry commands, or messages. */
export const clientsKilled: Nemesis = {
  name: 'client-kill',
  rest: [50, 200],
  async strike({ anyMaster, random, note }) {
    const admin = await (await anyMaster()).admin();
    const type = random.pick(['NORMAL', 'PUBSUB'] as const);
    const list = String(await admin.call('CLIENT', 'LIST', 'TYPE', type));
    const ids = list.split('\n').flatMap((line) => {
      const id = /^id=(\d+)/.exec(line)?.[1];
      return id !== undefined && line.includes(` user=${WORKER_USER} `) ? [id] : [];
    });
    const killed = await Promise.all(
      random
        .shuffled(ids)
        .slice(0, random.below(3) + 1)
        .map((id) => admin.call('CLIENT', 'KILL', 'ID', id)),
    );
    const count = killed.filter((answer) => answer === 1).length;
    if (count > 0) note({ code: 'client-kill', state: 'once', target: type.toLowerCase(), count });
  },
};
