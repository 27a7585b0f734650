import type { Figures } from '../measure/figures.js';
import { Histogram } from '../measure/histogram.js';
import type { Case } from './workload.js';

const LIMIT_MS = 5_000;
const LIMIT_MS_EACH = 10;
/** What V8 does by itself is tens of kilobytes: fewer waiters do not show beside it. */
const ENOUGH_TO_WEIGH = 1_000;

/** Many tasks of one process that wait for a lock which another process holds for a while, and then gives back. */
export function crowdCase(setting: { label: string; tasks: number; inShortRun?: boolean }): Case {
  const { label, tasks, inShortRun = false } = setting;
  return {
    label,
    x: tasks,
    inShortRun,
    prepare: () => Promise.resolve({ mostInside: 1 }),
    async measure(bench, peer) {
      const watchedMs = bench.pace.renewedLeaseMs / 4;
      const use = await bench.use(peer);
      const name = bench.freshName();
      const { seats, own: crowd, holder } = await bench.pair(peer);
      await bench.warmUp({ peer, seats }, [crowd], use);
      const body = async () => {
        await holder.call('hold', use, name, 1);
        const { bytesEach } = await crowd.call('gather', use, `${name}:0`, tasks);
        const { result: waiting, redisCpuUs } = await bench.usingServer(() => crowd.call('observe', watchedMs));
        const freedAt = await holder.call('giveBack');
        const served = await crowd.call('served', freedAt);
        const figures: Figures = {
          ...(tasks >= ENOUGH_TO_WEIGH && { bytesEach }),
          servedPerSecond: (served.served / served.lastAfterMs) * 1_000,
          commandsPerSecond: (waiting.commands / watchedMs) * 1_000,
          clientCpuPercent: waiting.cpuUs / watchedMs / 10,
          redisCpuPercent: redisCpuUs / watchedMs / 10,
          timerLateMaxMs: waiting.timerLateMaxMs,
          peakMiB: served.peakMiB,
        };
        return { figures, latencies: { acquire: Histogram.of(served.wait) }, failures: served.failures };
      };
      return bench.within(LIMIT_MS + tasks * LIMIT_MS_EACH, { peer, seats }, body());
    },
  };
}
