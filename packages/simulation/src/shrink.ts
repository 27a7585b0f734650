/**
 * Makes a failing scenario smaller: fewer faults, processes, tasks, steps and locks, less time, as long as the same rule is still broken.
 *
 * Each part of a world draws from a source of its own, so leaving a part out leaves the others as they were, up to the moment at which they would
 * have met it. That does not make the failure certain to come again, but likely; each candidate is simply run.
 */

import type { Rule } from './judges/violation.js';
import type { Scenario } from './plan/scenario.js';
import { runScenario, type RunResult } from './run.js';

/** See the module comment. */
export interface Shrunk {
  /** Of the smallest scenario found that breaks the same rule. */
  readonly result: RunResult;
  /** How many scenarios were run. */
  readonly runs: number;
}

/** Must be called in a macrotask. `mostRuns`: it settles for what it has then. */
export function shrink(failed: RunResult, mostRuns = 600): Shrunk {
  const rule = failed.violation?.rule;
  if (rule === undefined) throw new Error('this run broke no rule');
  const search = new Search(failed, rule, mostRuns);
  search.go();
  return { result: search.smallest, runs: search.runs };
}

/** The same plan is tried with so many seeds: what is left out may have been needed for its delay alone. */
const LUCKS = 3;

class Search {
  smallest: RunResult;
  runs = 0;
  readonly #rule: Rule;
  readonly #mostRuns: number;

  constructor(failed: RunResult, rule: Rule, mostRuns: number) {
    this.smallest = failed;
    this.#rule = rule;
    this.#mostRuns = mostRuns;
  }

  go(): void {
    for (let before = -1; before !== this.#size() && this.runs < this.#mostRuns; ) {
      before = this.#size();
      this.#cutTime();
      this.#without(
        (scenario) => scenario.faults,
        (scenario, faults) => ({ ...scenario, faults }),
      );
      this.#without(
        (scenario) => scenario.processes,
        (scenario, processes) => ({ ...scenario, processes }),
        1,
      );
      this.#withoutTasks();
      this.#without(
        (scenario) => scenario.others,
        (scenario, others) => ({ ...scenario, others }),
      );
      this.#without(
        (scenario) => scenario.locks,
        (scenario, locks) => ({ ...scenario, locks }),
        1,
      );
      this.#fewerSteps();
    }
  }

  #size(): number {
    const { faults, processes, locks, others, workMs } = this.smallest.scenario;
    const steps = processes.flatMap(({ tasks }) => tasks.map((task) => Math.min(task.steps, 1_000)));
    return (
      faults.length +
      processes.length +
      locks.length +
      others.length +
      steps.length +
      steps.reduce((a, b) => a + b, 0) / 1e4 +
      workMs / 1e6
    );
  }

  #accepts(scenario: Scenario): boolean {
    for (let luck = 0; luck < LUCKS && this.runs < this.#mostRuns; luck++) {
      this.runs++;
      const result = runScenario({ ...scenario, seed: scenario.seed + luck });
      if (result.violation?.rule !== this.#rule) continue;
      this.smallest = result;
      return true;
    }
    return false;
  }

  /** What comes after the violation cannot have caused it. */
  #cutTime(): void {
    const { scenario, violation } = this.smallest;
    const workMs = Math.ceil(violation?.at ?? 0) + 1;
    if (workMs < scenario.workMs) {
      this.#accepts({ ...scenario, workMs, faults: scenario.faults.filter(({ at }) => at < workMs) });
    }
  }

  /** Halves first, then smaller parts, then one by one. */
  #without<T>(
    partsOf: (scenario: Scenario) => readonly T[],
    having: (scenario: Scenario, parts: readonly T[]) => Scenario,
    least = 0,
  ): void {
    for (
      let size = Math.ceil(partsOf(this.smallest.scenario).length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let from = 0; from < partsOf(this.smallest.scenario).length; ) {
        const { scenario } = this.smallest;
        const parts = partsOf(scenario);
        const left = [...parts.slice(0, from), ...parts.slice(from + size)];
        if (left.length < least || !this.#accepts(having(scenario, left))) from += size;
      }
    }
  }

  #withoutTasks(): void {
    for (const { number } of this.smallest.scenario.processes) {
      this.#without(
        ({ processes }) => processes.find((plan) => plan.number === number)?.tasks ?? [],
        (scenario, tasks) => ({
          ...scenario,
          processes: scenario.processes.map((plan) => (plan.number === number ? { ...plan, tasks } : plan)),
        }),
        1,
      );
    }
  }

  #fewerSteps(): void {
    for (const steps of [1, 2, 5, 20, 100]) {
      for (const { number, tasks } of this.smallest.scenario.processes) {
        for (const { name, steps: before } of tasks) {
          if (before <= steps) continue;
          const { scenario } = this.smallest;
          const processes = scenario.processes.map((plan) =>
            plan.number === number
              ? { ...plan, tasks: plan.tasks.map((task) => (task.name === name ? { ...task, steps } : task)) }
              : plan,
          );
          this.#accepts({ ...scenario, processes });
        }
      }
    }
  }
}
