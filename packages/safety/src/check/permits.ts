/**
 * What is wrong with the levels of a semaphore.
 *
 * Rule `id-shared`: no two levels have the same id of a permit.
 *
 * Rule `over-issued`: the definite intervals of one semaphore never have more permits together than there are.
 *
 * A sweep as for `overlap`. In a class that takes permits away from live holders those do not count that were taken away before, and whose holders were told
 * within the bound of the class.
 */
import { type ExclusionOptions, isToldInTime } from './exclusion.js';
import type { Finding } from './findings.js';
import { hadByStart, type Level } from './levels.js';

/** Are these the levels of a semaphore? */
export const isOfSemaphore = (levels: readonly Level[]): boolean =>
  levels.some(({ acquire }) => acquire.permits !== undefined);

const permitsOf = (levels: readonly Level[]): number =>
  levels.reduce((sum, { acquire }) => sum + (acquire.permits ?? 0), 0);

export function* overIssued(levels: readonly Level[], options: ExclusionOptions): Generator<Finding> {
  let open: Level[] = [];
  for (const level of hadByStart(levels)) {
    const start = level.start ?? 0;
    open = open.filter(({ end }) => end > start);
    open.push(level);
    const { permitsInAll = 0 } = level.acquire;
    if (permitsOf(open) <= permitsInAll) continue;
    const sound = open.filter((other) => !isToldInTime(other, start, options));
    if (permitsOf(sound) <= permitsInAll) continue;
    yield {
      rule: 'over-issued',
      at: start,
      lock: level.lock,
      between: sound.map(({ id }) => id),
      text: `${permitsOf(sound)} of ${permitsInAll} permits were held at once, by ${sound.map(({ id }) => id).join(', ')}`,
    };
  }
}

export function* sharedIds(levels: readonly Level[]): Generator<Finding> {
  const owners = new Map<string, Level>();
  for (const level of levels) {
    for (const id of level.ok?.ids ?? []) {
      const other = owners.get(id);
      owners.set(id, level);
      if (other === undefined) continue;
      const [at, between] = [level.ok?.at ?? 0, [other.id, level.id]];
      yield { rule: 'id-shared', at, lock: level.lock, between, text: `both have the permit ${id}` };
    }
  }
}
