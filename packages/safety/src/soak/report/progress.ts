import type { SoakListener } from '../run/soak.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A line for every step and every look. */
export function progress(): SoakListener {
  const startedAt = performance.now();
  const clock = () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  };
  return {
    onStep: (step) => say(`${clock()}  ${step}`),
    onLook: (now, before, observer, schedule) => {
      const seconds = (now.atMs - before.atMs) / 1_000;
      const rate = (after: number, earlier: number) => (seconds > 0 ? Math.round((after - earlier) / seconds) : 0);
      const core = (after: number, earlier: number) => `${rate(after / 1e4, earlier / 1e4)} %`;
      say(
        [
          clock(),
          `held ${now.held}, waiting ${now.waiting}`,
          `turns ${observer.turns.count}`,
          `faults ${schedule.events.length}`,
          `lost ${observer.losses.length}, failed ${observer.failures.length}`,
          `scripts ${rate(now.scripts, before.scripts)}/s`,
          `cpu ${core(now.cpuUs, before.cpuUs)}, redis ${core(now.redisCpuUs, before.redisCpuUs)}, proxies ${core(now.proxiesCpuUs, before.proxiesCpuUs)}`,
          `longest stall ${Math.round(now.stalledMs)} ms`,
          `resident ${Math.round(now.rssBytes / 2 ** 20)} MiB`,
        ].join('  '),
      );
    },
  };
}
