/** What a campaign is told to do, and how it is told. */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { temperNames, type TemperName } from '../plan/tempers.js';
import type { OtherKind, ScenarioClass, Scripts } from '../plan/scenario.js';

/** See the module comment. */
export interface Orders {
  /** The first run has this seed, the next ones those that follow. */
  readonly seed: number;
  /** It ends after so long, or when it has so many holds, or so many runs. */
  readonly minutes: number;
  readonly holds: number;
  readonly runs: number;
  /** Undefined: drawn by each seed. */
  readonly class: ScenarioClass | undefined;
  /** Worlds have this beside a single lock, and nothing else. Undefined: drawn by each seed. */
  readonly with: OtherKind | undefined;
  /** Worlds are turned this way. Undefined: not at all. */
  readonly temper: TemperName | undefined;
  readonly scripts: Scripts;
  readonly workers: number;
  readonly until: 'done' | 'violation';
  /** A line with the results is appended to docs/faults/simulation.jsonl. */
  readonly record: boolean;
  /** Violations are made smaller and shown, or only named. */
  readonly shows: boolean;
}

export const usage = `npm run simulate -- [options]

  --minutes n        ends after so long (1, or without limit when a goal is given)
  --holds n          ends when it has so many holds
  --runs n           ends after so many runs
  --seed n           of the first run (a fresh one, printed); the next runs have the next seeds
  --class name       calm, broken, taken (drawn by each seed)
  --with kind        semaphore, ids, latch, election, share, multi, spin, rest, majority, left, owners, circle, guard, stranger or later beside one lock (drawn by each seed, but the last ten)
  --temper name      ${temperNames.join(', ')}: conditions are turned one way, so that a rare thing is frequent
  --lua              servers execute the Lua scripts, and not the rules beside them: slower, the same worlds
  --workers n        processes (one for each core)
  --until-violation  ends with the first violation
  --record           appends the result to docs/faults/simulation.jsonl
  --report           runs nothing; writes docs/faults.md from the results
  --show n           runs seed n alone and prints its trace
  --planted          do the judges find what is planted in the server? scripts/simulate/planted.mjs
  --mutant n …       are planted bugs found? numbers of mutants/, or client, scripts, all: scripts/simulate/mutants.mjs
`;

const classes: ReadonlySet<string> = new Set<ScenarioClass>(['calm', 'broken', 'taken']);

/** Every kind of world that there is beside a lock. */
export const otherKinds: readonly OtherKind[] = [
  'semaphore',
  'ids',
  'latch',
  'election',
  'share',
  'multi',
  'spin',
  'rest',
  'majority',
  'left',
  'owners',
  'circle',
  'guard',
  'stranger',
  'later',
];
const others: ReadonlySet<string> = new Set(otherKinds);

/** @throws Error for what cannot be understood. */
export function ordersOf(args: readonly string[], freshSeed: () => number): Orders {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      holds: { type: 'string' },
      runs: { type: 'string' },
      seed: { type: 'string' },
      class: { type: 'string' },
      with: { type: 'string' },
      temper: { type: 'string' },
      workers: { type: 'string' },
      lua: { type: 'boolean', default: false },
      'until-violation': { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      'no-show': { type: 'boolean', default: false },
    },
  });
  const number = (name: 'minutes' | 'holds' | 'runs' | 'seed' | 'workers', otherwise: number): number => {
    const text = values[name];
    const value = text === undefined ? otherwise : Number(text);
    if (Number.isNaN(value) || value < 0) throw new Error(`--${name} must be a number, got ${text}`);
    return value;
  };
  const kind = values.class;
  if (kind !== undefined && !classes.has(kind)) throw new Error(`--class must be one of ${[...classes].join(', ')}`);
  const other = values.with;
  if (other !== undefined && !others.has(other)) throw new Error(`--with must be one of ${[...others].join(', ')}`);
  const { temper } = values;
  if (temper !== undefined && !isTemper(temper)) throw new Error(`--temper must be one of ${temperNames.join(', ')}`);
  const hasGoal = values.holds !== undefined || values.runs !== undefined;
  return {
    seed: number('seed', freshSeed()),
    minutes: number('minutes', hasGoal ? Number.POSITIVE_INFINITY : 1),
    holds: number('holds', Number.POSITIVE_INFINITY),
    runs: number('runs', Number.POSITIVE_INFINITY),
    class: kind as ScenarioClass | undefined,
    with: other as OtherKind | undefined,
    temper,
    scripts: values.lua ? 'lua' : 'rules',
    workers: Math.max(1, Math.floor(number('workers', availableParallelism()))),
    until: values['until-violation'] ? 'violation' : 'done',
    record: values.record,
    shows: !values['no-show'],
  };
}

const isTemper = (name: string): name is TemperName => (temperNames as readonly string[]).includes(name);
