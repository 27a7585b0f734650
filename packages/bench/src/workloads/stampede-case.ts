import { now } from '../measure/clock.js';
import { Histogram } from '../measure/histogram.js';
import type { Case } from './workload.js';

/** For all processes to hear of it before it begins. */
const LEAD_MS = 100;
const LIMIT_MS = 10_000;

/** So many callers in several processes want one value, which nobody has computed yet. */
export function stampedeCase(setting: {
  readonly label: string;
  readonly processes: number;
  readonly callers: number;
  readonly computeMs: number;
}): Case {
  const { label, processes, callers, computeMs } = setting;
  return {
    label,
    inShortRun: true,
    prepare: () => Promise.resolve({ mostInside: 1 }),
    async measure(bench, peer) {
      const seats = bench.seats(peer, processes);
      const use = await bench.use(peer);
      const workers = await bench.workers(peer, seats);
      await bench.warmUp({ peer, seats }, workers, use);
      const order = {
        name: bench.freshName(),
        count: callers / processes,
        startAt: now() + LEAD_MS,
        computeMs,
      };
      const body = () => Promise.all(workers.map((worker) => worker.call('stampede', use, order)));
      const { result, redisCpuUs } = await bench.usingServer(() => bench.within(LIMIT_MS, { peer, seats }, body()));
      const sum = (of: (report: (typeof result)[number]) => number) => result.reduce((all, one) => all + of(one), 0);
      const computed = sum((one) => one.computed);
      const failures = result.flatMap((one) => one.failures);
      return {
        figures: {
          servedPerSecond: (callers / Math.max(...result.map((one) => one.lastAfterMs))) * 1_000,
          commandsPerOp: sum((one) => one.resources.commands) / callers,
          clientCpuUs: sum((one) => one.resources.cpuUs) / callers,
          redisCpuUs: redisCpuUs / callers,
        },
        latencies: { acquire: Histogram.merged(result.map(({ wait }) => Histogram.of(wait))) },
        failures: computed === 1 ? failures : [...failures, `it was computed ${computed} times`],
      };
    },
  };
}
