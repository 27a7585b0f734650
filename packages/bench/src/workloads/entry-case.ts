import type { Calls, WindowOrder, WindowReport } from '../fresh/messages.js';
import { byTryLock } from '../peers/entries.js';
import { floor } from '../peers/roster.js';
import { freshProcess, programFile } from '../run/fresh-process.js';
import type { Case, Round } from './workload.js';

/** How often the same has been called in the process before. */
export const warmths = { cold: 0, lukewarm: 1_500, warm: 90_000 } as const;
export type Warmth = keyof typeof warmths;

/** One short window of a cold process says little. Of a warm one it says as much as elsewhere, and getting there takes seconds. */
export const roundsAt = { cold: { times: 4 }, lukewarm: { times: 2 }, warm: 'several' } as const;

/** A process has compiled what it will by then, whatever was called at once; with many it gets there sooner. */
const WARMING_AT_ONCE = 64;
/** Few enough that a cold process is not warm in the end. */
const MEASURED_COLD = 1_000;
const MEASURED_WARM = 5_000;
/** With many at once they are served sooner. */
const MEASURED_WARM_MANY = 25_000;
const LIMIT_MS = 60_000;

/** What is called before, and what is measured. */
export function callsOf(warmth: Warmth, atOnce: number): { before: Calls; measured: Calls } {
  const count = warmths[warmth];
  if (warmth !== 'warm') return { before: { count, atOnce }, measured: { count: MEASURED_COLD, atOnce } };
  const measured = { count: atOnce === 1 ? MEASURED_WARM : MEASURED_WARM_MANY, atOnce };
  return { before: { count, atOnce: WARMING_AT_ONCE }, measured };
}

/** What a window came to. */
export function windowRound({ calls, tookMs, cpuUs, commands, failures }: WindowReport): Round {
  return {
    figures: {
      opsPerSecond: (calls / tookMs) * 1_000,
      clientCpuUs: cpuUs / calls,
      commandsPerOp: commands / calls,
    },
    latencies: {},
    failures,
  };
}

/** A window of calls in a process that is started for each round. */
export function entryCase(setting: {
  readonly what: WindowOrder['what'];
  readonly warmth: Warmth;
  readonly atOnce: number;
}): Case {
  const { what, warmth, atOnce } = setting;
  const label = `${atOnce.toLocaleString('en-US')} at once, ${warmth}`;
  return {
    label: what === 'sections' ? label : `an attempt that fails, ${label}`,
    inShortRun: warmth === 'cold' && atOnce === 1,
    rounds: roundsAt[warmth],
    ...(what === 'attempts' && { suits: (peer) => peer === byTryLock || peer.name === floor }),
    prepare: () => Promise.resolve({ mostInside: 1 }),
    async measure(bench, peer) {
      const use = await bench.use(peer);
      const name = bench.freshName();
      const calls = callsOf(warmth, atOnce);
      const order: WindowOrder = { use, what, name, ...calls };
      const measured = async () =>
        windowRound((await freshProcess(programFile('window.mjs'), order, LIMIT_MS)) as WindowReport);
      if (what === 'sections') return measured();
      const [holder] = await bench.workers(peer, [`holder of ${peer.name}`]);
      // Each task its own: attempts of one process at one lock share what they ask.
      await holder?.call('hold', use, name, Math.max(calls.before.atOnce, calls.measured.atOnce));
      try {
        return await measured();
      } finally {
        await holder?.call('giveBack');
      }
    },
  };
}
