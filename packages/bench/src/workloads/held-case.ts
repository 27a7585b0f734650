import type { Figures } from '../measure/figures.js';
import type { Case } from './workload.js';

const LIMIT_MS = 30_000;

/** Many locks of one process that nothing happens to but that they are renewed. */
export function heldCase(setting: { label: string; locks: number; inShortRun?: boolean }): Case {
  const { label, locks, inShortRun = false } = setting;
  return {
    label,
    x: locks,
    inShortRun,
    prepare: () => Promise.resolve({ mostInside: 1 }),
    async measure(bench, peer) {
      const leaseMs = bench.pace.renewedLeaseMs;
      const use = await bench.use(peer, { leaseMs });
      const { seats, own: worker } = await bench.pair(peer);
      await bench.warmUp({ peer, seats }, [worker], use);
      const body = async () => {
        const { bytesEach, acquiredInMs } = await worker.call('hold', use, bench.freshName(), locks);
        const { result, redisCpuUs } = await bench.usingServer(() => worker.call('observe', leaseMs));
        await worker.call('giveBack');
        const figures: Figures = {
          bytesEach,
          acquiredInMs,
          commandsPerRenewal: result.commands / 3,
          clientCpuPercent: result.cpuUs / leaseMs / 10,
          redisCpuPercent: redisCpuUs / leaseMs / 10,
          timerLateP99Ms: result.timerLateP99Ms,
          timerLateMaxMs: result.timerLateMaxMs,
          peakMiB: result.peakMiB,
        };
        return { figures, latencies: {}, failures: [] };
      };
      return bench.within(LIMIT_MS, { peer, seats }, body());
    },
  };
}
