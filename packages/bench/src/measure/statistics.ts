/** A figure over several rounds. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** @throws RangeError without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('the median of nothing');
  return (lower + upper) / 2;
}

/** @throws RangeError without values. */
export function summary(values: readonly number[]): Summary {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** The median of the ratios of rounds that ran next to each other: what slowed the machine slowed both. Undefined without such rounds. */
export function pairedRatio(own: readonly number[], others: readonly number[]): number | undefined {
  const ratios = own.flatMap((value, round) => {
    const other = others[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

/** Least divided by most served: 1 is perfectly fair, 0 means that somebody got nothing. Undefined when nobody was served. */
export function fairness(served: readonly number[]): number | undefined {
  const most = Math.max(0, ...served);
  return most === 0 ? undefined : Math.min(...served) / most;
}
