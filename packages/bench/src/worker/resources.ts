import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sentCommands } from '../peers/sent-commands.js';
import type { Resources } from './messages.js';

const TIMER_MS = 10;
const startedWithBytes = process.memoryUsage.rss();

/** By how much this process was larger at its largest than when it had started. */
export const peakMiB = (): number => Math.max(0, process.resourceUsage().maxRSS / 1_024 - startedWithBytes / 2 ** 20);

/** Begins to watch what this process uses; call the result to end that. */
export function watchResources(): () => Resources {
  const commands = sentCommands();
  const cpu = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
  delay.enable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - TIMER_MS);
  return () => {
    delay.disable();
    const used = process.cpuUsage(cpu);
    return {
      commands: sentCommands() - commands,
      cpuUs: used.user + used.system,
      timerLateP99Ms: late(delay.percentile(99)),
      timerLateMaxMs: late(delay.max),
      peakMiB: peakMiB(),
    };
  };
}

/** What is reachable, in bytes. Needs `--expose-gc`. */
export async function liveHeapBytes(): Promise<number> {
  if (gc === undefined) throw new Error('Run node with --expose-gc');
  // Finalizers and settled promises of one collection free more in the next.
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  return process.memoryUsage().heapUsed;
}
