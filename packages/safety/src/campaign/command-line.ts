import { parseArgs } from 'node:util';
import { type CampaignClass, campaignClasses } from '../faults/catalogue.js';
import type { Workload } from '../worker/plan.js';
import { type Topology, topologies } from '../site/site.js';

/** What to run. */
export interface Orders {
  readonly topologies: readonly Topology[];
  /** Undefined: drawn anew for each epoch, from those that the topology has. */
  readonly className: CampaignClass | undefined;
  /** Of each epoch. */
  readonly seedOf: (epoch: number) => number;
  readonly workload: Workload;
  /** The run ends when it has lasted so long, or when it has both enough holds and enough faults. */
  readonly minutes: number;
  readonly holds: number;
  readonly faults: number;
  /** On each topology, at most. */
  readonly epochsOn: (topology: Topology) => number;
  readonly epochSeconds: number;
  /** Ends with the first epoch that shows a violation. */
  readonly until: 'done' | 'violation';
  /** Histories also of epochs that passed. */
  readonly keep: 'all' | 'violations';
  /** A line for each epoch goes here, if anywhere. */
  readonly results: string | undefined;
  /** In words. */
  readonly announcement: string;
}

/** From the top folder. */
export const defaultResults = 'docs/faults/results.jsonl';

export const usage = `npm run faults -- [options]

  --topology a,b     ${topologies.join(', ')} (all of them)
  --class name       ${campaignClasses.join(', ')} (drawn for each epoch)
  --workload name    all: mostly plain locks (default); family: the other kinds of locks only;
                     permits: semaphores and latches only, by crash-and-network, where servers know of each other
  --seed n           what is drawn: workloads, faults, classes (a fresh one, printed)
  --minutes n        ends after so long, for each topology (1, or without limit when a goal is given)
  --holds n          goal: so many holds on each topology
  --faults n         and so many faults
  --epochs n         ends after so many epochs
  --epoch-seconds n  length of the faults in an epoch (40)
  --until-violation  ends with the first epoch that is violated
  --keep             keeps the histories of all epochs, not only of those with a violation
  --results file     where a line for each epoch is appended (docs/faults/results.jsonl with a goal, else none)
  --report           runs nothing; writes docs/faults.md from the results
  --short            for CI, within 100 s: an epoch with a fixed seed, and but for the majority one with a fresh seed
  --mutants [n …]    are planted bugs found? see mutants/
`;

const workloads: readonly Workload[] = ['all', 'family', 'permits'];

/** In CI one epoch of each topology is always the same, the other always new. */
const FIXED_SEED = 20_261;
const shortEpochSeconds = 5;

/** The first epoch of a run has the run's own seed: so an epoch is repeated by naming its seed. */
const seedsFrom =
  (seed: number) =>
  (epoch: number): number =>
    (seed + Math.imul(epoch, 0x9e3779b1)) >>> 0;

const natural = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`--${name} must be a whole number`);
  return value;
};

function oneOf<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === text);
  if (found === undefined) throw new RangeError(`--${name} knows ${known.join(', ')}, not ${text}`);
  return found;
}

/** @throws RangeError, or TypeError of `parseArgs`, when the arguments make no sense. */
export function ordersOf(args: readonly string[], freshSeed: () => number): Orders {
  const { values } = parseArgs({
    args: [...args],
    options: {
      topology: { type: 'string' },
      class: { type: 'string' },
      workload: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      holds: { type: 'string' },
      faults: { type: 'string' },
      epochs: { type: 'string' },
      'epoch-seconds': { type: 'string' },
      results: { type: 'string' },
      keep: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      'until-violation': { type: 'boolean', default: false },
    },
  });
  const [holds, faults, epochs] = (['holds', 'faults', 'epochs'] as const).map((name) => natural(name, values[name]));
  const seed = natural('seed', values.seed) ?? freshSeed();
  if (values.short) return shortOrders(seed);
  const hasGoal = holds !== undefined || faults !== undefined;
  return {
    ...placeOf(values),
    seedOf: seedsFrom(seed),
    minutes: natural('minutes', values.minutes) ?? (hasGoal || epochs !== undefined ? Number.POSITIVE_INFINITY : 1),
    holds: hasGoal ? (holds ?? 0) : Number.POSITIVE_INFINITY,
    faults: hasGoal ? (faults ?? 0) : Number.POSITIVE_INFINITY,
    epochsOn: () => epochs ?? Number.POSITIVE_INFINITY,
    epochSeconds: natural('epoch-seconds', values['epoch-seconds']) ?? 40,
    until: values['until-violation'] ? 'violation' : 'done',
    keep: values.keep ? 'all' : 'violations',
    results: values.results ?? (hasGoal ? defaultResults : undefined),
    announcement: `seed ${seed}`,
  };
}

/** Where, under what, and with which locks. */
function placeOf(values: {
  readonly topology?: string | undefined;
  readonly class?: string | undefined;
  readonly workload?: string | undefined;
}): Pick<Orders, 'topologies' | 'className' | 'workload'> {
  const workload = oneOf('workload', values.workload ?? 'all', workloads);
  const className = values.class === undefined ? undefined : oneOf('class', values.class, campaignClasses);
  const chosen = values.topology?.split(',').map((name) => oneOf('topology', name.trim(), topologies));
  if (workload !== 'permits') return { topologies: chosen ?? topologies, className, workload };
  if (chosen?.includes('majority')) throw new RangeError('there are no semaphores by majority');
  // What takes permits away leaves counters that nobody can judge.
  if (className !== undefined && className !== 'crash-and-network')
    throw new RangeError('--workload permits is judged by crash-and-network only');
  return {
    topologies: chosen ?? topologies.filter((topology) => topology !== 'majority'),
    className: 'crash-and-network',
    workload,
  };
}

const shortOrders = (fresh: number): Orders => ({
  topologies,
  className: undefined,
  workload: 'all',
  seedOf: (epoch) => (epoch === 0 ? FIXED_SEED : fresh),
  minutes: Number.POSITIVE_INFINITY,
  holds: Number.POSITIVE_INFINITY,
  faults: Number.POSITIVE_INFINITY,
  // Locks by majority take the time of all their servers, and of those that come back and do not vote yet.
  epochsOn: (topology) => (topology === 'majority' ? 1 : 2),
  epochSeconds: shortEpochSeconds,
  until: 'done',
  keep: 'violations',
  results: undefined,
  announcement: `seeds ${FIXED_SEED} and ${fresh}`,
});
