import { appendFileSync } from 'node:fs';
import type { Timing } from './java-peer.js';

/** One row of the table that `npm run interop` prints. */
export interface Figure {
  readonly where: string;
  readonly what: string;
  readonly value: string;
}

/** Adds a row to the table; does nothing when nobody prints one. */
export function report(figure: Figure): void {
  const file = process.env['HOLDFAST_INTEROP_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** The value below which a share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Median, p99 and the worst of some times in milliseconds, in words. */
export function spread(samplesMs: readonly number[]): string {
  const [median, p99, worst] = [0.5, 0.99, 1].map((share) => quantile(samplesMs, share).toFixed(1));
  return `median ${median} ms, p99 ${p99} ms, worst ${worst} ms of ${samplesMs.length}`;
}

/** From the start of a release to the end of the call that it woke up, in two processes of one machine. */
export function betweenMs(release: Pick<Timing, 'startedUs'>, acquisition: Pick<Timing, 'endedUs'>): number {
  return (acquisition.endedUs - release.startedUs) / 1_000;
}

/** How long it took to wake up a call, of the other side and among Java's own. */
export function reportWakes(
  where: string,
  what: string,
  times: Record<'byNode' | 'byJava' | 'amongJava', number[]>,
): void {
  report({ where, what: `${what}: a Java waiter woken up by Node`, value: spread(times.byNode) });
  report({ where, what: `${what}: a Node waiter woken up by Java`, value: spread(times.byJava) });
  report({ where, what: `${what}: a Java waiter woken up by another JVM`, value: spread(times.amongJava) });
}
