/** The linearizability checker: is there an order of all operations on a lock or a latch that explains every answer? One search for each. */
import type { History } from '../history/read.js';
import { seizuresOf } from './exclusion.js';
import type { FaultClass } from './fault-classes.js';
import { latchOperations } from './latches.js';
import { type Level, levelsOf } from './levels.js';
import { latch } from './linear/latch.js';
import { fenced, type Model, mutex, reentrant } from './linear/models.js';
import type { Operation } from './linear/operation.js';
import { isReadWrite, type OperationOptions, operationsOf } from './linear/operations.js';
import { readWrite } from './linear/read-write.js';
import { type Answer, search } from './linear/search.js';
import { isOfSemaphore } from './permits.js';
import { FaultsAround, type Violation } from './violation.js';

export interface LinearizabilityOptions extends Partial<OperationOptions> {
  readonly faultClass: FaultClass;
  /** Operations tried per lock at most. Default 5 million. */
  readonly budget?: number;
}

export interface LinearizabilityVerdict {
  readonly violations: readonly Violation[];
  /** Locks for which the budget did not suffice. */
  readonly undecided: readonly string[];
  readonly operations: number;
  readonly steps: number;
}

export function checkLinearizability(
  history: History,
  { faultClass, budget, unknown = 'leave-out' }: LinearizabilityOptions,
): LinearizabilityVerdict {
  const violations: Violation[] = [];
  const undecided: string[] = [];
  let operations = 0;
  let steps = 0;
  if (faultClass.suspended['not-linearizable'] === undefined) {
    const { exclusion } = faultClass;
    const seizures = exclusion.kind === 'always' ? [] : seizuresOf(history, exclusion.takenBy);
    const faults = new FaultsAround(history);
    const note = (lock: string, present: number, answer: Answer): void => {
      operations += present;
      steps += answer.steps;
      if (answer.kind === 'unknown') undecided.push(lock);
      else if (answer.kind === 'not-linearizable') {
        const { stuck, state, placed } = answer;
        const at = Number.isFinite(stuck.returnedAt) ? stuck.returnedAt : stuck.invokedAt;
        violations.push({
          rule: 'not-linearizable',
          at,
          lock,
          between: [stuck.id],
          text: `after ${placed} of ${present} operations nothing explains "${stuck.id}"; the state there was "${state}"`,
          faults: faults.at(at),
        });
      }
    };
    for (const [lock, levels] of levelsOf(history)) {
      // Holders of permits overlap: there is no model of that. The interval checker sees all that can be wrong with it.
      if (isOfSemaphore(levels)) continue;
      const ofLock = seizures.filter((seizure) => seizure.lock === undefined || seizure.lock === lock);
      const present = operationsOf(levels, ofLock, { unknown });
      note(lock, present.length, searchWith(modelFor(levels), present, budget));
    }
    for (const [name, present] of latchOperations(history)) note(name, present.length, search(latch, present, budget));
  }
  return { violations, undecided, operations, steps };
}

type AnyModel = typeof mutex | typeof reentrant | typeof fenced | typeof readWrite;

/** The strictest specification that the history can be asked to meet. */
export function modelFor(levels: readonly Level[]): AnyModel {
  if (isReadWrite(levels)) return readWrite;
  if (levels.some(({ ok }) => ok?.token !== undefined)) return fenced;
  return levels.some(({ acquire }) => acquire.depth > 1) ? reentrant : mutex;
}

function searchWith(model: AnyModel, operations: readonly Operation[], budget: number | undefined): Answer {
  // Each model has its own type of state, which only it looks at.
  return search(model as Model<unknown>, operations, budget);
}
