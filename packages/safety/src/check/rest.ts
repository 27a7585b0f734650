/**
 * Rule `rest-cut-short`: a lock that was taken with `minHoldMs` and given back is had by nobody else before that time is over.
 *
 * The time runs from a moment after the server granted the lock, which is after the call began. So from the beginning of the call it is the
 * least that can be promised, and what is found is a violation however slow anything was.
 */
import { type ExclusionOptions, isTaken } from './exclusion.js';
import type { Finding } from './findings.js';
import { believes, type Level } from './levels.js';

/** Redis counts in milliseconds, and a clock may begin a new one in between. */
const roundingMicros = 2_000;

export function* restsCutShort(levels: readonly Level[], options: ExclusionOptions): Generator<Finding> {
  const resting = levels.filter(
    ({ acquire, release, released }) =>
      acquire.minHoldMs !== undefined && release !== undefined && believes(release) && released?.type === 'ok',
  );
  if (resting.length === 0) return;
  const held = levels.filter(({ isHad }) => isHad).sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
  for (const level of resting) {
    const restsUntil = level.acquire.at + (level.acquire.minHoldMs ?? 0) * 1_000 - roundingMicros;
    const other = held.find((one) => (one.start ?? 0) > level.end && !one.nestsWith(level));
    const start = other?.start ?? 0;
    if (other === undefined || start >= restsUntil || isTaken(options, level, start)) continue;
    yield {
      rule: 'rest-cut-short',
      at: start,
      lock: level.lock,
      between: [level.id, other.id],
      text: `${other.id} had it ${((restsUntil - start) / 1_000).toFixed(3)} ms before the time was over that ${level.id} had asked for`,
    };
  }
}
