/**
 * Rule `lost-update`: every writer writes one more than it read, so no value is written twice under the lock. Only writes that
 * were done inside the definite interval count: one that a stopped process does later is beyond what any lock can prevent. Such a late
 * write sets the counter back; where writers say what they read, a value that was written once, that does not mislead: two of them
 * must not have read the same.
 */
import type { Finding } from './findings.js';
import type { Level } from './levels.js';

export function* lostUpdates(levels: readonly Level[]): Generator<Finding> {
  const writers = new Map<number | string, Level>();
  for (const level of levels) {
    const { start, end } = level;
    if (start === undefined) continue;
    for (const { at, value, after } of level.stores) {
      if (at < start || at > end) continue;
      const other = writers.get(after ?? value);
      writers.set(after ?? value, level);
      if (other === undefined) continue;
      yield {
        rule: 'lost-update',
        at,
        lock: level.lock,
        between: [other.id, level.id],
        text: after === undefined ? `both wrote ${value}` : `both read ${after}`,
      };
    }
  }
}
