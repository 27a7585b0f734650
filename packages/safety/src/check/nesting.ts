/**
 * Rule `nesting`: an acquisition of depth d happened inside d - 1 open levels of its owner. Levels whose own acquisition or release
 * was under way may count or not.
 */
import type { Finding } from './findings.js';
import type { Level } from './levels.js';

export function* wrongDepths(levels: readonly Level[]): Generator<Finding> {
  const families = new Map<string, Level[]>();
  for (const level of levels) {
    if (level.ok === undefined) continue;
    const family = families.get(level.owner);
    if (family === undefined) families.set(level.owner, [level]);
    else family.push(level);
  }
  for (const family of families.values()) yield* wrongDepthsOf(family);
}

/** `family`: all acquired levels of one owner, by the time at which they were asked for. */
function* wrongDepthsOf(family: readonly Level[]): Generator<Finding> {
  const acquired = [...family].sort((a, b) => begin(a) - begin(b));
  const earliestAsk = suffixMinimum(acquired.map(({ acquire }) => acquire.at));
  let open: Level[] = [];
  let next = 0;
  for (const [index, level] of acquired.entries()) {
    const asked = level.acquire.at;
    for (let other = family[next]; other !== undefined && other.acquire.at < begin(level); other = family[next]) {
      open.push(other);
      next += 1;
    }
    open = open.filter((other) => !isOver(other, earliestAsk[index] ?? asked));
    const perhaps = open.filter((other) => other !== level && !isOver(other, asked));
    const surely = perhaps.filter((other) => begin(other) <= asked && other.end >= begin(level)).length;
    const around = level.acquire.depth - 1;
    if (around >= surely && around <= perhaps.length) continue;
    yield {
      rule: 'nesting',
      at: begin(level),
      lock: level.lock,
      between: [level.id, ...perhaps.map(({ id }) => id)],
      text: `${level.id} was acquired at depth ${level.acquire.depth} inside ${surely === perhaps.length ? surely : `${surely} to ${perhaps.length}`} open levels`,
    };
  }
}

const begin = ({ ok }: Level): number => ok?.at ?? 0;

/** Certainly not open any more at `at`. */
function isOver({ released, lost }: Level, at: number): boolean {
  if (lost !== undefined && lost.at < at) return true;
  return released !== undefined && released.type !== 'info' && released.at < at;
}

function suffixMinimum(values: readonly number[]): number[] {
  const minima = [...values];
  for (let i = minima.length - 2; i >= 0; i -= 1)
    minima[i] = Math.min(minima[i] ?? Infinity, minima[i + 1] ?? Infinity);
  return minima;
}
