/**
 * Whether something grows, from samples taken after equal amounts of work.
 *
 * One reading says little: V8 compiles and forgets, tables double and shrink, and the heap moves by steps of up to half a megabyte. What
 * grows does so after every part. So the slope counts, as the median of the slopes between all pairs of samples (Theil and Sen): a step
 * in either direction hardly moves it, and what each part of the work leaves behind does.
 */

/** Median growth from one sample to the next. Needs two samples. */
export function growthPerPart(samples: readonly number[]): number {
  const slopes: number[] = [];
  for (const [later, value] of samples.entries()) {
    for (const [earlier, before] of samples.slice(0, later).entries())
      slopes.push((value - before) / (later - earlier));
  }
  slopes.sort((a, b) => a - b);
  const middle = slopes.length >> 1;
  const upper = slopes[middle] ?? Number.NaN;
  const lower = slopes[middle - 1] ?? upper;
  return slopes.length % 2 === 1 ? upper : (lower + upper) / 2;
}
