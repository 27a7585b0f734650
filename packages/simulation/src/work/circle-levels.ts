/** Draws how a task takes the locks of its process: which, in what order, and how each. */

import type { Side } from '../judges/exclusion.js';
import type { Forks } from '../plan/forks.js';
import type { Chance } from '../world/chance.js';

/** One lock inside those before it. */
export interface Level {
  readonly lock: string;
  readonly side: Side;
  /** Whether it is the side of a read-write lock, which is none of the kind that the world has. */
  readonly isShared: boolean;
  readonly how: 'section' | 'run' | 'object';
  readonly leaseMs?: number;
  readonly waitMs?: number;
}

/** Leases that are shorter than most waits in a line of several. */
const LONGEST_LEASE_MS = 800;
const LONGEST_WAIT_MS = 400;

/** Two or three of them, in any order, sometimes the first once more. */
export function drawLevels(chance: Chance, { alone, shared, line }: Forks): readonly Level[] {
  const left = [...alone];
  const levels = Array.from({ length: chance.whole(1, 3) }, () =>
    drawAlone(chance, left.splice(chance.below(left.length), 1)[0] as string),
  );
  if (chance.happens(0.4)) levels.splice(chance.below(levels.length + 1), 0, drawSide(chance, shared));
  if (chance.happens(0.5)) levels.splice(chance.below(levels.length + 1), 0, drawInLine(chance, line));
  const [first] = levels;
  if (first !== undefined && chance.happens(0.15)) levels.push({ ...first, how: 'section' });
  return endingByThemselves(chance, levels);
}

/** A writer who waits in line, or a reader inside another lock or around it. */
export function drawLine(chance: Chance, { alone: [other = ''], line }: Forks): readonly Level[] {
  const read = { lock: line, side: 'read', isShared: true, how: 'section' } as const;
  return chance.pick([[{ ...read, side: 'alone' }], [read, plainLevel(other)], [plainLevel(other), read]]);
}

/** A section that nothing but its holder ends. */
export const plainLevel = (lock: string): Level => ({ lock, side: 'alone', isShared: false, how: 'section' });

function drawAlone(chance: Chance, lock: string): Level {
  const level = { ...plainLevel(lock), how: chance.weighed({ section: 6, run: 2, object: 1 }) };
  if (level.how === 'run') return level;
  return { ...level, ...drawLimits(chance) };
}

/** Writers give up: readers wait behind them, which no circle is made of. */
function drawSide(chance: Chance, lock: string): Level {
  const level = { lock, isShared: true, how: 'section' } as const;
  if (chance.happens(0.3)) return { ...level, side: 'alone', waitMs: chance.below(LONGEST_WAIT_MS) };
  return { ...level, side: 'read', ...drawLimits(chance) };
}

/** A lease has a tenure of its own, which asks while another may have been let in already: what it stands behind is not always known, so its wait ends. */
function drawInLine(chance: Chance, lock: string): Level {
  const level = { lock, isShared: true, how: 'section' } as const;
  if (chance.happens(0.3)) return { ...level, side: 'alone' };
  return { ...level, side: 'read', ...(chance.happens(0.15) ? drawBothLimits(chance) : {}) };
}

function drawBothLimits(chance: Chance): Required<Pick<Level, 'leaseMs' | 'waitMs'>> {
  return { leaseMs: Math.round(chance.between(100, LONGEST_LEASE_MS)), waitMs: chance.below(LONGEST_WAIT_MS) };
}

function drawLimits(chance: Chance): Pick<Level, 'leaseMs' | 'waitMs'> {
  return {
    ...(chance.happens(0.15) ? { leaseMs: Math.round(chance.between(100, LONGEST_LEASE_MS)) } : {}),
    ...(chance.happens(0.15) ? { waitMs: chance.below(LONGEST_WAIT_MS) } : {}),
  };
}

/** Nobody knows when an object is given back, so what is called inside must end. A writer who gives up has a short place in line, which is not always known: it reads. */
function endingByThemselves(chance: Chance, levels: readonly Level[]): readonly Level[] {
  const first = levels.findIndex(({ how }) => how === 'object');
  return levels.map((level, place) => {
    if (first < 0 || place <= first || level.waitMs !== undefined) return level;
    const how = level.how === 'run' ? 'section' : level.how;
    return { ...level, side: level.isShared ? 'read' : 'alone', how, waitMs: chance.below(LONGEST_WAIT_MS) };
  });
}
