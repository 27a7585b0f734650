import { now } from '../measure/clock.js';
import type { Figures } from '../measure/figures.js';
import type { CommandTotals } from '../measure/server-usage.js';
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
  /** In each process, or in each of them by itself. */
  readonly tasks?: number | readonly number[];
  /** `own`: nobody competes. */
  readonly locks: 'one' | 'own';
  readonly holdMs?: number;
  /** What each section makes, in place of a time that it lasts. */
  readonly sectionRoundTrips?: number;
  readonly depth?: number;
  /** Lengths of a round that the one round of this case has, where what is measured goes by turns and one turn more or less must not show. */
  readonly lengths?: number;
  /** Of the peers of the workload. Absent: all of them. */
  readonly suits?: (peer: Peer) => boolean;
}

type Shape = Required<Pick<LoopSetting, 'processes' | 'tasks' | 'locks' | 'holdMs' | 'depth'>> &
  Pick<LoopSetting, 'sectionRoundTrips'> &
  Connection;

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

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** How many tasks each process has. */
const tasksOf = ({ tasks, processes }: Pick<Shape, 'tasks' | 'processes'>): readonly number[] =>
  typeof tasks === 'number' ? Array.from({ length: processes }, () => tasks) : tasks;

/** Runs one loop, `part` of whose order is given, in all processes of the peer. */
export async function runLoops(
  bench: Bench,
  peer: Peer,
  shape: Shape,
  part: Partial<Omit<LoopOrder, 'tasks'>>,
): Promise<LoopReport[]> {
  const { seats, use, workers } = await crewOf(bench, peer, shape);
  const tasks = tasksOf(shape);
  const order: Omit<LoopOrder, 'tasks'> = {
    name: bench.freshName(),
    locks: shape.locks,
    holdMs: shape.holdMs,
    ...(shape.sectionRoundTrips !== undefined && { roundTrips: shape.sectionRoundTrips }),
    depth: shape.depth,
    startAt: now() + LEAD_MS,
    durationMs: bench.roundMs,
    report: shape.processes > 1 && shape.locks === 'one' ? 'sections' : 'sums',
    ...part,
  };
  const limitMs = LEAD_MS + order.durationMs + DRAIN_MS + sum(tasks) * DRAIN_MS_EACH;
  const running = workers.map((worker, index) => worker.call('loop', use, { ...order, tasks: tasks[index] ?? 0 }));
  return bench.within(limitMs, { peer, seats }, Promise.all(running));
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

/** What the server did for the sections of a round, as far as it can be told apart: what no client has sent was called by a script. */
export function figuresOfScripts(
  { scripts, scriptUs, all }: CommandTotals,
  resources: readonly LoopReport['resources'][],
): Figures {
  if (scripts === 0 || !resources.every(isOfNode)) return {};
  const sent = sum(resources.map(({ commands }) => commands));
  return { scriptUs: scriptUs / scripts, innerCommands: (all - sent) / scripts };
}

/** Share of the round in which somebody was inside. Where several were at once it is the sum of them. */
export const inUseShare = (sections: readonly Section[], durationMs: number): number =>
  sum(sections.map(({ enteredAt, leftAt }) => leftAt - enteredAt)) / durationMs;

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
  const {
    label,
    x,
    inShortRun = false,
    processes = 1,
    tasks = 1,
    holdMs = 0,
    depth = 1,
    lengths,
    suits,
    ...rest
  } = setting;
  const shape: Shape = { ...rest, processes, tasks, holdMs, depth };
  const contended = shape.locks === 'one' && sum(tasksOf(shape)) > 1;
  const lasts = holdMs > 0 || shape.sectionRoundTrips !== undefined;
  return {
    label,
    inShortRun,
    ...(x !== undefined && { x }),
    ...(lengths !== undefined && { rounds: 'one' }),
    ...(suits !== undefined && { suits }),
    async prepare(bench, peer): Promise<Preparation> {
      let mostInside = 1;
      if (contended) {
        const guard = {
          holdMs: Math.max(GUARD_HOLD_MS, holdMs),
          ...(shape.sectionRoundTrips !== undefined && { roundTrips: 0 }),
          ...({ durationMs: WARM_UP_MS, report: 'sections' } as const),
        };
        const reports = await runLoops(bench, peer, shape, guard);
        const inOne = Math.max(...reports.map((report) => report.mostInside));
        mostInside = Math.max(inOne, passage(sectionsOf(reports)).mostInside);
      }
      await warmUp(bench, peer, shape);
      return { mostInside };
    },
    async measure(bench, peer): Promise<Round> {
      const durationMs = bench.roundMs * (lengths ?? 1);
      const { result, redisCpuUs, executed } = await bench.usingServer(() =>
        runLoops(bench, peer, shape, { durationMs }),
      );
      const round = roundOf(result, redisCpuUs, durationMs);
      const sections = lasts ? sectionsOf(result) : [];
      const figures: Figures = {
        ...round.figures,
        ...figuresOfScripts(
          executed,
          result.map(({ resources }) => resources),
        ),
        ...(sections.length > 0 && { inUseShare: inUseShare(sections, durationMs) }),
      };
      return { ...round, figures };
    },
  };
}
