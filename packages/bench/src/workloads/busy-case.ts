import { now } from '../measure/clock.js';
import type { Bench } from '../run/bench.js';
import type { Peer } from '../peers/peer.js';
import { roundOf } from './loop-case.js';
import type { Case, Round } from './workload.js';

const LIMIT_MS = 10_000;

async function attempts(bench: Bench, peer: Peer, durationMs: number): Promise<Round> {
  const use = await bench.use(peer);
  const { seats, own, holder } = await bench.pair(peer);
  const name = bench.freshName();
  await bench.warmUp({ peer, seats }, [own], use);
  const body = async (): Promise<Round> => {
    await holder.call('hold', use, name, 1);
    const order = { name: `${name}:0`, locks: 'one', tasks: 1, holdMs: 0, depth: 1, report: 'sums' } as const;
    const { result, redisCpuUs } = await bench.usingServer(() =>
      own.call('attempts', use, { ...order, startAt: now(), durationMs }),
    );
    await holder.call('giveBack');
    return roundOf([result], redisCpuUs, durationMs);
  };
  return bench.within(LIMIT_MS, { peer, seats }, body());
}

/** Single attempts at a lock that another process holds. */
export const busyCase: Case = {
  label: 'held by another process',
  inShortRun: true,
  async prepare(bench, peer) {
    // Nothing before it has failed to get a lock.
    await attempts(bench, peer, bench.pace.warmUpMs / 4);
    return { mostInside: 1 };
  },
  measure: (bench, peer) => attempts(bench, peer, bench.roundMs),
};
