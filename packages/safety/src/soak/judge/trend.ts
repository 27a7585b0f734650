/**
 * Whether something grows: a straight line through the samples by least squares, and how far its slope may be off.
 *
 * One reading says little, because heaps move by steps. The slope is known to within its spread, the 95 % interval of the usual regression
 * (Student's t). What is flat must be shown to be flat: the whole interval lies below what would be tolerated. An interval that reaches
 * above is no pass; if it lies above altogether, the thing grows.
 */

/** A reading. */
export interface Reading {
  readonly minute: number;
  readonly value: number;
}

/** A line through readings. */
export interface Trend {
  readonly readings: number;
  readonly mean: number;
  readonly perMinute: number;
  /** Half of the 95 % interval around {@link perMinute}. */
  readonly spread: number;
}

export type Tendency = 'flat' | 'grows' | 'undecided';

/** Two-sided 95 % quantiles of Student's t for 1, 2, 3… degrees of freedom; beyond, 2 is close enough and on the safe side from 60 on. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const STUDENT_BEYOND = 2.042;

/** @throws RangeError for less than three readings, or readings at one moment. */
export function trendOf(readings: readonly Reading[]): Trend {
  const count = readings.length;
  if (count < 3) throw new RangeError('a trend needs three readings');
  const average = (of: (reading: Reading) => number) => readings.reduce((sum, one) => sum + of(one), 0) / count;
  const minute = average((one) => one.minute);
  const mean = average((one) => one.value);
  const width = average((one) => (one.minute - minute) ** 2) * count;
  if (width === 0) throw new RangeError('a trend needs readings at different times');
  const perMinute = (average((one) => (one.minute - minute) * (one.value - mean)) * count) / width;
  const rest = average((one) => (one.value - mean - perMinute * (one.minute - minute)) ** 2) * count;
  const error = Math.sqrt(rest / (count - 2) / width);
  return { readings: count, mean, perMinute, spread: (STUDENT[count - 3] ?? STUDENT_BEYOND) * error };
}

/** @param tolerated - growth in a minute that would not matter. */
export function tendencyOf({ perMinute, spread }: Trend, tolerated: number): Tendency {
  if (perMinute + spread <= tolerated) return 'flat';
  return perMinute - spread > tolerated ? 'grows' : 'undecided';
}
