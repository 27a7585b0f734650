import { now } from '../measure/clock.js';
import type { Figures } from '../measure/figures.js';
import { passage, type Section } from '../measure/handoffs.js';
import { Histogram } from '../measure/histogram.js';
import { fairness } from '../measure/statistics.js';
import type { Peer } from '../peers/peer.js';
import type { Bench, Connection } from '../run/bench.js';
import type { LoopOrder, LoopReport, Resources } from '../worker/messages.js';
import type { Case, Preparation, Round } from './workload.js';

/** A closed loop of tasks in one process or several. */
export interface LoopSetting extends Connection {
  readonly label: string;
  readonly x?: number;
  readonly inShortRun?: boolean;
  readonly processes?: number;
  readonly tasks?: number;
  /** `own`: nobody competes. */
  readonly locks: 'one' | 'own';
  readonly holdMs?: number;
  readonly depth?: number;
}

type Shape = Required<Pick<LoopSetting, 'processes' | 'tasks' | 'locks' | 'holdMs' | 'depth'>> & Connection;

/** Time for all processes to hear of a round before it begins. */
export const LEAD_MS = 30;
/** Time for calls that still wait at the end of a round, and more for each of them. */
const DRAIN_MS = 3_000;
const DRAIN_MS_EACH = 10;
const WARM_UP_MS = 150;
const WARM_UP_SECTIONS = 5_000;
/** Long enough inside for a second task to be seen there. */
const GUARD_HOLD_MS = 1;

/** The processes of a loop, connected and warm. */
export async function crewOf(bench: Bench, peer: Peer, shape: Shape) {
  const seats = bench.seats(peer, shape.processes);
  const use = await bench.use(peer, shape);
  const workers = await bench.workers(peer, seats);
  await bench.warmUp({ peer, seats }, workers, use);
  return { seats, use, workers };
}

/** Runs one loop, `part` of whose order is given, in all processes of the peer. */
export async function runLoops(
  bench: Bench,
  peer: Peer,
  shape: Shape,
  part: Partial<LoopOrder>,
): Promise<LoopReport[]> {
  const { seats, use, workers } = await crewOf(bench, peer, shape);
  const order: LoopOrder = {
    name: bench.freshName(),
    locks: shape.locks,
    tasks: shape.tasks,
    holdMs: shape.holdMs,
    depth: shape.depth,
    startAt: now() + LEAD_MS,
    durationMs: bench.roundMs,
    report: shape.processes > 1 && shape.locks === 'one' ? 'sections' : 'sums',
    ...part,
  };
  const limitMs = LEAD_MS + order.durationMs + DRAIN_MS + shape.processes * shape.tasks * DRAIN_MS_EACH;
  return bench.within(limitMs, { peer, seats }, Promise.all(workers.map((worker) => worker.call('loop', use, order))));
}

/** The sections that processes have told of. */
export function sectionsOf(reports: readonly LoopReport[]): Section[] {
  return reports.flatMap(({ timeline }, process) =>
    Array.from({ length: timeline.length / 3 }, (_, index) => {
      const [askedAt = 0, enteredAt = 0, leftAt = 0] = timeline.slice(index * 3, index * 3 + 3);
      return { process, askedAt, enteredAt, leftAt };
    }),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function latenciesOf(reports: readonly LoopReport[], handoffs: Histogram): Round['latencies'] {
  const acquire = Histogram.merged(reports.map((report) => Histogram.of(report.acquire)));
  return handoffs.total > 0 ? { acquire, handoff: handoffs } : { acquire };
}

/** Warms up what `bench.warmUp` does not do: nesting, and passing on within a process. */
async function warmUp(bench: Bench, peer: Peer, shape: Shape): Promise<void> {
  const limitMs = shape.processes > 1 ? WARM_UP_MS : bench.pace.warmUpMs / 4;
  let sections = 0;
  for (let ms = 0; ms < limitMs && sections < WARM_UP_SECTIONS; ms += WARM_UP_MS) {
    const reports = await runLoops(bench, peer, shape, { durationMs: WARM_UP_MS });
    sections += sum(reports.map((report) => report.sections));
  }
}

const isOfNode = (resources: LoopReport['resources']): resources is Resources => resources.commands !== undefined;

/** What only processes of Node report; nothing of others. */
function figuresOfNode(all: readonly LoopReport['resources'][], sections: number): Figures {
  const resources = all.filter(isOfNode);
  if (resources.length === 0) return {};
  return {
    ...(sections > 0 && { commandsPerOp: sum(resources.map(({ commands }) => commands)) / sections }),
    ...(resources.length === 1 && { peakMiB: Math.max(...resources.map(({ peakMiB }) => peakMiB)) }),
    timerLateP99Ms: Math.max(...resources.map(({ timerLateP99Ms }) => timerLateP99Ms)),
    timerLateMaxMs: Math.max(...resources.map(({ timerLateMaxMs }) => timerLateMaxMs)),
  };
}

/** What the reports of all processes come to. */
export function roundOf(reports: readonly LoopReport[], redisCpuUs: number, durationMs: number): Round {
  const sections = sum(reports.map((report) => report.sections));
  const byProcess = reports.map(({ served }) => sum(served));
  const served = reports.length > 1 ? byProcess : (reports[0]?.served ?? []);
  const { handoffs, kept } = passage(sectionsOf(reports));
  const passages = handoffs.total + kept;
  const opsPerSecond = (sum(byProcess) / durationMs) * 1_000;
  const resources = reports.map((report) => report.resources);
  const figures: Figures = {
    opsPerSecond,
    ...(sections > 0 && {
      clientCpuUs: sum(resources.map(({ cpuUs }) => cpuUs)) / sections,
      redisCpuUs: redisCpuUs / sections,
    }),
    ...(served.length > 1 && { fairness: fairness(served) ?? 0 }),
    ...(passages > 0 && { keptShare: kept / passages, handoffsPerSecond: opsPerSecond * (handoffs.total / passages) }),
    ...figuresOfNode(resources, sections),
  };
  return {
    figures,
    latencies: latenciesOf(reports, handoffs),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

/** A case made of closed loops. Before its rounds it connects, proves that the peer excludes, and warms up. */
export function loopCase(setting: LoopSetting): Case {
  const { label, x, inShortRun = false, processes = 1, tasks = 1, holdMs = 0, depth = 1, ...rest } = setting;
  const shape: Shape = { ...rest, processes, tasks, holdMs, depth };
  const contended = shape.locks === 'one' && processes * tasks > 1;
  return {
    label,
    inShortRun,
    ...(x !== undefined && { x }),
    async prepare(bench, peer): Promise<Preparation> {
      let mostInside = 1;
      if (contended) {
        const guard = { holdMs: Math.max(GUARD_HOLD_MS, holdMs), durationMs: WARM_UP_MS, report: 'sections' as const };
        const reports = await runLoops(bench, peer, shape, guard);
        const inOne = Math.max(...reports.map((report) => report.mostInside));
        mostInside = Math.max(inOne, passage(sectionsOf(reports)).mostInside);
      }
      await warmUp(bench, peer, shape);
      return { mostInside };
    },
    async measure(bench, peer): Promise<Round> {
      const { result, redisCpuUs } = await bench.usingServer(() => runLoops(bench, peer, shape, {}));
      return roundOf(result, redisCpuUs, bench.roundMs);
    },
  };
}
