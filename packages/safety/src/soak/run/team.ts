import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type FaultProxy, faultProxy, type RedisServer, TestWorker } from '@holdfast/testkit';
import type { Victim } from '../faults/fault.js';
import type { Plan } from '../plan.js';
import { sharesOf } from '../population.js';
import type { methods } from '../worker/worker.js';

/** Where `scripts/soak.mjs` has put it. */
const file = fileURLToPath(new URL('../../../node_modules/.cache/soak-worker.mjs', import.meta.url));

/** One process of the soak, behind a proxy of its own. */
export class Member implements Victim {
  readonly worker: TestWorker<typeof methods>;
  readonly proxy: FaultProxy;
  readonly connectionName: string;

  constructor(worker: TestWorker<typeof methods>, proxy: FaultProxy, connectionName: string) {
    this.worker = worker;
    this.proxy = proxy;
    this.connectionName = connectionName;
  }
}

/** Starts the processes; none has done anything yet. */
export async function startTeam(server: RedisServer, { processes, locks, turnMs, seed }: Plan): Promise<Member[]> {
  const shares = sharesOf(locks, processes);
  return Promise.all(
    shares.map(async (share, index) => {
      const connectionName = `soak-${index}`;
      const proxy = await faultProxy({ target: server });
      const worker: TestWorker<typeof methods> = new TestWorker(
        fork(file, { execArgv: ['--expose-gc'], silent: true }),
      );
      await worker.ready;
      await worker.call('open', { url: proxy.url, connectionName, seed: seed + index, processes, turnMs, share });
      return new Member(worker, proxy, connectionName);
    }),
  );
}

/** Whatever is left of it. */
export async function stopTeam(team: readonly Member[]): Promise<void> {
  await Promise.all(team.map(({ worker }) => worker.stop()));
  await Promise.all(team.map(({ proxy }) => proxy.close()));
}
