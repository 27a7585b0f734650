/** Draws a scenario from its seed. */

import { nearNames } from '@holdfast/testkit';
import type { Chance } from '../world/chance.js';
import { Chance as Source } from '../world/chance.js';
import { drawLater, drawStranger } from './draw-company.js';
import { drawFaults, drawNodeFaults } from './draw-faults.js';
import { usualHabits } from './habits.js';
import { drawMajority } from './draw-majority.js';
import type {
  ClientPlan,
  OtherKind,
  OtherPlan,
  ProcessPlan,
  Scenario,
  ScenarioClass,
  Scripts,
  TaskPlan,
} from './scenario.js';

import { tempers, type TemperName } from './tempers.js';

const classes = { calm: 3, broken: 6, taken: 2 } satisfies Record<ScenarioClass, number>;

/** What is not left to the seed. */
export interface ScenarioTerms {
  readonly class?: ScenarioClass | undefined;
  /** With this and nothing else beside a single lock. */
  readonly with?: OtherKind | undefined;
  /** Turned this way. */
  readonly temper?: TemperName | undefined;
  /** Default: rules. A world is the same either way. */
  readonly scripts?: Scripts;
}

/** The scenario of a seed: a few seconds of a small world. */
export function scenarioOf(seed: number, terms: ScenarioTerms = {}): Scenario {
  const { class: only, with: beside, scripts = 'rules' } = terms;
  const temper = terms.temper === undefined ? {} : tempers[terms.temper];
  const chance = new Source(seed).of('scenario');
  const drawn = chance.weighed(classes);
  const kind = only ?? temper.class ?? drawn;
  const locks = beside === undefined ? drawLocks(chance.of('locks')) : ['pay'];
  const workMs = Math.round(chance.between(4_000, 20_000));
  const processes = Array.from({ length: chance.whole(2, 5) }, (_, number) =>
    drawProcess(chance.of(`process ${number}`), number),
  );
  const slowest = chance.mostlySmall(0.3, 25);
  const usual: Scenario = {
    seed,
    scripts,
    class: kind,
    wakeup: chance.happens(0.85) ? 'queue' : 'redisson',
    locks,
    habits: { ...usualHabits, ...temper.habits },
    ...drawFamily(chance.of('family')),
    ...(beside === undefined ? {} : { shared: [] }),
    others: drawOthers(chance.of('others'), beside, { slowestMs: slowest, workMs }),
    delays: { least: slowest / 3, most: slowest },
    lag: kind === 'taken' && chance.happens(0.7) ? { least: 0.5, most: chance.mostlySmall(1, 400) } : undefined,
    workMs,
    processes,
    faults: [],
  };
  const scenario = temper.turn?.(usual, chance.of('temper')) ?? usual;
  if (kind === 'calm') return scenario;
  const faults = [
    ...drawFaults(chance.of('faults'), scenario, temper.faults),
    ...drawNodeFaults(chance.of('node faults'), scenario, temper.atNode),
  ];
  return { ...scenario, faults };
}

function drawLocks(chance: Chance): string[] {
  const count = chance.weighed({ one: 3, few: 4, many: 2 });
  if (count === 'one') return ['pay'];
  const names = nearNames('pay');
  return Array.from({ length: count === 'few' ? 3 : 8 }, () => names.splice(chance.below(names.length), 1)[0] ?? 'pay');
}

/** From a stream of its own: a world of plain locks is the same as it was before there were others. */
function drawFamily(chance: Chance): Pick<Scenario, 'kind' | 'shared'> {
  const kind = chance.weighed({ plain: 6, fenced: 2, fair: 2 });
  const names = nearNames('catalogue');
  return { kind, shared: chance.happens(0.3) ? names.slice(0, chance.whole(1, 2)) : [] };
}

/** From a stream of its own, too. */
function drawOthers(
  chance: Chance,
  beside: OtherKind | undefined,
  { slowestMs, workMs }: { readonly slowestMs: number; readonly workMs: number },
): OtherPlan[] {
  const isWithout = chance.happens(0.5);
  const all: OtherPlan[] = [
    { kind: 'semaphore', name: 'seats', permits: chance.whole(1, 6) },
    { kind: 'latch', name: 'ready' },
    { kind: 'election', name: 'leader' },
    { kind: 'share', name: 'answer', ttlMs: Math.round(chance.mostlySmall(20, 3_000)) },
  ];
  // From a stream of their own, for the same reason.
  const tickets = chance.of('ids');
  const ids: OtherPlan = { kind: 'ids', name: 'tickets', permits: tickets.whole(1, 6) };
  // Never drawn: what each seed drew before they were here stays as it was.
  const locks: OtherPlan[] = [
    { kind: 'multi', name: 'books', members: ['debit', 'credit', 'fees'] },
    { kind: 'spin', name: 'gate' },
    { kind: 'rest', name: 'report' },
    { kind: 'owners', name: 'wallet' },
    { kind: 'circle', name: 'fork' },
    { kind: 'left', name: 'visit', leftovers: chance.of('left').pick(['abandon', 'release']) },
    drawMajority(chance.of('majority'), slowestMs),
    { kind: 'guard', name: 'ledger' },
    drawStranger(chance.of('stranger'), workMs),
    drawLater(chance.of('later'), workMs),
  ];
  if (beside !== undefined) return [...all, ids, ...locks].filter(({ kind }) => kind === beside);
  const drawn = isWithout
    ? []
    : Array.from({ length: chance.whole(1, 2) }, () => all.splice(chance.below(all.length), 1)).flat();
  return tickets.happens(0.15) ? [...drawn, ids] : drawn;
}

function drawProcess(chance: Chance, number: number): ProcessPlan {
  const drift = chance.pick([0, 0, 0.009, -0.009, 0.003, -0.003]);
  return {
    name: `p${number}`,
    number,
    rate: 1 + drift,
    startsAt: Math.round(chance.between(0, 1e7)),
    connection: chance.happens(0.7) ? 'ours' : 'yours',
    client: drawClient(chance.of('client')),
    tasks: Array.from({ length: chance.whole(1, 5) }, (_, task) => drawTask(chance.of(`task ${task}`), number, task)),
  };
}

function drawClient(chance: Chance): ClientPlan {
  const claimLeaseMs = chance.pick([600, 1_000, 3_000]);
  return {
    watchdogTimeoutMs: chance.pick([400, 1_000, 1_500, 3_000]),
    claimLeaseMs,
    reaskMs: Math.round(chance.between(0.2, 0.9) * (claimLeaseMs - 260)),
    attemptTimeoutMs: chance.pick([200, 500, 1_000]),
    responseTimeoutMs: chance.pick([1_000, 3_000, 10_000]),
  };
}

function drawTask(chance: Chance, process: number, number: number): TaskPlan {
  return { name: `p${process}t${number}`, steps: 100_000, pauseMs: chance.pick([0, 1, 5, 40]) };
}
