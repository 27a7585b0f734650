/** From levels to operations: what the search has to explain. */
import type { Seizure } from '../exclusion.js';
import { believes, type Level } from '../levels.js';
import type { Action, Operation } from './operation.js';

export interface OperationOptions {
  /**
   * What to do with acquisitions of unknown fate by owners of whom nothing else is known. They can be left out: whatever order explains
   * the history with one of them explains it without (it only keeps others out, and tokens may have gaps), and the search is much faster.
   */
  readonly unknown: 'leave-out' | 'keep';
}

/** The operations on one lock. */
export function operationsOf(
  levels: readonly Level[],
  seizures: readonly Seizure[],
  { unknown }: OperationOptions,
): Operation[] {
  const answered = new Set(levels.filter(({ ok }) => ok !== undefined).map(({ owner }) => owner));
  const matters = ({ owner }: Level): boolean => unknown === 'keep' || answered.has(owner);
  const forces = isReadWrite(levels) ? seizures.flatMap(forcesOfBothSides) : seizures.map(forceOf);
  return [...levels.filter(matters).flatMap((level) => [...operationsOfLevel(level)]), ...forces];
}

export const isReadWrite = (levels: readonly Level[]): boolean => levels.some(({ acquire }) => acquire.side === 'read');

function* operationsOfLevel(level: Level): Generator<Operation> {
  const { id, owner, acquire, ok, miss } = level;
  const { depth } = acquire;
  const side = sideOf(level);
  if (ok !== undefined) {
    const token = ok.token === undefined ? {} : { token: ok.token };
    yield {
      id: `${id} acquire at depth ${depth}${ok.token === undefined ? '' : ` with token ${ok.token}`}`,
      invokedAt: acquire.at,
      returnedAt: ok.at,
      action: { kind: 'acquire', owner, depth, certain: true, ...side, ...token },
    };
    yield endOf(level);
  } else if (miss?.type !== 'fail') {
    const action: Action = { kind: 'acquire', owner, depth, certain: false, ...side };
    yield { id: `${id} acquire, unknown`, invokedAt: acquire.at, returnedAt: Infinity, action };
  }
}

/** A level ends by its release, or by the end of its lease. */
function endOf(level: Level): Operation {
  const { id, owner, release, released, end } = level;
  const side = sideOf(level);
  if (release !== undefined && believes(release)) {
    if (released?.type === 'ok') {
      return {
        id: `${id} release`,
        invokedAt: release.at,
        returnedAt: released.at,
        action: { kind: 'release', owner, certain: true, ...side },
      };
    }
    if (released?.type !== 'fail') {
      return {
        id: `${id} release, unknown`,
        invokedAt: release.at,
        returnedAt: Infinity,
        action: { kind: 'release', owner, certain: false, ...side },
      };
    }
  }
  return { id: `${id} lost`, invokedAt: end, returnedAt: Infinity, action: { kind: 'expire', owner } };
}

const sideOf = ({ acquire: { side } }: Level): { side?: 'read' } => (side === undefined ? {} : { side });

/** An operator takes one side after the other: between the two, those who waited may have come in. */
function forcesOfBothSides(seizure: Seizure, index: number): Operation[] {
  const { id, ...force } = forceOf(seizure, index);
  return (['writer', 'readers'] as const).map((from) => ({
    ...force,
    id: `${id} from ${from}`,
    action: { kind: 'force', from },
  }));
}

function forceOf({ from, to, certain }: Seizure, index: number): Operation {
  return {
    id: `seizure ${index + 1}`,
    invokedAt: from,
    returnedAt: certain ? to : Infinity,
    action: { kind: 'force' },
  };
}
